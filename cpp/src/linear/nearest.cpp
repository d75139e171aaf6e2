#include <algorithm>
#include <vector>

#include "gnomon/linear.hpp"
#include "gnomon/steps.hpp"
#include "linear/tile_dots.hpp"

namespace gnomon {

void nearest(const MatrixView& x, const MatrixView& centroids, std::span<std::int64_t> labels,
             std::span<float> scores, int threads, const Interrupted& interrupted) {
    detail::expect_size("nearest", "a centroid", centroids.cols, x.cols);
    detail::expect_size("nearest", "labels", labels.size(), x.rows);
    detail::expect_size("nearest", "scores", scores.size(), x.rows);
    const Isa isa = chosen_isa();
    const detail::ScoreKernel& kernel = detail::score_kernel(isa);
    const Interruptible scope(interrupted);
    std::vector<float> vectors;
    std::vector<double> lengths;
    detail::resize_in_steps(vectors, centroids.rows * x.cols);
    detail::resize_in_steps(lengths, centroids.rows);
    detail::Meter meter;
    for (std::size_t c = 0; c < centroids.rows; ++c) {
        meter.add(x.cols);
        float* copy = vectors.data() + c * x.cols;
        const float* values = row_f32(centroids, c, copy, isa);
        if (values != copy) {
            std::copy_n(values, x.cols, copy);
        }
        lengths[c] = detail::norm(kernel, copy, x.cols);
    }
    std::vector<double> norms_of_rows;
    detail::resize_in_steps(norms_of_rows, x.rows);
    norms(x, norms_of_rows, threads, interrupted);
    detail::fill_in_steps(labels, std::int64_t{-1});
    const auto keep_best = [&](std::size_t row, std::size_t centroid, double dot) {
        const float score = detail::cosine(dot, norms_of_rows[row], lengths[centroid]);
        if (labels[row] < 0 || score > scores[row]) {
            labels[row] = static_cast<std::int64_t>(centroid);
            scores[row] = score;
        }
    };
    detail::for_each_dot(detail::DotCall{x, vectors, centroids.rows, isa}, threads, interrupted,
                         keep_best);
}

}  // namespace gnomon
