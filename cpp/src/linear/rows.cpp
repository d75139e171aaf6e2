// What treats one row at a time: the finiteness check, norms and normalisation.
#include "score/rows.hpp"

#include "gnomon/linear.hpp"
#include "linear/first_row.hpp"
#include "linear/row_blocks.hpp"
#include "linear/unit_length.hpp"
#include "score/score.hpp"

namespace gnomon {

std::optional<std::size_t> first_nonfinite_row(const MatrixView& x, int threads,
                                               const Interrupted& interrupted) {
    detail::FirstRow first;
    const auto search = [&](std::size_t begin, std::size_t end, int /*worker*/) {
        for (std::size_t row = begin; row < end && first.wants(row); ++row) {
            if (!detail::row_is_finite(x, row)) {
                first.offer(row);
                return;
            }
        }
    };
    if (x.dtype != Dtype::i8 && x.dtype != Dtype::u8) {
        detail::for_row_blocks(x, threads, interrupted, search);
    }
    return first.get();
}

void norms(const MatrixView& x, std::span<double> out, int threads,
           const Interrupted& interrupted) {
    detail::expect_size("norms", "out", out.size(), x.rows);
    const Isa isa = chosen_isa();
    const detail::ScoreKernel& kernel = detail::score_kernel(isa);
    detail::RowScratch scratch(x, threads);
    detail::for_row_blocks(
        x, threads, interrupted, [&](std::size_t begin, std::size_t end, int worker) {
            for (std::size_t row = begin; row < end; ++row) {
                out[row] = detail::norm(kernel, row_f32(x, row, scratch.of(worker), isa), x.cols);
            }
        });
}

void normalize(const MatrixView& x, std::span<float> out, int threads,
               const Interrupted& interrupted) {
    detail::expect_size("normalize", "out", out.size(), x.rows * x.cols);
    const Isa isa = chosen_isa();
    const detail::ScoreKernel& kernel = detail::score_kernel(isa);
    detail::RowScratch scratch(x, threads);
    detail::for_row_blocks(
        x, threads, interrupted, [&](std::size_t begin, std::size_t end, int worker) {
            for (std::size_t row = begin; row < end; ++row) {
                const float* values = row_f32(x, row, scratch.of(worker), isa);
                detail::to_unit_length(kernel, values, x.cols, out.data() + row * x.cols);
            }
        });
}

}  // namespace gnomon
