#include <algorithm>
#include <string>

#include "gnomon/linear.hpp"
#include "gnomon/steps.hpp"
#include "linear/row_blocks.hpp"
#include "score/rows.hpp"

namespace gnomon {

namespace {

// Wide enough for whole cache lines, narrow enough that every thread gets a share of the columns.
constexpr std::size_t kColumnsPerBlock = 64;

// Rows between two looks at the interruption.
constexpr std::size_t kRowsPerPass = std::size_t{1} << 17U;

void count_labels(std::span<const std::int64_t> labels, std::span<std::int64_t> counts) {
    detail::fill_in_steps(counts, std::int64_t{0});
    detail::Meter meter;
    for (std::size_t row = 0; row < labels.size(); ++row) {
        meter.add(1);
        const std::int64_t label = labels[row];
        if (label < 0 || static_cast<std::size_t>(label) >= counts.size()) {
            throw std::invalid_argument("group_sums: label " + std::to_string(label) + " of row " +
                                        std::to_string(row) + " is not one of the " +
                                        std::to_string(counts.size()) + " groups");
        }
        ++counts[static_cast<std::size_t>(label)];
    }
}

}  // namespace

void group_sums(const MatrixView& x, std::span<const std::int64_t> labels, std::span<double> sums,
                std::span<std::int64_t> counts, int threads, const Interrupted& interrupted) {
    detail::expect_size("group_sums", "labels", labels.size(), x.rows);
    detail::expect_size("group_sums", "sums", sums.size(), counts.size() * x.cols);
    const Interruptible scope(interrupted);
    count_labels(labels, counts);
    detail::fill_in_steps(sums, 0.0);
    const Isa isa = chosen_isa();
    const std::size_t blocks = (x.cols + kColumnsPerBlock - 1) / kColumnsPerBlock;
    // Threads share the columns, never the rows: a sum runs over its rows in their order whoever
    // computes it.
    for (std::size_t first_row = 0; first_row < x.rows; first_row += kRowsPerPass) {
        const std::size_t end_row = std::min(x.rows, first_row + kRowsPerPass);
        parallel_for(blocks, threads, interrupted, [&](std::size_t block, int /*worker*/) {
            const std::size_t first = block * kColumnsPerBlock;
            const std::size_t cols = std::min(kColumnsPerBlock, x.cols - first);
            const MatrixView part = detail::columns_of(x, first, cols);
            float scratch[kColumnsPerBlock];
            for (std::size_t row = first_row; row < end_row; ++row) {
                const float* values = row_f32(part, row, scratch, isa);
                double* sum = sums.data() + static_cast<std::size_t>(labels[row]) * x.cols + first;
                for (std::size_t i = 0; i < cols; ++i) {
                    sum[i] += static_cast<double>(values[i]);
                }
            }
        });
    }
}

}  // namespace gnomon
