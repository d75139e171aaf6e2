// The rows that may still be among a query's top k.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "gnomon/order.hpp"

namespace gnomon::detail {

// A row whose score is at most `upper`, and hardly less than `likely`; both are the score once it
// has been computed.
struct Candidate {
    float upper;
    float likely;
    std::int64_t row;

    bool scored() const noexcept { return upper == likely; }
};

class RowScorer;

// Collects the admissible rows of one query that the screen let through.
//
// Scores are computed late. While the pass runs, the k-th best `likely` is the threshold: a guess,
// by which rows are dropped that can't score as much. At the end the candidates left are scored,
// and if the k-th best score is no less than every guess was, no dropped row can be among the top
// k: the guess has become a proof. Otherwise the query is passed again with that score as its
// threshold. Memory is O(k): when the guess spares too many candidates, they are scored and all but
// k dropped.
class Candidates {
  public:
    explicit Candidates(std::size_t k) noexcept : k_(k) {}
    Candidates(Candidates&& other) noexcept
        : k_(other.k_), threshold_(other.threshold()), entries_(std::move(other.entries_)),
          best_(std::move(other.best_)), crowded_(other.crowded_), last_(other.last_) {}

    // Bytes that the candidates of one query take at most.
    static std::size_t most_bytes(std::size_t k) noexcept;

    // Rows that can't score this much are of no use; minus infinity until k rows are known.
    float threshold() const noexcept { return threshold_.load(std::memory_order_relaxed); }

    // True once more candidates came than there was room for.
    bool crowded() const noexcept { return crowded_; }

    // `scorer` belongs to this query.
    void add(const Candidate& candidate, RowScorer& scorer);

    // Scores what is left. False when the threshold was guessed too high; the candidates are then
    // gone, and the threshold is one that k rows are known to reach.
    bool settle(RowScorer& scorer);

    // The exact top k, in ranking order, after settle() returned true.
    std::vector<Hit> hits() const;

  private:
    std::size_t capacity() const noexcept { return 4 * k_ + kRoom; }
    void raise_threshold(float likely);
    void rank_likely_again();
    void drop_below_threshold();
    void score_all(RowScorer& scorer);
    void keep_best();
    float kth_best() const noexcept;

    static constexpr std::size_t kRoom = 256;

    std::size_t k_;
    std::atomic<float> threshold_{-std::numeric_limits<float>::infinity()};
    std::vector<Candidate> entries_;
    std::vector<float> best_;  // the k best `likely` so far, as a heap with the least on top
    bool crowded_ = false;
    std::optional<Hit> last_;  // at least k rows that are known rank as high as this one
};

}  // namespace gnomon::detail
