// The one ranking order, and a collector that keeps the first k hits of it.
//
// Order: score descending, then row ascending. It is total, because NaN never takes part and -0.0
// equals +0.0. Cost of offering n hits: O(n) for those that lose against the k-th, O(log k) for the
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gnomon {

struct Hit {
    float score;
    std::int64_t row;
};

inline bool before(const Hit& a, const Hit& b) noexcept {
    return a.score > b.score || (a.score == b.score && a.row < b.row);
}

// Keeps the first k of all hits that it was offered, in whatever order they came.
class TopHits {
  public:
    explicit TopHits(std::size_t k) noexcept : k_(k) {}

    std::size_t size() const noexcept { return heap_.size(); }
    bool full() const noexcept { return heap_.size() >= k_; }

    // The k-th best score, or minus infinity until k hits are there. With k = 0: plus infinity.
    // A hit with this very score can still win by its row.
    float threshold() const noexcept;

    // True when the hit was kept. A NaN score is not a hit.
    bool offer(Hit hit);

    void merge(const TopHits& other);

    // The hits in ranking order; the collector is empty afterwards.
    std::vector<Hit> take();

  private:
    std::size_t k_;
    std::vector<Hit> heap_;  // the last of the ranking order on top
};

}  // namespace gnomon
