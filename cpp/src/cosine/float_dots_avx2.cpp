// float_dots.hpp on AVX2.
#include "cosine/float_dots.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN
namespace {

inline float reduce(__m256 sum_f32x8) noexcept {
    const __m128 sum_f32x4 =
        _mm_add_ps(_mm256_castps256_ps128(sum_f32x8), _mm256_extractf128_ps(sum_f32x8, 1));
    const __m128 sum_f32x2 = _mm_add_ps(sum_f32x4, _mm_movehl_ps(sum_f32x4, sum_f32x4));
    return _mm_cvtss_f32(_mm_add_ss(sum_f32x2, _mm_movehdup_ps(sum_f32x2)));
}

inline float tail_dot(const float* a, const float* b, std::size_t d) noexcept {
    float sum = 0.0F;
    for (std::size_t i = 0; i < d; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// `Parts` registers of partial sums for each dot keep enough additions in flight.
template <int Queries, int Parts, bool Norms>
__attribute__((always_inline)) inline void
scan_block(const float* queries, const float* x, std::size_t d, float* dots, std::size_t dot_stride,
           float* norms) noexcept {
    __m256 sums[Queries * Parts];
    __m256 square_sums[Parts];
#pragma GCC unroll 16
    for (int i = 0; i < Queries * Parts; ++i) {
        sums[i] = _mm256_setzero_ps();
    }
#pragma GCC unroll 4
    for (int part = 0; part < Parts; ++part) {
        square_sums[part] = _mm256_setzero_ps();
    }
    std::size_t i = 0;
    for (; i + 8 * Parts <= d; i += 8 * Parts) {
#pragma GCC unroll 4
        for (int part = 0; part < Parts; ++part) {
            const __m256 x_f32x8 = _mm256_loadu_ps(x + i + 8 * part);
            if (Norms) {
                square_sums[part] = _mm256_fmadd_ps(x_f32x8, x_f32x8, square_sums[part]);
            }
#pragma GCC unroll 4
            for (int q = 0; q < Queries; ++q) {
                const float* query = queries + static_cast<std::size_t>(q) * d;
                sums[q * Parts + part] = _mm256_fmadd_ps(_mm256_loadu_ps(query + i + 8 * part),
                                                         x_f32x8, sums[q * Parts + part]);
            }
        }
    }
#pragma GCC unroll 4
    for (int q = 0; q < Queries; ++q) {
        const float* query = queries + static_cast<std::size_t>(q) * d;
        __m256 sum = sums[q * Parts];
#pragma GCC unroll 4
        for (int part = 1; part < Parts; ++part) {
            sum = _mm256_add_ps(sum, sums[q * Parts + part]);
        }
        dots[static_cast<std::size_t>(q) * dot_stride] =
            reduce(sum) + tail_dot(query + i, x + i, d - i);
    }
    if (Norms) {
#pragma GCC unroll 4
        for (int part = 1; part < Parts; ++part) {
            square_sums[0] = _mm256_add_ps(square_sums[0], square_sums[part]);
        }
        const float squares = reduce(square_sums[0]) + tail_dot(x + i, x + i, d - i);
        *norms = _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(squares)));
    }
}

float dot_avx2(const float* a, const float* b, std::size_t d) noexcept {
    float dot;
    scan_block<1, 4, false>(a, b, d, &dot, 1, nullptr);
    return dot;
}

template <int Queries, int Parts>
void scan_rows(const float* queries, const float* const* rows, std::size_t n_rows, std::size_t d,
               float* dots, float* norms) noexcept {
    for (std::size_t r = 0; r < n_rows; ++r) {
        scan_block<Queries, Parts, true>(queries, rows[r], d, dots + r, n_rows, norms + r);
    }
}

void scan_avx2(const float* queries, std::size_t n_queries, const float* const* rows,
               std::size_t n_rows, std::size_t d, float* dots, float* norms) noexcept {
    switch (n_queries) {
    case 1: return scan_rows<1, 4>(queries, rows, n_rows, d, dots, norms);
    case 2: return scan_rows<2, 4>(queries, rows, n_rows, d, dots, norms);
    case 3: return scan_rows<3, 2>(queries, rows, n_rows, d, dots, norms);
    default: return scan_rows<4, 2>(queries, rows, n_rows, d, dots, norms);
    }
}

}  // namespace
GNOMON_TARGET_END

constinit const FloatDotKernel kFloatDotAvx2{dot_avx2, scan_avx2};

}  // namespace gnomon::detail
#endif
