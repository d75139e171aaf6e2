// gram_tile.hpp on AVX2: half a tile at a time, eight sums of four lanes, since there are sixteen
// registers.
#include "mmr/gram_tile.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN
namespace {

constexpr std::size_t kWidth = 4;
constexpr std::size_t kGroups = kLanes / kWidth;
constexpr std::size_t kHalf = kGramRows / 2;
constexpr std::size_t kSums = kGramRows * kHalf;

void pack_avx2(const float* row, std::size_t d, std::size_t member, double* tile) noexcept {
    const std::size_t steps = gram_steps(d);
    for (std::size_t step = 0; step < steps; ++step) {
        for (std::size_t group = 0; group < kGroups; ++group) {
            const std::size_t first = step * kLanes + group * kWidth;
            double* target = tile + ((group * steps + step) * kGramRows + member) * kWidth;
            if (first + kWidth <= d) {
                _mm256_storeu_pd(target, _mm256_cvtps_pd(_mm_loadu_ps(row + first)));
                continue;
            }
            for (std::size_t lane = 0; lane < kWidth; ++lane) {
                target[lane] = first + lane < d ? static_cast<double>(row[first + lane]) : 0.0;
            }
        }
    }
}

// The sums of one lane group: sums_f64x4[r * kHalf + c], for the two rows of b from `b` on.
inline void add_group(const double* a, const double* b, std::size_t steps,
                      __m256d sums_f64x4[kSums]) noexcept {
    __m256d sum[kSums];
#pragma GCC unroll 8
    for (std::size_t s = 0; s < kSums; ++s) {
        sum[s] = _mm256_setzero_pd();
    }
    for (std::size_t step = 0; step < steps;
         ++step, a += kGramRows * kWidth, b += kGramRows * kWidth) {
        const __m256d b0_f64x4 = _mm256_loadu_pd(b);
        const __m256d b1_f64x4 = _mm256_loadu_pd(b + kWidth);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < kGramRows; ++r) {
            const __m256d a_f64x4 = _mm256_loadu_pd(a + r * kWidth);
            sum[r * kHalf] = _mm256_fmadd_pd(a_f64x4, b0_f64x4, sum[r * kHalf]);
            sum[r * kHalf + 1] = _mm256_fmadd_pd(a_f64x4, b1_f64x4, sum[r * kHalf + 1]);
        }
    }
#pragma GCC unroll 8
    for (std::size_t s = 0; s < kSums; ++s) {
        sums_f64x4[s] = sum[s];
    }
}

// Lanes l and l + 2, then l and l + 1.
inline double reduced(__m256d sum_f64x4) noexcept {
    const __m128d sum_f64x2 =
        _mm_add_pd(_mm256_castpd256_pd128(sum_f64x4), _mm256_extractf128_pd(sum_f64x4, 1));
    return _mm_cvtsd_f64(_mm_add_sd(sum_f64x2, _mm_unpackhi_pd(sum_f64x2, sum_f64x2)));
}

void gram_dots_avx2(const double* a, const double* b, std::size_t steps, double* dots) noexcept {
    __m256d lanes[kGroups][kSums];
    for (std::size_t half = 0; half < 2; ++half) {
        for (std::size_t g = 0; g < kGroups; ++g) {
            const std::size_t start = g * steps * kGramRows * kWidth;
            add_group(a + start, b + start + half * kHalf * kWidth, steps, lanes[g]);
        }
        for (std::size_t s = 0; s < kSums; ++s) {
            const __m256d l0 = _mm256_add_pd(lanes[0][s], lanes[4][s]);
            const __m256d l4 = _mm256_add_pd(lanes[1][s], lanes[5][s]);
            const __m256d l8 = _mm256_add_pd(lanes[2][s], lanes[6][s]);
            const __m256d l12 = _mm256_add_pd(lanes[3][s], lanes[7][s]);
            const __m256d sum = _mm256_add_pd(_mm256_add_pd(l0, l8), _mm256_add_pd(l4, l12));
            dots[s / kHalf * kGramRows + half * kHalf + s % kHalf] = reduced(sum);
        }
    }
}

// All sixteen: fewer would wait for each other, and save nothing.
void gram_dots_within_avx2(const double* a, std::size_t steps, double* dots) noexcept {
    gram_dots_avx2(a, a, steps, dots);
}

}  // namespace
GNOMON_TARGET_END

constinit const GramTile kGramTileAvx2{pack_avx2, gram_dots_avx2, gram_dots_within_avx2};

}  // namespace gnomon::detail
#endif
