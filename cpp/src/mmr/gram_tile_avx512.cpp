// gram_tile.hpp on AVX-512: sixteen sums of eight lanes, four rows and one other in registers.
#include "mmr/gram_tile.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX512_BEGIN
namespace {

constexpr std::size_t kWidth = 8;
constexpr std::size_t kGroups = kLanes / kWidth;
constexpr std::size_t kSums = kGramRows * kGramRows;

// Two halves: Zen 4 widens eight values at once in several steps.
inline void widen(const float* row, double* target) noexcept {
    _mm256_storeu_pd(target, _mm256_cvtps_pd(_mm_loadu_ps(row)));
    _mm256_storeu_pd(target + 4, _mm256_cvtps_pd(_mm_loadu_ps(row + 4)));
}

void pack_avx512(const float* row, std::size_t d, std::size_t member, double* tile) noexcept {
    const std::size_t group_size = gram_steps(d) * kGramRows * kWidth;
    double* target = tile + member * kWidth;
    std::size_t first = 0;
    for (; first + kLanes <= d; first += kLanes, target += kGramRows * kWidth) {
#pragma GCC unroll 4
        for (std::size_t group = 0; group < kGroups; ++group) {
            widen(row + first + group * kWidth, target + group * group_size);
        }
    }
    if (first == d) {
        return;
    }
    for (std::size_t group = 0; group < kGroups; ++group, first += kWidth) {
        const std::size_t left = first < d ? d - first : 0;
        const auto mask = static_cast<__mmask8>(left < kWidth ? (1U << left) - 1U : 0xFFU);
        _mm512_storeu_pd(target + group * group_size,
                         _mm512_cvtps_pd(_mm256_maskz_loadu_ps(mask, row + first)));
    }
}

struct Sums {
    __m512d f64x8[kSums];
};

// The sums of one lane group. Within one tile the sums below the diagonal aren't needed: they are
// those of their mirror images.
template <bool kWithin>
__attribute__((always_inline)) inline Sums sums_of_group(const double* a, const double* b,
                                                         std::size_t steps) noexcept {
    Sums sums;
#pragma GCC unroll 16
    for (std::size_t s = 0; s < kSums; ++s) {
        sums.f64x8[s] = _mm512_setzero_pd();
    }
    for (std::size_t step = 0; step < steps;
         ++step, a += kGramRows * kWidth, b += kGramRows * kWidth) {
        __m512d b_f64x8[kGramRows];
#pragma GCC unroll 4
        for (std::size_t c = 0; c < kGramRows; ++c) {
            b_f64x8[c] = _mm512_loadu_pd(b + c * kWidth);
        }
#pragma GCC unroll 4
        for (std::size_t r = 0; r < kGramRows; ++r) {
            const __m512d a_f64x8 = kWithin ? b_f64x8[r] : _mm512_loadu_pd(a + r * kWidth);
#pragma GCC unroll 4
            for (std::size_t c = kWithin ? r : 0; c < kGramRows; ++c) {
                __m512d& sum = sums.f64x8[r * kGramRows + c];
                sum = _mm512_fmadd_pd(a_f64x8, b_f64x8[c], sum);
            }
        }
    }
    return sums;
}

__attribute__((always_inline)) inline void add(Sums& sums, const Sums& others) noexcept {
#pragma GCC unroll 16
    for (std::size_t s = 0; s < kSums; ++s) {
        sums.f64x8[s] = _mm512_add_pd(sums.f64x8[s], others.f64x8[s]);
    }
}

// Lanes l and l + 4, then l and l + 2, then l and l + 1 of four vectors.
inline __m256d reduced4(const __m512d v[4]) noexcept {
    __m256d halves[4];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) {
        halves[i] = _mm256_add_pd(_mm512_castpd512_pd256(v[i]), _mm512_extractf64x4_pd(v[i], 1));
    }
    const __m256d v01 = _mm256_add_pd(_mm256_permute2f128_pd(halves[0], halves[1], 0x20),
                                      _mm256_permute2f128_pd(halves[0], halves[1], 0x31));
    const __m256d v23 = _mm256_add_pd(_mm256_permute2f128_pd(halves[2], halves[3], 0x20),
                                      _mm256_permute2f128_pd(halves[2], halves[3], 0x31));
    const __m256d v0213 = _mm256_hadd_pd(v01, v23);  // sums of vectors 0, 2, 1, 3
    return _mm256_permute4x64_pd(v0213, 0xD8);
}

template <bool kWithin>
inline void gram_dots(const double* a, const double* b, std::size_t steps, double* dots) noexcept {
    const std::size_t size = steps * kGramRows * kWidth;
    Sums low = sums_of_group<kWithin>(a, b, steps);
    add(low, sums_of_group<kWithin>(a + 2 * size, b + 2 * size, steps));
    Sums high = sums_of_group<kWithin>(a + size, b + size, steps);
    add(high, sums_of_group<kWithin>(a + 3 * size, b + 3 * size, steps));
    add(high, low);
#pragma GCC unroll 4
    for (std::size_t s = 0; s < kSums; s += 4) {
        _mm256_storeu_pd(dots + s, reduced4(high.f64x8 + s));
    }
}

void gram_dots_avx512(const double* a, const double* b, std::size_t steps, double* dots) noexcept {
    gram_dots<false>(a, b, steps, dots);
}

void gram_dots_within_avx512(const double* a, std::size_t steps, double* dots) noexcept {
    gram_dots<true>(a, a, steps, dots);
}

}  // namespace
GNOMON_TARGET_END

constinit const GramTile kGramTileAvx512{pack_avx512, gram_dots_avx512, gram_dots_within_avx512};

}  // namespace gnomon::detail
#endif
