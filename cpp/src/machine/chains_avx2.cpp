// 12 chains of 8 floats, and 12 of the pairs of pmaddwd with their addition: two units, at most
// five cycles of latency.
#include "machine/chains.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN
namespace {

constexpr std::size_t kChains = 12;
constexpr std::size_t kFloatLanes = 8;
constexpr std::size_t kWordLanes = 16;

// As an __m256i, GCC 12 keeps half of the sums in memory.
using i32x8 = int __attribute__((vector_size(32)));

std::uint64_t float32_avx2(std::size_t steps) noexcept {
    __m256 sum_f32x8[kChains];
    const __m256 factor_f32x8 = _mm256_set1_ps(opaque(0.5F));
    const __m256 term_f32x8 = _mm256_set1_ps(opaque(1.0F));
#pragma GCC unroll 12
    for (std::size_t c = 0; c < kChains; ++c) {
        sum_f32x8[c] = _mm256_set1_ps(static_cast<float>(c));
    }
    for (std::size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 12
        for (std::size_t c = 0; c < kChains; ++c) {
            sum_f32x8[c] = _mm256_fmadd_ps(sum_f32x8[c], factor_f32x8, term_f32x8);
        }
    }
    __m256 total_f32x8 = _mm256_setzero_ps();
#pragma GCC unroll 12
    for (std::size_t c = 0; c < kChains; ++c) {
        total_f32x8 = _mm256_add_ps(total_f32x8, sum_f32x8[c]);
    }
    return static_cast<std::uint64_t>(_mm256_cvtss_f32(total_f32x8));
}

std::uint64_t int8_avx2(std::size_t steps) noexcept {
    i32x8 sum_i32x8[kChains];
    __m256i left_i16x16 = _mm256_set1_epi16(opaque(std::int16_t{3}));
    const __m256i right_i16x16 = _mm256_set1_epi16(opaque(std::int16_t{5}));
#pragma GCC unroll 12
    for (std::size_t c = 0; c < kChains; ++c) {
        sum_i32x8[c] = (i32x8)_mm256_set1_epi32(opaque(static_cast<int>(c)));
    }
    for (std::size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 12
        for (std::size_t c = 0; c < kChains; ++c) {
            __asm__("" : "+x"(left_i16x16));  // or the product would be formed only once
            sum_i32x8[c] += (i32x8)_mm256_madd_epi16(left_i16x16, right_i16x16);
        }
    }
    i32x8 total_i32x8 = {};
#pragma GCC unroll 12
    for (std::size_t c = 0; c < kChains; ++c) {
        total_i32x8 += sum_i32x8[c];
    }
    return static_cast<std::uint32_t>(total_i32x8[0]);
}

}  // namespace
GNOMON_TARGET_END

constinit const Chains kChainsAvx2{{kChains * kFloatLanes, float32_avx2},
                                   {kChains * kWordLanes, int8_avx2}};

}  // namespace gnomon::detail
#endif
