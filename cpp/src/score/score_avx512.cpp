// score.hpp on AVX-512: four registers of eight float64 lanes.
#include "score/kernels.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX512_BEGIN
namespace {

// Eight floats from position `group` * 8 of a block, those outside `mask` as zeros.
inline __m512d load_f64x8(const float* block, unsigned group, unsigned mask) noexcept {
    const auto group_mask = static_cast<__mmask8>(mask >> (8U * group));
    return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(group_mask, block + 8U * group));
}

inline __m512d load_f64x8(const float* block, unsigned group) noexcept {
    return _mm512_cvtps_pd(_mm256_loadu_ps(block + 8U * group));
}

inline double reduce_lanes(__m512d l0, __m512d l8, __m512d l16, __m512d l24) noexcept {
    const __m512d sum_f64x8 = _mm512_add_pd(_mm512_add_pd(l0, l16), _mm512_add_pd(l8, l24));
    const __m256d sum_f64x4 =
        _mm256_add_pd(_mm512_castpd512_pd256(sum_f64x8), _mm512_extractf64x4_pd(sum_f64x8, 1));
    const __m128d sum_f64x2 =
        _mm_add_pd(_mm256_castpd256_pd128(sum_f64x4), _mm256_extractf128_pd(sum_f64x4, 1));
    return _mm_cvtsd_f64(_mm_add_sd(sum_f64x2, _mm_unpackhi_pd(sum_f64x2, sum_f64x2)));
}

double dot_f32_avx512(const float* a, const float* b, std::size_t d) noexcept {
    __m512d l0 = _mm512_setzero_pd();
    __m512d l8 = l0;
    __m512d l16 = l0;
    __m512d l24 = l0;
    const std::size_t whole = d - d % kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
        l0 = _mm512_fmadd_pd(load_f64x8(a + i, 0), load_f64x8(b + i, 0), l0);
        l8 = _mm512_fmadd_pd(load_f64x8(a + i, 1), load_f64x8(b + i, 1), l8);
        l16 = _mm512_fmadd_pd(load_f64x8(a + i, 2), load_f64x8(b + i, 2), l16);
        l24 = _mm512_fmadd_pd(load_f64x8(a + i, 3), load_f64x8(b + i, 3), l24);
    }
    if (whole < d) {  // adding +0.0 to a lane never changes it: a lane that starts at +0.0 is never -0.0
        const unsigned mask = (1U << (d - whole)) - 1U;
        const float* x = a + whole;
        const float* y = b + whole;
        l0 = _mm512_fmadd_pd(load_f64x8(x, 0, mask), load_f64x8(y, 0, mask), l0);
        l8 = _mm512_fmadd_pd(load_f64x8(x, 1, mask), load_f64x8(y, 1, mask), l8);
        l16 = _mm512_fmadd_pd(load_f64x8(x, 2, mask), load_f64x8(y, 2, mask), l16);
        l24 = _mm512_fmadd_pd(load_f64x8(x, 3, mask), load_f64x8(y, 3, mask), l24);
    }
    return reduce_lanes(l0, l8, l16, l24);
}

void dot4_f32_avx512(const float* query, const float* const rows[4], std::size_t d, double out[4]) noexcept {
    __m512d lanes_f64x8[4][4];  // [row][group]
#pragma GCC unroll 4
    for (auto& row : lanes_f64x8) {
        row[0] = row[1] = row[2] = row[3] = _mm512_setzero_pd();
    }
    const std::size_t whole = d - d % kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
#pragma GCC unroll 4
        for (unsigned group = 0; group < 4; ++group) {
            const __m512d query_f64x8 = load_f64x8(query + i, group);
#pragma GCC unroll 4
            for (unsigned r = 0; r < 4; ++r) {
                lanes_f64x8[r][group] =
                    _mm512_fmadd_pd(query_f64x8, load_f64x8(rows[r] + i, group), lanes_f64x8[r][group]);
            }
        }
    }
    if (whole < d) {
        const unsigned mask = (1U << (d - whole)) - 1U;
#pragma GCC unroll 4
        for (unsigned group = 0; group < 4; ++group) {
            const __m512d query_f64x8 = load_f64x8(query + whole, group, mask);
#pragma GCC unroll 4
            for (unsigned r = 0; r < 4; ++r) {
                lanes_f64x8[r][group] = _mm512_fmadd_pd(
                    query_f64x8, load_f64x8(rows[r] + whole, group, mask), lanes_f64x8[r][group]);
            }
        }
    }
#pragma GCC unroll 4
    for (unsigned r = 0; r < 4; ++r) {
        const auto& row = lanes_f64x8[r];
        out[r] = reduce_lanes(row[0], row[1], row[2], row[3]);
    }
}

}  // namespace
GNOMON_TARGET_END

constinit const ScoreKernel kScoreAvx512{dot_f32_avx512, dot4_f32_avx512};

}  // namespace gnomon::detail
#endif
