// The one place where a cosine is computed.
//
// dot(a, b) = sum of a[i] * b[i] in float64: element i is added to lane i % 32, in order of i, and
// the lanes are reduced pairwise, lane l with lane l + 16, then 8, 4, 2, 1. A product of two
// float32 values is exact in float64, so fused and separate multiply-add give the same bits, and so
// does every instruction set. An empty sum is +0.0. The norm of a is sqrt(dot(a, a)).
#pragma once

#include <cmath>
#include <cstddef>

#include "gnomon/isa.hpp"

namespace gnomon::detail {

inline constexpr std::size_t kLanes = 32;

struct ScoreKernel {
    double (*dot)(const float* a, const float* b, std::size_t d) noexcept;
    // The bits of dot(a, a, d), for half of the loads.
    double (*sum_of_squares)(const float* a, std::size_t d) noexcept;
    // out[r] has the bits of dot(query, rows[r], d).
    void (*dot4)(const float* query, const float* const rows[4], std::size_t d,
                 double out[4]) noexcept;
};

const ScoreKernel& score_kernel(Isa isa) noexcept;

inline double norm(const ScoreKernel& kernel, const float* a, std::size_t d) noexcept {
    return std::sqrt(kernel.sum_of_squares(a, d));
}

// dot / (norm_a * norm_b), rounded once to float32 and clipped to [-1, 1]. 0 when a norm is exactly
// 0; never -0.
inline float cosine(double dot, double norm_a, double norm_b) noexcept {
    if (norm_a == 0.0 || norm_b == 0.0) {
        return 0.0F;
    }
    const auto rounded = static_cast<float>(dot / (norm_a * norm_b));
    if (rounded > 1.0F) {
        return 1.0F;
    }
    if (rounded < -1.0F) {
        return -1.0F;
    }
    return rounded + 0.0F;  // -0 + 0 = +0
}

}  // namespace gnomon::detail
