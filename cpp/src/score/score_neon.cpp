// score.hpp on arm64: sixteen registers of two float64 lanes.
#include "score/kernels.hpp"

#if GNOMON_ARM64
#include <arm_neon.h>

namespace gnomon::detail {

namespace {

inline void add_block(const float* a, const float* b, float64x2_t lanes[16]) noexcept {
#pragma GCC unroll 8
    for (unsigned group = 0; group < 8; ++group) {
        const float32x4_t a_f32x4 = vld1q_f32(a + 4U * group);
        const float32x4_t b_f32x4 = vld1q_f32(b + 4U * group);
        lanes[2 * group] = vfmaq_f64(lanes[2 * group], vcvt_f64_f32(vget_low_f32(a_f32x4)),
                                     vcvt_f64_f32(vget_low_f32(b_f32x4)));
        lanes[2 * group + 1] =
            vfmaq_f64(lanes[2 * group + 1], vcvt_high_f64_f32(a_f32x4), vcvt_high_f64_f32(b_f32x4));
    }
}

inline double reduce_lanes(float64x2_t lanes[16]) noexcept {
#pragma GCC unroll 4
    for (unsigned half = 8; half > 0; half /= 2) {
#pragma GCC unroll 8
        for (unsigned pair = 0; pair < half; ++pair) {
            lanes[pair] = vaddq_f64(lanes[pair], lanes[pair + half]);
        }
    }
    return vgetq_lane_f64(lanes[0], 0) + vgetq_lane_f64(lanes[0], 1);
}

// Adding +0.0 never changes a lane that started at +0.0.
inline void pad_tail(const float* tail, std::size_t length, float padded[kLanes]) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i) {
        padded[i] = i < length ? tail[i] : 0.0F;
    }
}

double dot_f32_neon(const float* a, const float* b, std::size_t d) noexcept {
    float64x2_t lanes[16];
    for (float64x2_t& lane : lanes) {
        lane = vdupq_n_f64(0.0);
    }
    const std::size_t whole = d - d % kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
        add_block(a + i, b + i, lanes);
    }
    if (whole < d) {
        float a_tail[kLanes];
        float b_tail[kLanes];
        pad_tail(a + whole, d - whole, a_tail);
        pad_tail(b + whole, d - whole, b_tail);
        add_block(a_tail, b_tail, lanes);
    }
    return reduce_lanes(lanes);
}

double sum_of_squares_f32_neon(const float* a, std::size_t d) noexcept {
    return dot_f32_neon(a, a, d);
}

void dot4_f32_neon(const float* query, const float* const rows[4], std::size_t d,
                   double out[4]) noexcept {
    for (unsigned r = 0; r < 4; ++r) {
        out[r] = dot_f32_neon(query, rows[r], d);
    }
}

}  // namespace

constinit const ScoreKernel kScoreNeon{dot_f32_neon, sum_of_squares_f32_neon, dot4_f32_neon};

}  // namespace gnomon::detail
#endif
