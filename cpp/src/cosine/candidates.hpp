// The rows that may still be among a query's top k.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
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
// by which rows are dropped that can't score as much. When the rows passed over are a sample of
// all, it is the best of so many that k of all rows should reach it. At the end the candidates left
// are scored, and if the k-th best score is no less than every guess was, no dropped row can be
// among the top k: the guess has become a proof. Otherwise the query is passed again with that
// score as its threshold.
//
// Keeping a candidate costs O(1): the values that make the threshold are appended, and all but the
// best dropped whenever half as many more have come; the threshold rests meanwhile. Memory is O(k),
// see most_bytes: when the guess spares too many candidates, they are scored and all but k dropped.
class Candidates {
  public:
    explicit Candidates(std::size_t k) noexcept : k_(k) {}
    Candidates(Candidates&& other) noexcept
        : k_(other.k_), threshold_(other.threshold()), entries_(std::move(other.entries_)),
          best_(std::move(other.best_)), raise_at_(other.raise_at_), crowded_(other.crowded_),
          last_(other.last_) {}

    static constexpr std::size_t kAddedAtOnce = 64;

    // Bytes that the candidates of one query take at most: 16 for each of 4 k + 256, and 4 for each
    // of 1.5 k + 64 values.
    static std::size_t most_bytes(std::size_t k) noexcept;

    // Rows that can't score this much are of no use; minus infinity until enough rows are known.
    float threshold() const noexcept { return threshold_.load(std::memory_order_relaxed); }

    // True once more candidates came than there was room for.
    bool crowded() const noexcept { return crowded_; }

    // True when a row of this score is of no use, whatever happens.
    bool has_no_use_for(const Hit& scored) const noexcept {
        return scored.score < threshold() || (last_ && !before(scored, *last_));
    }

    // At most kAddedAtOnce, which lose their order; `scorer` belongs to this query. `share` is what
    // part of the rows has been passed over; less than 1 only where the rows to come are likely to
    // be like those.
    void add(std::span<Candidate> candidates, RowScorer& scorer, double share = 1.0);

    // Scores what is left and puts the exact top k into `hits`, in ranking order. False when the
    // threshold was guessed too high: there are no hits then, and the threshold is one that k rows
    // are known to reach.
    bool settle(RowScorer& scorer, std::vector<Hit>& hits);

  private:
    std::size_t capacity() const noexcept { return 4 * k_ + kRoom; }
    std::size_t most_best() const noexcept { return k_ + (k_ + 1) / 2 + kAddedAtOnce; }
    std::size_t wanted(double share) const noexcept;
    void make_room(RowScorer& scorer, double share);
    void offer(std::span<const Candidate> candidates);
    void raise_threshold(double share);
    void drop_below_threshold();
    std::size_t split();
    std::vector<Hit> best_hits(RowScorer& scorer);
    void score_and_keep_best(RowScorer& scorer);

    static constexpr std::size_t kRoom = 256;
    static_assert(kRoom / 2 >= kAddedAtOnce);

    std::size_t k_;
    std::atomic<float> threshold_{-std::numeric_limits<float>::infinity()};
    std::vector<Candidate> entries_;
    std::vector<float> best_;   // the k best `likely` of all candidates are among these
    std::size_t raise_at_ = 1;  // so many of them raise the threshold
    bool crowded_ = false;
    std::optional<Hit> last_;  // at least k rows that are known rank as high as this one
};

}  // namespace gnomon::detail
