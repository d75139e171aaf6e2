// 4 rows x 3 outputs: 12 sums of four lanes, 3 weights and a row fill the 16 registers.
#include "linear/affine_tile.hpp"
#include "score/score.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN
namespace {

constexpr std::size_t kOutputs = 3;
constexpr std::size_t kWidth = 4;
constexpr std::size_t kGroups = kLanes / kWidth;
constexpr std::size_t kSums = kTileRows * kOutputs;

// The sums of one lane group; sums_f64x4 is [row * kOutputs + output].
inline void add_group(const double* rows, const double* weights, std::size_t steps,
                      __m256d sums_f64x4[kSums]) noexcept {
    __m256d sum[kSums];
#pragma GCC unroll 12
    for (std::size_t s = 0; s < kSums; ++s) {
        sum[s] = _mm256_setzero_pd();
    }
    for (std::size_t step = 0; step < steps; ++step) {
        __m256d weight_f64x4[kOutputs];
#pragma GCC unroll 3
        for (std::size_t o = 0; o < kOutputs; ++o) {
            weight_f64x4[o] = _mm256_loadu_pd(weights + (step * kOutputs + o) * kWidth);
        }
#pragma GCC unroll 4
        for (std::size_t r = 0; r < kTileRows; ++r) {
            const __m256d row_f64x4 = _mm256_loadu_pd(rows + (step * kTileRows + r) * kWidth);
#pragma GCC unroll 3
            for (std::size_t o = 0; o < kOutputs; ++o) {
                sum[r * kOutputs + o] =
                    _mm256_fmadd_pd(row_f64x4, weight_f64x4[o], sum[r * kOutputs + o]);
            }
        }
    }
#pragma GCC unroll 12
    for (std::size_t s = 0; s < kSums; ++s) {
        sums_f64x4[s] = sum[s];
    }
}

// Lanes l and l + 2 of two vectors: the two sums of `a`, then those of `b`.
inline __m256d halve_4_to_2(__m256d a, __m256d b) noexcept {
    return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
}

// The sums of the lanes of four vectors, in their order.
inline __m256d reduce_4_vectors(const __m256d v[4]) noexcept {
    const __m256d v01 = halve_4_to_2(v[0], v[1]);
    const __m256d v23 = halve_4_to_2(v[2], v[3]);
    const __m256d v0213 = _mm256_add_pd(_mm256_unpacklo_pd(v01, v23), _mm256_unpackhi_pd(v01, v23));
    return _mm256_permute4x64_pd(v0213, 0xD8);
}

void affine_dots_avx2(const double* rows, const double* weights, std::size_t steps,
                      double* dots) noexcept {
    __m256d group_f64x4[kGroups][kSums];
    for (std::size_t g = 0; g < kGroups; ++g) {
        add_group(rows + g * steps * kTileRows * kWidth, weights + g * steps * kOutputs * kWidth,
                  steps, group_f64x4[g]);
    }
    for (std::size_t s = 0; s < kSums; s += kWidth) {
        __m256d lanes_f64x4[kWidth];
#pragma GCC unroll 4
        for (std::size_t i = 0; i < kWidth; ++i) {
            const __m256d l0 = _mm256_add_pd(group_f64x4[0][s + i], group_f64x4[4][s + i]);
            const __m256d l4 = _mm256_add_pd(group_f64x4[1][s + i], group_f64x4[5][s + i]);
            const __m256d l8 = _mm256_add_pd(group_f64x4[2][s + i], group_f64x4[6][s + i]);
            const __m256d l12 = _mm256_add_pd(group_f64x4[3][s + i], group_f64x4[7][s + i]);
            lanes_f64x4[i] = _mm256_add_pd(_mm256_add_pd(l0, l8), _mm256_add_pd(l4, l12));
        }
        _mm256_storeu_pd(dots + s, reduce_4_vectors(lanes_f64x4));
    }
}

}  // namespace
GNOMON_TARGET_END

constinit const AffineTile kAffineTileAvx2{kOutputs, kWidth, affine_dots_avx2};

}  // namespace gnomon::detail
#endif
