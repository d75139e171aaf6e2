// float_dots.hpp on AVX-512.
#include "cosine/float_dots.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX512_BEGIN
namespace {

inline __mmask16 mask_of(std::size_t left) noexcept {
    return static_cast<__mmask16>(left >= 16 ? 0xFFFFU : (1U << left) - 1U);
}

float dot_avx512(const float* a, const float* b, std::size_t d) noexcept {
    __m512 sums[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(),
                      _mm512_setzero_ps()};
    std::size_t i = 0;
    for (; i + 64 <= d; i += 64) {
#pragma GCC unroll 4
        for (std::size_t part = 0; part < 4; ++part) {
            sums[part] = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 16 * part),
                                         _mm512_loadu_ps(b + i + 16 * part), sums[part]);
        }
    }
    for (; i < d; i += 16) {
        const __mmask16 mask = mask_of(d - i);
        sums[0] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, a + i),
                                  _mm512_maskz_loadu_ps(mask, b + i), sums[0]);
    }
    return _mm512_reduce_add_ps(
        _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])));
}

// `Parts` registers of partial sums for each dot keep enough additions in flight.
template <int Queries, int Parts>
__attribute__((always_inline)) inline void
scan_block(const float* queries, const float* x, std::size_t d, float* dots, std::size_t dot_stride,
           float* norms) noexcept {
    __m512 sums[Queries * Parts];
    __m512 square_sums[Parts];
#pragma GCC unroll 16
    for (int i = 0; i < Queries * Parts; ++i) {
        sums[i] = _mm512_setzero_ps();
    }
#pragma GCC unroll 4
    for (int part = 0; part < Parts; ++part) {
        square_sums[part] = _mm512_setzero_ps();
    }
    std::size_t i = 0;
    for (; i + 16 * Parts <= d; i += 16 * Parts) {
#pragma GCC unroll 4
        for (int part = 0; part < Parts; ++part) {
            const __m512 x_f32x16 = _mm512_loadu_ps(x + i + 16 * part);
            square_sums[part] = _mm512_fmadd_ps(x_f32x16, x_f32x16, square_sums[part]);
#pragma GCC unroll 4
            for (int q = 0; q < Queries; ++q) {
                const float* query = queries + static_cast<std::size_t>(q) * d;
                sums[q * Parts + part] = _mm512_fmadd_ps(_mm512_loadu_ps(query + i + 16 * part),
                                                         x_f32x16, sums[q * Parts + part]);
            }
        }
    }
    for (; i < d; i += 16) {
        const __mmask16 mask = mask_of(d - i);
        const __m512 x_f32x16 = _mm512_maskz_loadu_ps(mask, x + i);
        square_sums[0] = _mm512_fmadd_ps(x_f32x16, x_f32x16, square_sums[0]);
#pragma GCC unroll 4
        for (int q = 0; q < Queries; ++q) {
            const float* query = queries + static_cast<std::size_t>(q) * d;
            sums[q * Parts] =
                _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, query + i), x_f32x16, sums[q * Parts]);
        }
    }
#pragma GCC unroll 4
    for (int q = 0; q < Queries; ++q) {
        __m512 sum = sums[q * Parts];
#pragma GCC unroll 4
        for (int part = 1; part < Parts; ++part) {
            sum = _mm512_add_ps(sum, sums[q * Parts + part]);
        }
        dots[static_cast<std::size_t>(q) * dot_stride] = _mm512_reduce_add_ps(sum);
    }
#pragma GCC unroll 4
    for (int part = 1; part < Parts; ++part) {
        square_sums[0] = _mm512_add_ps(square_sums[0], square_sums[part]);
    }
    *norms = _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(_mm512_reduce_add_ps(square_sums[0]))));
}

template <int Queries, int Parts>
void scan_rows(const float* queries, const float* const* rows, std::size_t n_rows, std::size_t d,
               float* dots, float* norms) noexcept {
    for (std::size_t r = 0; r < n_rows; ++r) {
        scan_block<Queries, Parts>(queries, rows[r], d, dots + r, n_rows, norms + r);
    }
}

void scan_avx512(const float* queries, std::size_t n_queries, const float* const* rows,
                 std::size_t n_rows, std::size_t d, float* dots, float* norms) noexcept {
    switch (n_queries) {
    case 1:
        // One query waits for memory only, which half as wide loads keep busier.
        return kFloatDotAvx2.scan(queries, n_queries, rows, n_rows, d, dots, norms);
    case 2: return scan_rows<2, 4>(queries, rows, n_rows, d, dots, norms);
    case 3: return scan_rows<3, 4>(queries, rows, n_rows, d, dots, norms);
    default: return scan_rows<4, 2>(queries, rows, n_rows, d, dots, norms);
    }
}

}  // namespace
GNOMON_TARGET_END

constinit const FloatDotKernel kFloatDotAvx512{dot_avx512, scan_avx512};

}  // namespace gnomon::detail
#endif
