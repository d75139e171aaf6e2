// score.hpp on AVX2: eight registers of four float64 lanes for one dot; for four rows at a time the
// lanes are walked in four passes of eight, so that the sums stay in sixteen registers.
#include "score/kernels.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN
namespace {

inline __m256d load_f64x4(const float* p) noexcept { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }

// The last elements of a row, followed by zeros. Adding +0.0 never changes a lane that started at
// +0.0.
inline void pad_tail(const float* tail, std::size_t length, float padded[kLanes]) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i) {
        padded[i] = i < length ? tail[i] : 0.0F;
    }
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

inline void add_block(const float* a, const float* b, __m256d lanes[8]) noexcept {
#pragma GCC unroll 8
    for (unsigned group = 0; group < 8; ++group) {
        const unsigned i = 4U * group;
        lanes[group] = _mm256_fmadd_pd(load_f64x4(a + i), load_f64x4(b + i), lanes[group]);
    }
}

inline void add_squares(const float* a, __m256d lanes[8]) noexcept {
#pragma GCC unroll 8
    for (unsigned group = 0; group < 8; ++group) {
        const __m256d a_f64x4 = load_f64x4(a + std::size_t{4} * group);
        lanes[group] = _mm256_fmadd_pd(a_f64x4, a_f64x4, lanes[group]);
    }
}

inline void clear(__m256d lanes[8]) noexcept {
#pragma GCC unroll 8
    for (unsigned group = 0; group < 8; ++group) {
        lanes[group] = _mm256_setzero_pd();
    }
}

double dot_f32_avx2(const float* a, const float* b, std::size_t d) noexcept {
    __m256d lanes[8];
    clear(lanes);
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

double sum_of_squares_f32_avx2(const float* a, std::size_t d) noexcept {
    __m256d lanes[8];
    clear(lanes);
    const std::size_t whole = d - d % kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
        add_squares(a + i, lanes);
    }
    if (whole < d) {
        float tail[kLanes];
        pad_tail(a + whole, d - whole, tail);
        add_squares(tail, lanes);
    }
    return reduce_lanes(lanes);
}

// Adds the products of lanes [first, first + 8) of the block at the given pointers.
inline void add_eight_lanes(const float* query, const float* const rows[4], std::size_t i,
                            __m256d lanes[4][2]) noexcept {
    const __m256d low_f64x4 = load_f64x4(query + i);
    const __m256d high_f64x4 = load_f64x4(query + i + 4);
#pragma GCC unroll 4
    for (unsigned r = 0; r < 4; ++r) {
        lanes[r][0] = _mm256_fmadd_pd(low_f64x4, load_f64x4(rows[r] + i), lanes[r][0]);
        lanes[r][1] = _mm256_fmadd_pd(high_f64x4, load_f64x4(rows[r] + i + 4), lanes[r][1]);
    }
}

void dot4_f32_avx2(const float* query, const float* const rows[4], std::size_t d,
                   double out[4]) noexcept {
    const std::size_t whole = d - d % kLanes;
    float query_tail[kLanes];
    float row_tails[4][kLanes];
    const float* const tails[4] = {row_tails[0], row_tails[1], row_tails[2], row_tails[3]};
    if (whole < d) {
        pad_tail(query + whole, d - whole, query_tail);
        for (unsigned r = 0; r < 4; ++r) {
            pad_tail(rows[r] + whole, d - whole, row_tails[r]);
        }
    }
    __m256d quarters[4][4][2];  // [lanes from 0, 8, 16, 24][row][half]
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
        const std::size_t first = std::size_t{8} * quarter;
        __m256d lanes[4][2];
#pragma GCC unroll 4
        for (auto& row : lanes) {
            row[0] = row[1] = _mm256_setzero_pd();
        }
        for (std::size_t i = first; i < whole; i += kLanes) {
            add_eight_lanes(query, rows, i, lanes);
        }
        if (whole < d) {
            add_eight_lanes(query_tail, tails, first, lanes);
        }
#pragma GCC unroll 4
        for (unsigned r = 0; r < 4; ++r) {
            quarters[quarter][r][0] = lanes[r][0];
            quarters[quarter][r][1] = lanes[r][1];
        }
    }
    for (unsigned r = 0; r < 4; ++r) {
        __m256d halves[2];
        for (unsigned half = 0; half < 2; ++half) {
            const __m256d l0 = _mm256_add_pd(quarters[0][r][half], quarters[2][r][half]);
            const __m256d l8 = _mm256_add_pd(quarters[1][r][half], quarters[3][r][half]);
            halves[half] = _mm256_add_pd(l0, l8);
        }
        out[r] = reduce_f64x4(_mm256_add_pd(halves[0], halves[1]));
    }
}

}  // namespace
GNOMON_TARGET_END

constinit const ScoreKernel kScoreAvx2{dot_f32_avx2, sum_of_squares_f32_avx2, dot4_f32_avx2};

}  // namespace gnomon::detail
#endif
