// coding.hpp on arm64: 16 lanes are four registers.
#include "cosine/coding.hpp"

#if GNOMON_ARM64
#include <arm_neon.h>

#include <cstring>

#include "cosine/tiles.hpp"

namespace gnomon::detail {

namespace {

std::uint32_t largest_bits_neon(const float* x, std::size_t d) noexcept {
    const uint32x4_t magnitude = vdupq_n_u32(0x7FFFFFFFU);
    uint32x4_t largest_u32x4 = vdupq_n_u32(0);
    std::size_t i = 0;
    for (; i + 4 <= d; i += 4) {
        largest_u32x4 =
            vmaxq_u32(largest_u32x4, vandq_u32(magnitude, vreinterpretq_u32_f32(vld1q_f32(x + i))));
    }
    float tail[4] = {};
    std::memcpy(tail, x + i, (d - i) * sizeof(float));
    largest_u32x4 =
        vmaxq_u32(largest_u32x4, vandq_u32(magnitude, vreinterpretq_u32_f32(vld1q_f32(tail))));
    return vmaxvq_u32(largest_u32x4);
}

inline float fold(const float32x4_t lanes[4]) noexcept {
    const float32x4_t sum_f32x4 =
        vaddq_f32(vaddq_f32(lanes[0], lanes[2]), vaddq_f32(lanes[1], lanes[3]));
    const float32x2_t sum_f32x2 = vadd_f32(vget_low_f32(sum_f32x4), vget_high_f32(sum_f32x4));
    return vget_lane_f32(sum_f32x2, 0) + vget_lane_f32(sum_f32x2, 1);
}

// 16 values; the lanes of `values` and `residuals` are those of the definition.
inline void code_16(const float* x, float inverse, float step, float32x4_t values[4],
                    float32x4_t residuals[4], std::uint8_t* codes) noexcept {
    const float32x4_t shift_f32x4 = vdupq_n_f32(kCodingShift);
    uint16x4_t words[4];
    for (int part = 0; part < 4; ++part) {
        const float32x4_t x_f32x4 = vld1q_f32(x + 4 * part);
        const float32x4_t shifted_f32x4 = vfmaq_f32(shift_f32x4, x_f32x4, vdupq_n_f32(inverse));
        const float32x4_t code_f32x4 = vsubq_f32(shifted_f32x4, shift_f32x4);
        const float32x4_t residual_f32x4 = vfmsq_f32(x_f32x4, code_f32x4, vdupq_n_f32(step));
        values[part] = vfmaq_f32(values[part], x_f32x4, x_f32x4);
        residuals[part] = vfmaq_f32(residuals[part], residual_f32x4, residual_f32x4);
        words[part] = vmovn_u32(vreinterpretq_u32_f32(shifted_f32x4));
    }
    vst1q_u8(codes, vcombine_u8(vmovn_u16(vcombine_u16(words[0], words[1])),
                                vmovn_u16(vcombine_u16(words[2], words[3]))));
}

CodingSums code_row_neon(const float* x, std::size_t d, float inverse, float step,
                         const RowsAhead& ahead, std::uint8_t* codes) noexcept {
    CodingSums sums;
    sums.next_largest = ahead.next != nullptr ? largest_bits_neon(ahead.next, d) : 0;
    for (std::size_t begin = 0; begin < d; begin += kCodingRun) {
        const std::size_t end = d - begin < kCodingRun ? d : begin + kCodingRun;
        float32x4_t values[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
        float32x4_t residuals[4] = {values[0], values[0], values[0], values[0]};
        std::size_t i = begin;
        for (; i + kCodingLanes <= end; i += kCodingLanes) {
            code_16(x + i, inverse, step, values, residuals, codes + i);
        }
        if (i < end) {
            float tail[kCodingLanes] = {};
            std::uint8_t tail_codes[kCodingLanes];
            std::memcpy(tail, x + i, (end - i) * sizeof(float));
            code_16(tail, inverse, step, values, residuals, tail_codes);
            std::memcpy(codes + i, tail_codes, end - i);
        }
        sums.values += static_cast<double>(fold(values));
        sums.residuals += static_cast<double>(fold(residuals));
    }
    return sums;
}

void interleave_neon(const std::uint8_t* rows, std::size_t groups, std::uint8_t* tile) noexcept {
    const std::size_t row_bytes = groups * kGroupDims;
    for (std::size_t g = 0; g < groups; ++g) {
        for (std::size_t j = 0; j < kTileRows; ++j) {
            std::memcpy(tile + g * kTileGroupBytes + j * kGroupDims,
                        rows + j * row_bytes + g * kGroupDims, kGroupDims);
        }
    }
}

}  // namespace

constinit const CodingKernel kCodingNeon{largest_bits_neon, code_row_neon, interleave_neon};

}  // namespace gnomon::detail
#endif
