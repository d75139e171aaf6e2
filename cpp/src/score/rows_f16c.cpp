#include "score/rows_f16c.hpp"

#if GNOMON_X86
#include <immintrin.h>

#include <cstring>

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN

void widen_f16_row_f16c(const void* halves, std::size_t n, float* out) noexcept {
    const char* bytes = static_cast<const char*>(halves);
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m128i half_f16x8 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 2 * i));
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(half_f16x8));
    }
    if (i < n) {
        __m128i half_f16x8 = _mm_setzero_si128();
        std::memcpy(&half_f16x8, bytes + 2 * i, 2 * (n - i));
        float widened[8];
        _mm256_storeu_ps(widened, _mm256_cvtph_ps(half_f16x8));
        std::memcpy(out + i, widened, sizeof(float) * (n - i));
    }
}

GNOMON_TARGET_END

}  // namespace gnomon::detail
#endif
