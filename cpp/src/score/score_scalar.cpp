// The executable definition of score.hpp: every other file must give these bits.
#include "score/kernels.hpp"

namespace gnomon::detail {

namespace {

double reduce_lanes(double lanes[kLanes]) noexcept {
    for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            lanes[lane] += lanes[lane + half];
        }
    }
    return lanes[0];
}

double dot_f32_scalar(const float* a, const float* b, std::size_t d) noexcept {
    double lanes[kLanes] = {};
    const std::size_t whole = d - d % kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            lanes[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
        }
    }
    for (std::size_t i = whole; i < d; ++i) {
        lanes[i - whole] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    return reduce_lanes(lanes);
}

double sum_of_squares_f32_scalar(const float* a, std::size_t d) noexcept {
    return dot_f32_scalar(a, a, d);
}

void dot4_f32_scalar(const float* query, const float* const rows[4], std::size_t d,
                     double out[4]) noexcept {
    for (std::size_t r = 0; r < 4; ++r) {
        out[r] = dot_f32_scalar(query, rows[r], d);
    }
}

}  // namespace

constinit const ScoreKernel kScoreScalar{dot_f32_scalar, sum_of_squares_f32_scalar,
                                         dot4_f32_scalar};

}  // namespace gnomon::detail
