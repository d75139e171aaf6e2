// cosine_row.hpp on AVX2.
#include "mmr/cosine_row.hpp"

#if GNOMON_X86
#include <immintrin.h>

#include "score/score.hpp"

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN

void cosine_row_avx2(const double* dots, double norm, const double* norms, std::size_t n,
                     float* cosines) noexcept {
    const __m256d norm_f64x4 = _mm256_set1_pd(norm);
    const __m128 one_f32x4 = _mm_set1_ps(1.0F);
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const __m256d product_f64x4 = _mm256_mul_pd(norm_f64x4, _mm256_loadu_pd(norms + i));
        const __m256d quotient_f64x4 = _mm256_div_pd(_mm256_loadu_pd(dots + i), product_f64x4);
        // A norm of float32 values that isn't 0 is at least 1e-45: no product underflows to 0.
        const __m256d is_zero = _mm256_cmp_pd(product_f64x4, _mm256_setzero_pd(), _CMP_EQ_OQ);
        const __m128 rounded = _mm256_cvtpd_ps(_mm256_andnot_pd(is_zero, quotient_f64x4));
        const __m128 clipped =
            _mm_max_ps(_mm_min_ps(rounded, one_f32x4), _mm_sub_ps(_mm_setzero_ps(), one_f32x4));
        _mm_storeu_ps(cosines + i, _mm_add_ps(clipped, _mm_setzero_ps()));  // -0 + 0 = +0
    }
    for (; i < n; ++i) {
        cosines[i] = cosine(dots[i], norm, norms[i]);
    }
}

GNOMON_TARGET_END

}  // namespace gnomon::detail
#endif
