// What one worker needs for a search, and what restricts which documents may be hits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bm25/query.hpp"
#include "gnomon/order.hpp"

namespace gnomon::detail::bm25 {

// The rows that may be hits.
class Admission {
  public:
    // `subset` has a bit a row, or is empty when all rows are admitted; `excluded` is ascending.
    Admission(std::span<const std::uint64_t> subset,
              std::span<const std::int64_t> excluded) noexcept
        : subset_(subset), excluded_(excluded) {}

    bool all() const noexcept { return subset_.empty() && excluded_.empty(); }
    std::size_t excluded() const noexcept { return excluded_.size(); }
    bool has_subset() const noexcept { return !subset_.empty(); }

    bool admits(std::uint32_t row) const noexcept {
        if (!subset_.empty() && (subset_[row / 64] >> (row % 64) & 1U) == 0) {
            return false;
        }
        return excluded_.empty() ||
               !std::binary_search(excluded_.begin(), excluded_.end(), std::int64_t{row});
    }

  private:
    std::span<const std::uint64_t> subset_;
    std::span<const std::int64_t> excluded_;
};

struct alignas(64) WindowSums {
    std::uint16_t sums[kWindowRows];
};

struct Workspace {
    Query query;
    std::unique_ptr<WindowSums> window = std::make_unique<WindowSums>();  // zeros between uses
    std::vector<std::uint16_t> places = std::vector<std::uint16_t>(kWindowRows);
    std::vector<std::uint16_t> found = std::vector<std::uint16_t>(kWindowRows);
    std::vector<std::uint64_t> pool;
    std::vector<double> exact;         // of one window, for exhaustive scoring
    std::vector<std::uint32_t> rows;   // of the documents to score,
    std::vector<std::uint64_t> keys;   // their places in the order as numbers to compare,
    std::vector<std::uint32_t> ranks;  // and their ranks
    std::vector<Hit> hits;
};

}  // namespace gnomon::detail::bm25
