// 24 chains of 4 floats, and of the 16 bytes of sdot.
#include "machine/chains.hpp"

#if GNOMON_ARM64
#include <arm_neon.h>

namespace gnomon::detail {

namespace {

#define GNOMON_DOTPROD __attribute__((target("arch=armv8.2-a+dotprod")))

constexpr std::size_t kChains = 24;
constexpr std::size_t kFloatLanes = 4;
constexpr std::size_t kByteLanes = 16;

std::uint64_t float32_neon(std::size_t steps) noexcept {
    float32x4_t sum_f32x4[kChains];
    const float32x4_t factor_f32x4 = vdupq_n_f32(opaque(0.5F));
    const float32x4_t term_f32x4 = vdupq_n_f32(opaque(0.0625F));
#pragma GCC unroll 24
    for (std::size_t c = 0; c < kChains; ++c) {
        sum_f32x4[c] = vdupq_n_f32(static_cast<float>(c));
    }
    for (std::size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 24
        for (std::size_t c = 0; c < kChains; ++c) {
            sum_f32x4[c] = vfmaq_f32(sum_f32x4[c], factor_f32x4, term_f32x4);
        }
    }
    float32x4_t total_f32x4 = vdupq_n_f32(0.0F);
#pragma GCC unroll 24
    for (std::size_t c = 0; c < kChains; ++c) {
        total_f32x4 = vaddq_f32(total_f32x4, sum_f32x4[c]);
    }
    return static_cast<std::uint64_t>(vgetq_lane_f32(total_f32x4, 0));
}

GNOMON_DOTPROD std::uint64_t int8_neon(std::size_t steps) noexcept {
    int32x4_t sum_i32x4[kChains];
    const int8x16_t left_i8x16 = vdupq_n_s8(opaque(std::int8_t{3}));
    const int8x16_t right_i8x16 = vdupq_n_s8(opaque(std::int8_t{5}));
#pragma GCC unroll 24
    for (std::size_t c = 0; c < kChains; ++c) {
        sum_i32x4[c] = vdupq_n_s32(static_cast<int>(c));
    }
    for (std::size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 24
        for (std::size_t c = 0; c < kChains; ++c) {
            sum_i32x4[c] = vdotq_s32(sum_i32x4[c], left_i8x16, right_i8x16);
        }
    }
    int32x4_t total_i32x4 = vdupq_n_s32(0);
#pragma GCC unroll 24
    for (std::size_t c = 0; c < kChains; ++c) {
        total_i32x4 = vaddq_s32(total_i32x4, sum_i32x4[c]);
    }
    return static_cast<std::uint32_t>(vgetq_lane_s32(total_i32x4, 0));
}

}  // namespace

constinit const Chains kChainsNeon{{kChains * kFloatLanes, float32_neon},
                                   {kChains * kByteLanes, int8_neon}};

}  // namespace gnomon::detail
#endif
