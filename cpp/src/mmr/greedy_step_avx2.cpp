// greedy_step.hpp on AVX2.
#include "mmr/greedy_step.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN
namespace {

inline __m128 scores_of(const double* gains, __m256d weight_f64x4, __m128 penalty_f32x4) noexcept {
    const __m256d loss = _mm256_mul_pd(weight_f64x4, _mm256_cvtps_pd(penalty_f32x4));
    return _mm256_cvtpd_ps(_mm256_sub_pd(_mm256_loadu_pd(gains), loss));
}

inline float greatest(__m256 v_f32x8) noexcept {
    __m128 v = _mm_max_ps(_mm256_castps256_ps128(v_f32x8), _mm256_extractf128_ps(v_f32x8, 1));
    v = _mm_max_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_max_ss(v, _mm_movehdup_ps(v)));
}

}  // namespace

std::size_t greedy_step_avx2(const GreedyState& state, const float* similarities) noexcept {
    const __m256d weight_f64x4 = _mm256_set1_pd(state.weight);
    __m256 best_f32x8 = _mm256_set1_ps(-__builtin_inff());
    for (std::size_t i = 0; i < state.size; i += kStepWidth) {
        const __m256 penalty_f32x8 =
            _mm256_max_ps(_mm256_loadu_ps(state.penalties + i), _mm256_loadu_ps(similarities + i));
        _mm256_storeu_ps(state.penalties + i, penalty_f32x8);
        const __m128 low =
            scores_of(state.gains + i, weight_f64x4, _mm256_castps256_ps128(penalty_f32x8));
        const __m128 high =
            scores_of(state.gains + i + 4, weight_f64x4, _mm256_extractf128_ps(penalty_f32x8, 1));
        const __m256 score_f32x8 =
            _mm256_add_ps(_mm256_set_m128(high, low), _mm256_setzero_ps());  // -0 + 0 = +0
        _mm256_storeu_ps(state.scores + i, score_f32x8);
        best_f32x8 = _mm256_max_ps(best_f32x8, score_f32x8);
    }
    const __m256 wanted_f32x8 = _mm256_set1_ps(greatest(best_f32x8));
    for (std::size_t i = 0; i < state.size; i += kStepWidth) {
        const int found = _mm256_movemask_ps(
            _mm256_cmp_ps(_mm256_loadu_ps(state.scores + i), wanted_f32x8, _CMP_EQ_OQ));
        if (found != 0) {
            return i + static_cast<std::size_t>(__builtin_ctz(static_cast<unsigned>(found)));
        }
    }
    return 0;
}

GNOMON_TARGET_END

}  // namespace gnomon::detail
#endif
