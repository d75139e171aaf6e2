// 4 rows x 6 outputs: 24 sums of eight lanes, 6 weights and a row fill the 32 registers.
#include "linear/affine_tile.hpp"
#include "score/score.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX512_BEGIN
namespace {

constexpr std::size_t kOutputs = 6;
constexpr std::size_t kWidth = 8;
constexpr std::size_t kGroups = kLanes / kWidth;
constexpr std::size_t kSums = kTileRows * kOutputs;

// The sums of one lane group; sums_f64x8 is [row * kOutputs + output].
inline void add_group(const double* rows, const double* weights, std::size_t steps,
                      __m512d sums_f64x8[kSums]) noexcept {
    __m512d sum[kSums];
#pragma GCC unroll 24
    for (std::size_t s = 0; s < kSums; ++s) {
        sum[s] = _mm512_setzero_pd();
    }
    for (std::size_t step = 0; step < steps; ++step) {
        __m512d weight_f64x8[kOutputs];
#pragma GCC unroll 6
        for (std::size_t o = 0; o < kOutputs; ++o) {
            weight_f64x8[o] = _mm512_loadu_pd(weights + (step * kOutputs + o) * kWidth);
        }
#pragma GCC unroll 4
        for (std::size_t r = 0; r < kTileRows; ++r) {
            const __m512d row_f64x8 = _mm512_loadu_pd(rows + (step * kTileRows + r) * kWidth);
#pragma GCC unroll 6
            for (std::size_t o = 0; o < kOutputs; ++o) {
                sum[r * kOutputs + o] =
                    _mm512_fmadd_pd(row_f64x8, weight_f64x8[o], sum[r * kOutputs + o]);
            }
        }
    }
#pragma GCC unroll 24
    for (std::size_t s = 0; s < kSums; ++s) {
        sums_f64x8[s] = sum[s];
    }
}

// Lanes l and l + 4 of two vectors: the four sums of `a`, then those of `b`.
inline __m512d halve_8_to_4(__m512d a, __m512d b) noexcept {
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xEE));
}

// Lanes l and l + 2 of the four sums in each half of `a` and of `b`.
inline __m512d halve_4_to_2(__m512d a, __m512d b) noexcept {
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xDD));
}

// The sums of the lanes of eight vectors, in their order.
inline __m512d reduce_8_vectors(const __m512d v[8]) noexcept {
    const __m512d v0123 = halve_4_to_2(halve_8_to_4(v[0], v[1]), halve_8_to_4(v[2], v[3]));
    const __m512d v4567 = halve_4_to_2(halve_8_to_4(v[4], v[5]), halve_8_to_4(v[6], v[7]));
    const __m512d v04152637 =
        _mm512_add_pd(_mm512_unpacklo_pd(v0123, v4567), _mm512_unpackhi_pd(v0123, v4567));
    const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
    return _mm512_permutexvar_pd(order, v04152637);
}

void affine_dots_avx512(const double* rows, const double* weights, std::size_t steps,
                        double* dots) noexcept {
    __m512d group_f64x8[kGroups][kSums];
    for (std::size_t g = 0; g < kGroups; ++g) {
        add_group(rows + g * steps * kTileRows * kWidth, weights + g * steps * kOutputs * kWidth,
                  steps, group_f64x8[g]);
    }
    for (std::size_t s = 0; s < kSums; s += kWidth) {
        __m512d lanes_f64x8[kWidth];
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kWidth; ++i) {
            const __m512d l0 = _mm512_add_pd(group_f64x8[0][s + i], group_f64x8[2][s + i]);
            const __m512d l8 = _mm512_add_pd(group_f64x8[1][s + i], group_f64x8[3][s + i]);
            lanes_f64x8[i] = _mm512_add_pd(l0, l8);
        }
        _mm512_storeu_pd(dots + s, reduce_8_vectors(lanes_f64x8));
    }
}

}  // namespace
GNOMON_TARGET_END

constinit const AffineTile kAffineTileAvx512{kOutputs, kWidth, affine_dots_avx512};

}  // namespace gnomon::detail
#endif
