// Blocks of consecutive rows for the workers, and converted rows for each of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "gnomon/matrix.hpp"
#include "gnomon/threads.hpp"

namespace gnomon::detail {

// About half a megabyte a block: long enough to hide the cost of taking it, short enough for
// Ctrl-C.
inline constexpr std::size_t kBlockElements = std::size_t{1} << 17U;

inline std::size_t rows_per_block(std::size_t elements_per_row) noexcept {
    return std::max<std::size_t>(1, kBlockElements / std::max<std::size_t>(1, elements_per_row));
}

// body(begin, end, worker) for consecutive ranges that cover [0, x.rows).
inline void for_row_blocks(const MatrixView& x, int threads, const Interrupted& interrupted,
                           const std::function<void(std::size_t, std::size_t, int)>& body) {
    const std::size_t step = rows_per_block(x.cols);
    const std::size_t blocks = x.rows / step + (x.rows % step != 0 ? 1 : 0);
    parallel_for(blocks, threads, interrupted, [&](std::size_t block, int worker) {
        const std::size_t begin = block * step;
        body(begin, std::min(x.rows, begin + step), worker);
    });
}

// Room for a converted row, or a few of them, per worker, taken when the worker first asks.
class RowScratch {
  public:
    RowScratch(const MatrixView& x, int threads, std::size_t rows_each = 1)
        : values_(x.cols * rows_each), rows_(static_cast<std::size_t>(std::max(1, threads))) {}

    float* of(int worker) {
        std::vector<float>& row = rows_[static_cast<std::size_t>(worker)];
        if (row.size() < values_) {
            row.resize(values_);
        }
        return row.data();
    }

  private:
    std::size_t values_;
    std::vector<std::vector<float>> rows_;
};

}  // namespace gnomon::detail
