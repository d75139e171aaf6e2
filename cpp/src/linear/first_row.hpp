// The lowest row number that any worker found.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>

namespace gnomon::detail {

class FirstRow {
  public:
    // True when `row` may still become the lowest.
    bool wants(std::size_t row) const noexcept {
        return row < row_.load(std::memory_order_relaxed);
    }

    void offer(std::size_t row) noexcept {
        std::size_t known = row_.load();
        while (row < known && !row_.compare_exchange_weak(known, row)) {
        }
    }

    std::optional<std::size_t> get() const noexcept {
        const std::size_t row = row_.load();
        return row == kNone ? std::nullopt : std::optional(row);
    }

  private:
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::atomic<std::size_t> row_{kNone};
};

}  // namespace gnomon::detail
