// float_dots.hpp on arm64.
#include "cosine/float_dots.hpp"

#include <cmath>

#if GNOMON_ARM64
#include <arm_neon.h>

namespace gnomon::detail {

namespace {

float dot_neon(const float* a, const float* b, std::size_t d) noexcept {
    float32x4_t sums[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
    std::size_t i = 0;
    for (; i + 16 <= d; i += 16) {
        for (std::size_t part = 0; part < 4; ++part) {
            sums[part] =
                vfmaq_f32(sums[part], vld1q_f32(a + i + 4 * part), vld1q_f32(b + i + 4 * part));
        }
    }
    float tail = 0.0F;
    for (; i < d; ++i) {
        tail += a[i] * b[i];
    }
    return vaddvq_f32(vaddq_f32(vaddq_f32(sums[0], sums[1]), vaddq_f32(sums[2], sums[3]))) + tail;
}

void scan_neon(const float* queries, std::size_t n_queries, const float* const* rows,
               std::size_t n_rows, std::size_t d, float* dots, float* norms) noexcept {
    for (std::size_t r = 0; r < n_rows; ++r) {
        for (std::size_t q = 0; q < n_queries; ++q) {
            dots[q * n_rows + r] = dot_neon(queries + q * d, rows[r], d);
        }
        norms[r] = std::sqrt(dot_neon(rows[r], rows[r], d));
    }
}

}  // namespace

constinit const FloatDotKernel kFloatDotNeon{dot_neon, scan_neon};

}  // namespace gnomon::detail
#endif
