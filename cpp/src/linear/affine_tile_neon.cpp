// 4 rows x 6 outputs: 24 sums of two lanes, 6 weights and a row fill the 32 registers.
#include "linear/affine_tile.hpp"
#include "score/score.hpp"

#if GNOMON_ARM64
#include <arm_neon.h>

namespace gnomon::detail {

namespace {

constexpr std::size_t kOutputs = 6;
constexpr std::size_t kWidth = 2;
constexpr std::size_t kGroups = kLanes / kWidth;
constexpr std::size_t kSums = kTileRows * kOutputs;

// The sums of one lane group; sums_f64x2 is [row * kOutputs + output].
inline void add_group(const double* rows, const double* weights, std::size_t steps,
                      float64x2_t sums_f64x2[kSums]) noexcept {
    float64x2_t sum[kSums];
#pragma GCC unroll 24
    for (std::size_t s = 0; s < kSums; ++s) {
        sum[s] = vdupq_n_f64(0.0);
    }
    for (std::size_t step = 0; step < steps; ++step) {
        float64x2_t weight_f64x2[kOutputs];
#pragma GCC unroll 6
        for (std::size_t o = 0; o < kOutputs; ++o) {
            weight_f64x2[o] = vld1q_f64(weights + (step * kOutputs + o) * kWidth);
        }
#pragma GCC unroll 4
        for (std::size_t r = 0; r < kTileRows; ++r) {
            const float64x2_t row_f64x2 = vld1q_f64(rows + (step * kTileRows + r) * kWidth);
#pragma GCC unroll 6
            for (std::size_t o = 0; o < kOutputs; ++o) {
                sum[r * kOutputs + o] =
                    vfmaq_f64(sum[r * kOutputs + o], row_f64x2, weight_f64x2[o]);
            }
        }
    }
#pragma GCC unroll 24
    for (std::size_t s = 0; s < kSums; ++s) {
        sums_f64x2[s] = sum[s];
    }
}

void affine_dots_neon(const double* rows, const double* weights, std::size_t steps,
                      double* dots) noexcept {
    float64x2_t group_f64x2[kGroups][kSums];
    for (std::size_t g = 0; g < kGroups; ++g) {
        add_group(rows + g * steps * kTileRows * kWidth, weights + g * steps * kOutputs * kWidth,
                  steps, group_f64x2[g]);
    }
    for (std::size_t half = kGroups / 2; half > 0; half /= 2) {
        for (std::size_t g = 0; g < half; ++g) {
            for (std::size_t s = 0; s < kSums; ++s) {
                group_f64x2[g][s] = vaddq_f64(group_f64x2[g][s], group_f64x2[g + half][s]);
            }
        }
    }
    for (std::size_t s = 0; s < kSums; ++s) {
        dots[s] = vgetq_lane_f64(group_f64x2[0][s], 0) + vgetq_lane_f64(group_f64x2[0][s], 1);
    }
}

}  // namespace

constinit const AffineTile kAffineTileNeon{kOutputs, kWidth, affine_dots_neon};

}  // namespace gnomon::detail
#endif
