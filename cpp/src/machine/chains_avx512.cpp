// 24 chains of 16 floats, and of the 64 bytes of vpdpbusd.
#include "machine/chains.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX512_BEGIN
namespace {

constexpr std::size_t kChains = 24;
constexpr std::size_t kFloatLanes = 16;
constexpr std::size_t kByteLanes = 64;

// As an __m512i, GCC 12 keeps half of the sums in memory.
using i32x16 = int __attribute__((vector_size(64)));

std::uint64_t float32_avx512(std::size_t steps) noexcept {
    __m512 sum_f32x16[kChains];
    const __m512 factor_f32x16 = _mm512_set1_ps(opaque(0.5F));
    const __m512 term_f32x16 = _mm512_set1_ps(opaque(1.0F));
#pragma GCC unroll 24
    for (std::size_t c = 0; c < kChains; ++c) {
        sum_f32x16[c] = _mm512_set1_ps(static_cast<float>(c));
    }
    for (std::size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 24
        for (std::size_t c = 0; c < kChains; ++c) {
            sum_f32x16[c] = _mm512_fmadd_ps(sum_f32x16[c], factor_f32x16, term_f32x16);
        }
    }
    __m512 total_f32x16 = _mm512_setzero_ps();
#pragma GCC unroll 24
    for (std::size_t c = 0; c < kChains; ++c) {
        total_f32x16 = _mm512_add_ps(total_f32x16, sum_f32x16[c]);
    }
    return static_cast<std::uint64_t>(_mm512_cvtss_f32(total_f32x16));
}

std::uint64_t int8_avx512(std::size_t steps) noexcept {
    i32x16 sum_i32x16[kChains];
    const __m512i left_u8x64 = _mm512_set1_epi8(opaque(std::int8_t{3}));
    const __m512i right_i8x64 = _mm512_set1_epi8(opaque(std::int8_t{5}));
#pragma GCC unroll 24
    for (std::size_t c = 0; c < kChains; ++c) {
        sum_i32x16[c] = (i32x16)_mm512_set1_epi32(opaque(static_cast<int>(c)));
    }
    for (std::size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 24
        for (std::size_t c = 0; c < kChains; ++c) {
            sum_i32x16[c] =
                (i32x16)_mm512_dpbusd_epi32((__m512i)sum_i32x16[c], left_u8x64, right_i8x64);
        }
    }
    i32x16 total_i32x16 = {};
#pragma GCC unroll 24
    for (std::size_t c = 0; c < kChains; ++c) {
        total_i32x16 += sum_i32x16[c];
    }
    return static_cast<std::uint32_t>(total_i32x16[0]);
}

}  // namespace
GNOMON_TARGET_END

constinit const Chains kChainsAvx512{{kChains * kFloatLanes, float32_avx512},
                                     {kChains * kByteLanes, int8_avx512}};

}  // namespace gnomon::detail
#endif
