// float_dots.hpp in plain C++.
#include "cosine/float_dots.hpp"

#include <cmath>

namespace gnomon::detail {

namespace {

constexpr std::size_t kFloatLanes = 8;

float dot_scalar(const float* a, const float* b, std::size_t d) noexcept {
    float lanes[kFloatLanes] = {};
    std::size_t i = 0;
    for (; i + kFloatLanes <= d; i += kFloatLanes) {
        for (std::size_t lane = 0; lane < kFloatLanes; ++lane) {
            lanes[lane] += a[i + lane] * b[i + lane];
        }
    }
    for (std::size_t lane = 0; i < d; ++i, ++lane) {
        lanes[lane] += a[i] * b[i];
    }
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
           ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

void scan_scalar(const float* queries, std::size_t n_queries, const float* const* rows,
                 std::size_t n_rows, std::size_t d, float* dots, float* norms) noexcept {
    for (std::size_t r = 0; r < n_rows; ++r) {
        for (std::size_t q = 0; q < n_queries; ++q) {
            dots[q * n_rows + r] = dot_scalar(queries + q * d, rows[r], d);
        }
        norms[r] = std::sqrt(dot_scalar(rows[r], rows[r], d));
    }
}

}  // namespace

constinit const FloatDotKernel kFloatDotScalar{dot_scalar, scan_scalar};

}  // namespace gnomon::detail
