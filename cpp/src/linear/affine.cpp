#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gnomon/linear.hpp"
#include "gnomon/steps.hpp"
#include "linear/first_row.hpp"
#include "linear/tile_dots.hpp"
#include "linear/unit_length.hpp"

namespace gnomon {

namespace {

// Stores a dot as an output: the bias added in float64, rounded once.
auto store_in(std::span<float> out, std::span<const float> bias, std::size_t d_out) noexcept {
    return [out, bias, d_out](std::size_t row, std::size_t output, double dot) {
        const double shifted = bias.empty() ? dot : dot + static_cast<double>(bias[output]);
        out[row * d_out + output] = static_cast<float>(shifted);
    };
}

MatrixView rows_of(const std::vector<float>& values, std::size_t rows, std::size_t cols) noexcept {
    const auto item = static_cast<std::ptrdiff_t>(sizeof(float));
    return {values.data(), rows, cols, static_cast<std::ptrdiff_t>(cols) * item, item, Dtype::f32};
}

// Writes every row at unit length, and its norm; returns the lowest row that isn't finite, if any.
std::optional<std::size_t> unit_rows(const MatrixView& x, std::span<float> units,
                                     std::span<double> lengths, int threads,
                                     const Interrupted& interrupted) {
    const Isa isa = chosen_isa();
    const detail::ScoreKernel& kernel = detail::score_kernel(isa);
    detail::FirstRow nonfinite;
    detail::RowScratch scratch(x, threads);
    detail::for_row_blocks(
        x, threads, interrupted, [&](std::size_t begin, std::size_t end, int worker) {
            for (std::size_t row = begin; row < end; ++row) {
                const float* values = row_f32(x, row, scratch.of(worker), isa);
                lengths[row] =
                    detail::to_unit_length(kernel, values, x.cols, units.data() + row * x.cols);
                if (!std::isfinite(lengths[row])) {
                    nonfinite.offer(row);
                }
            }
        });
    return nonfinite.get();
}

}  // namespace

void affine_map(const MatrixView& x, std::span<const float> weights, std::span<const float> bias,
                std::size_t d_out, std::span<float> out, int threads,
                const Interrupted& interrupted) {
    detail::expect_size("affine_map", "weights", weights.size(), d_out * x.cols);
    detail::expect_size("affine_map", "out", out.size(), x.rows * d_out);
    if (!bias.empty()) {
        detail::expect_size("affine_map", "bias", bias.size(), d_out);
    }
    const Interruptible scope(interrupted);
    detail::for_each_dot(detail::DotCall{x, weights, d_out, chosen_isa()}, threads, interrupted,
                         store_in(out, bias, d_out));
}

std::optional<std::size_t> map_directions(const MatrixView& x, std::span<const AffineWeights> maps,
                                          std::span<float> out, int threads,
                                          const Interrupted& interrupted) {
    if (maps.empty()) {
        throw std::invalid_argument("map_directions: there is no map");
    }
    // One query at a time stands in somebody's request path: nothing is started for it.
    const int workers = x.rows < detail::kFewRows ? std::min(threads, 1) : threads;
    const Interruptible scope(interrupted);
    std::vector<float> rows;
    std::vector<double> lengths;
    detail::resize_in_steps(rows, x.rows * x.cols);
    detail::resize_in_steps(lengths, x.rows);
    if (const auto bad = unit_rows(x, rows, lengths, workers, interrupted)) {
        return bad;
    }
    std::size_t cols = x.cols;
    for (const AffineWeights& map : maps.first(maps.size() - 1)) {
        std::vector<float> images;
        detail::resize_in_steps(images, x.rows * map.d_out);
        affine_map(rows_of(rows, x.rows, cols), map.weights, map.bias, map.d_out, images, workers,
                   interrupted);
        rows = std::move(images);
        cols = map.d_out;
    }
    const AffineWeights& last = maps.back();
    affine_map(rows_of(rows, x.rows, cols), last.weights, last.bias, last.d_out, out, workers,
               interrupted);
    const detail::ScoreKernel& kernel = detail::score_kernel(chosen_isa());
    parallel_for(x.rows, workers, interrupted, [&](std::size_t row, int /*worker*/) {
        float* image = out.data() + row * last.d_out;
        if (lengths[row] == 0.0) {
            std::fill_n(image, last.d_out, 0.0F);
        } else {
            detail::to_unit_length(kernel, image, last.d_out, image);
        }
    });
    return std::nullopt;
}

}  // namespace gnomon
