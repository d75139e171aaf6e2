// The rows that may still be among a query's top k.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "gnomon/order.hpp"

namespace gnomon::detail {

// A row whose score lies in [lower, upper]; both are the score once it has been computed.
struct Candidate {
    float upper;
    float lower;
    std::int64_t row;

    bool scored() const noexcept { return upper == lower; }
};

class RowScorer;

// Collects the admissible rows of one query that the screen let through. Scores are computed late:
// the k-th best lower bound already is a threshold, so most candidates fall to it unscored. Memory
// is O(k): when candidates don't fall, they are scored and all but k dropped.
class Candidates {
  public:
    explicit Candidates(std::size_t k) noexcept : k_(k) {}

    // Bytes that the candidates of one query take at most.
    static std::size_t most_bytes(std::size_t k) noexcept;

    // No row with a lower score can be among the top k; minus infinity until k rows are known.
    float threshold() const noexcept { return threshold_.load(std::memory_order_relaxed); }

    // `scorer` belongs to this query.
    void add(const Candidate& candidate, RowScorer& scorer);

    // Takes what the bounds of the candidates say into the threshold.
    void tighten();

    // The exact top k of all candidates so far, in ranking order.
    std::vector<Hit> settle(RowScorer& scorer);

  private:
    std::size_t capacity() const noexcept;
    void raise_threshold();
    void drop_below_threshold();
    void score_all(RowScorer& scorer);
    void keep_best();

    std::size_t k_;
    std::atomic<float> threshold_{-std::numeric_limits<float>::infinity()};
    std::vector<Candidate> entries_;
};

}  // namespace gnomon::detail
