// Linear kernels over the rows of a matrix: norms, normalisation, affine maps, cosines of given
// pairs, nearest centroids, sums by group.
//
// Arithmetic: rows are taken as float32 (see MatrixView and the README); every dot is the float64
// lane sum of score/score.hpp. Results are the same bits on every instruction set and at any thread
// count. Inputs are never written to; outputs are row-major and must have the stated length
// (std::invalid_argument otherwise). Rows that aren't finite are the caller's to refuse:
// first_nonfinite_row finds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "gnomon/matrix.hpp"
#include "gnomon/threads.hpp"

namespace gnomon {

// The first row that holds NaN or infinity, or a float64 that rounds to infinity in float32. O(rows
// * cols).
std::optional<std::size_t> first_nonfinite_row(const MatrixView& x, int threads,
                                               const Interrupted& interrupted);

// out[i] = sqrt(x_i . x_i) in float64.
void norms(const MatrixView& x, std::span<double> out, int threads, const Interrupted& interrupted);

// out_i = x_i / |x_i|, each quotient computed in float64 and rounded once. A row of zeros stays
// zero.
void normalize(const MatrixView& x, std::span<float> out, int threads,
               const Interrupted& interrupted);

// out_i = W x_i + b: each output is the lane dot of a row of W with x_i, plus the bias, in float64,
// rounded once. `weights` is d_out * x.cols, row-major; `bias` is d_out long or empty (no bias). A
// result beyond float32's range is infinite. Extra memory: W in float64, and some 256 KiB a thread.
void affine_map(const MatrixView& x, std::span<const float> weights, std::span<const float> bias,
                std::size_t d_out, std::span<float> out, int threads,
                const Interrupted& interrupted);

// An affine map: `weights` is d_out rows, row-major; `bias` is d_out long or empty.
struct AffineWeights {
    std::span<const float> weights;
    std::span<const float> bias;
    std::size_t d_out;
};

// The maps one after the other on x_i / |x_i|, the last image at unit length: the bits of
// normalize, affine_map for each map, and normalize. A row of zeros has no direction and gives
// zeros, whatever the biases. There must be a map. Returns the lowest row that isn't finite, if
// any; `out` then holds nothing.
std::optional<std::size_t> map_directions(const MatrixView& x, std::span<const AffineWeights> maps,
                                          std::span<float> out, int threads,
                                          const Interrupted& interrupted);

// labels[i] = the centroid with the greatest cosine to x_i, the lowest of equals; scores[i] = that
// cosine, as a top-k gives it. For few centroids: the work is x.rows * centroids.rows dots. Without
// centroids every label is -1.
void nearest(const MatrixView& x, const MatrixView& centroids, std::span<std::int64_t> labels,
             std::span<float> scores, int threads, const Interrupted& interrupted);

// out[p] = cosine(query q, document ids[p]) for p in [offsets[q], offsets[q + 1]). `offsets` has
// queries.rows + 1 entries that start at 0 and never fall. An id outside [0, docs.rows) is
// std::invalid_argument. Returns the lowest row among the ids that isn't finite, if any: only rows
// that are scored are looked at.
std::optional<std::size_t> pair_scores(const MatrixView& queries, const MatrixView& docs,
                                       std::span<const std::int64_t> ids,
                                       std::span<const std::int64_t> offsets, std::span<float> out,
                                       int threads, const Interrupted& interrupted);

// sums[g] = the sum, in float64 and in row order, of the rows whose label is g; counts[g] = how
// many there are. A label outside [0, counts.size()) is std::invalid_argument.
void group_sums(const MatrixView& x, std::span<const std::int64_t> labels, std::span<double> sums,
                std::span<std::int64_t> counts, int threads, const Interrupted& interrupted);

}  // namespace gnomon
