// score.hpp on AVX-512, in registers of four float64 lanes: Zen 4 widens four floats in one step
// and eight in several, so that the narrow registers, of which there are 32, are half again as fast
// here.
#include "score/kernels.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX512_BEGIN
namespace {

constexpr unsigned kAll = 0xFFFFFFFFU;

// The elements of a block that exist when `length` of them are left.
inline unsigned tail_mask(std::size_t length) noexcept { return (1U << length) - 1U; }

// Floats [4 * group, 4 * group + 4) of a block; those outside the mask are zeros and not read.
// Adding +0.0 never changes a lane that started at +0.0.
inline __m256d load_f64x4(const float* block, unsigned group, unsigned mask) noexcept {
    if (mask == kAll) {
        return _mm256_cvtps_pd(_mm_loadu_ps(block + std::size_t{4} * group));
    }
    const auto group_mask = static_cast<__mmask8>((mask >> (4U * group)) & 0xFU);
    return _mm256_cvtps_pd(_mm_maskz_loadu_ps(group_mask, block + std::size_t{4} * group));
}

// From lanes l and l + 4 already added: 4 -> 2 -> 1.
inline double reduce_f64x4(__m256d sum_f64x4) noexcept {
    const __m128d sum_f64x2 =
        _mm_add_pd(_mm256_castpd256_pd128(sum_f64x4), _mm256_extractf128_pd(sum_f64x4, 1));
    return _mm_cvtsd_f64(_mm_add_sd(sum_f64x2, _mm_unpackhi_pd(sum_f64x2, sum_f64x2)));
}

inline double reduce_lanes(const __m256d lanes[8]) noexcept {
    const __m256d l0 = _mm256_add_pd(lanes[0], lanes[4]);
    const __m256d l4 = _mm256_add_pd(lanes[1], lanes[5]);
    const __m256d l8 = _mm256_add_pd(lanes[2], lanes[6]);
    const __m256d l12 = _mm256_add_pd(lanes[3], lanes[7]);
    return reduce_f64x4(_mm256_add_pd(_mm256_add_pd(l0, l8), _mm256_add_pd(l4, l12)));
}

inline void add_products(const float* a, const float* b, unsigned mask, __m256d lanes[8]) noexcept {
#pragma GCC unroll 8
    for (unsigned group = 0; group < 8; ++group) {
        lanes[group] =
            _mm256_fmadd_pd(load_f64x4(a, group, mask), load_f64x4(b, group, mask), lanes[group]);
    }
}

inline void add_squares(const float* a, unsigned mask, __m256d lanes[8]) noexcept {
#pragma GCC unroll 8
    for (unsigned group = 0; group < 8; ++group) {
        const __m256d a_f64x4 = load_f64x4(a, group, mask);
        lanes[group] = _mm256_fmadd_pd(a_f64x4, a_f64x4, lanes[group]);
    }
}

inline void clear(__m256d lanes[8]) noexcept {
#pragma GCC unroll 8
    for (unsigned group = 0; group < 8; ++group) {
        lanes[group] = _mm256_setzero_pd();
    }
}

double dot_f32_avx512(const float* a, const float* b, std::size_t d) noexcept {
    __m256d lanes[8];
    clear(lanes);
    const std::size_t whole = d - d % kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
        add_products(a + i, b + i, kAll, lanes);
    }
    if (whole < d) {
        add_products(a + whole, b + whole, tail_mask(d - whole), lanes);
    }
    return reduce_lanes(lanes);
}

double sum_of_squares_f32_avx512(const float* a, std::size_t d) noexcept {
    __m256d lanes[8];
    clear(lanes);
    const std::size_t whole = d - d % kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
        add_squares(a + i, kAll, lanes);
    }
    if (whole < d) {
        add_squares(a + whole, tail_mask(d - whole), lanes);
    }
    return reduce_lanes(lanes);
}

// Adds sixteen lanes of one block, four registers from `first_group` on, for four rows.
inline void add_products4(const float* query, const float* const rows[4], std::size_t i,
                          unsigned first_group, unsigned mask, __m256d lanes[4][4]) noexcept {
#pragma GCC unroll 4
    for (unsigned g = 0; g < 4; ++g) {
        const __m256d query_f64x4 = load_f64x4(query + i, first_group + g, mask);
#pragma GCC unroll 4
        for (unsigned r = 0; r < 4; ++r) {
            lanes[r][g] = _mm256_fmadd_pd(
                query_f64x4, load_f64x4(rows[r] + i, first_group + g, mask), lanes[r][g]);
        }
    }
}

// The sums of sixteen lanes of four rows: the other sixteen take a second walk over rows that are
// in cache by then.
inline void half_lanes(const float* query, const float* const rows[4], std::size_t d,
                       unsigned first_group, __m256d out[4][4]) noexcept {
    __m256d lanes[4][4];
#pragma GCC unroll 4
    for (unsigned r = 0; r < 4; ++r) {
        lanes[r][0] = lanes[r][1] = lanes[r][2] = lanes[r][3] = _mm256_setzero_pd();
    }
    const std::size_t whole = d - d % kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
        add_products4(query, rows, i, first_group, kAll, lanes);
    }
    if (whole < d) {
        add_products4(query, rows, whole, first_group, tail_mask(d - whole), lanes);
    }
#pragma GCC unroll 4
    for (unsigned r = 0; r < 4; ++r) {
#pragma GCC unroll 4
        for (unsigned g = 0; g < 4; ++g) {
            out[r][g] = lanes[r][g];
        }
    }
}

void dot4_f32_avx512(const float* query, const float* const rows[4], std::size_t d,
                     double out[4]) noexcept {
    __m256d low[4][4];
    __m256d high[4][4];
    half_lanes(query, rows, d, 0, low);
    half_lanes(query, rows, d, 4, high);
    for (unsigned r = 0; r < 4; ++r) {
        const __m256d lanes[8] = {low[r][0],  low[r][1],  low[r][2],  low[r][3],
                                  high[r][0], high[r][1], high[r][2], high[r][3]};
        out[r] = reduce_lanes(lanes);
    }
}

}  // namespace
GNOMON_TARGET_END

constinit const ScoreKernel kScoreAvx512{dot_f32_avx512, sum_of_squares_f32_avx512,
                                         dot4_f32_avx512};

}  // namespace gnomon::detail
#endif
