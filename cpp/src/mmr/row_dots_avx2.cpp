// row_dots.hpp on AVX2. Two sums a dot keep eight additions in flight.
#include "mmr/row_dots.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN
namespace {

constexpr std::size_t kWidth = 8;

inline float folded(__m256 sum_f32x8) noexcept {
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(sum_f32x8), _mm256_extractf128_ps(sum_f32x8, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}

// Four sums at once take as many steps as one.
inline __m128 folded4(const __m256 sums_f32x8[4]) noexcept {
    const __m256 s01 = _mm256_hadd_ps(sums_f32x8[0], sums_f32x8[1]);
    const __m256 s23 = _mm256_hadd_ps(sums_f32x8[2], sums_f32x8[3]);
    const __m256 s0123 = _mm256_hadd_ps(s01, s23);
    return _mm_add_ps(_mm256_castps256_ps128(s0123), _mm256_extractf128_ps(s0123, 1));
}

// The lanes that exist when `left` elements, fewer than eight, are left.
inline __m256i tail_mask(std::size_t left) noexcept {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(left)), lane);
}

template <int Others, int Parts>
__attribute__((always_inline)) inline void add_dots(const float* row, const float* const* others,
                                                    std::size_t d,
                                                    __m256 sums_f32x8[Others]) noexcept {
    __m256 sums[Others * Parts];
#pragma GCC unroll 8
    for (int s = 0; s < Others * Parts; ++s) {
        sums[s] = _mm256_setzero_ps();
    }
    std::size_t i = 0;
    for (; i + kWidth * Parts <= d; i += kWidth * Parts) {
#pragma GCC unroll 8
        for (int part = 0; part < Parts; ++part) {
            const std::size_t at = i + kWidth * static_cast<std::size_t>(part);
            const __m256 row_f32x8 = _mm256_loadu_ps(row + at);
#pragma GCC unroll 4
            for (int o = 0; o < Others; ++o) {
                sums[o * Parts + part] = _mm256_fmadd_ps(row_f32x8, _mm256_loadu_ps(others[o] + at),
                                                         sums[o * Parts + part]);
            }
        }
    }
    for (; i < d; i += kWidth) {
        const std::size_t left = d - i < kWidth ? d - i : kWidth;
        const __m256i mask = tail_mask(left);
        const __m256 row_f32x8 = _mm256_maskload_ps(row + i, mask);
#pragma GCC unroll 4
        for (int o = 0; o < Others; ++o) {
            sums[o * Parts] = _mm256_fmadd_ps(row_f32x8, _mm256_maskload_ps(others[o] + i, mask),
                                              sums[o * Parts]);
        }
    }
#pragma GCC unroll 4
    for (int o = 0; o < Others; ++o) {
        sums_f32x8[o] = sums[o * Parts];
#pragma GCC unroll 8
        for (int part = 1; part < Parts; ++part) {
            sums_f32x8[o] = _mm256_add_ps(sums_f32x8[o], sums[o * Parts + part]);
        }
    }
}

void four_dots(const float* row, const float* const* others, std::size_t d, float* out) noexcept {
    __m256 sums_f32x8[4];
    add_dots<4, 2>(row, others, d, sums_f32x8);
    _mm_storeu_ps(out, folded4(sums_f32x8));
}

void two_dots(const float* row, const float* const* others, std::size_t d, float* out) noexcept {
    __m256 sums_f32x8[2];
    add_dots<2, 4>(row, others, d, sums_f32x8);
    out[0] = folded(sums_f32x8[0]);
    out[1] = folded(sums_f32x8[1]);
}

void one_dot(const float* row, const float* const* others, std::size_t d, float* out) noexcept {
    __m256 sums_f32x8[1];
    add_dots<1, 8>(row, others, d, sums_f32x8);
    out[0] = folded(sums_f32x8[0]);
}

}  // namespace

void row_dots_avx2(const float* row, const float* const* others, std::size_t n, std::size_t d,
                   float* out) noexcept {
    for (; n >= 4; n -= 4, others += 4, out += 4) {
        four_dots(row, others, d, out);
    }
    if (n == 3) {  // one load of the row for all of them is worth a dot that nobody needs
        const float* const four[4] = {others[0], others[1], others[2], others[2]};
        float dots[4];
        four_dots(row, four, d, dots);
        out[0] = dots[0];
        out[1] = dots[1];
        out[2] = dots[2];
        return;
    }
    if (n == 2) {
        two_dots(row, others, d, out);
    } else if (n == 1) {
        one_dot(row, others, d, out);
    }
}

GNOMON_TARGET_END

}  // namespace gnomon::detail
#endif
