// Plain float32 dots with a known error: finer than the codes, cheaper than float64.
//
// Lanes and order of summation differ between instruction sets; float_dot_error holds for all.
#pragma once

#include <cstddef>

#include "gnomon/isa.hpp"
#include "isa/target_region.hpp"

namespace gnomon::detail {

inline constexpr std::size_t kScanQueries = 4;

struct FloatDotKernel {
    float (*dot)(const float* a, const float* b, std::size_t d) noexcept;

    // For n_queries <= kScanQueries queries, query q at queries + q * d: dots[q * n_rows + r] =
    // query q . rows[r], and norms[r] = sqrt(rows[r] . rows[r]).
    void (*scan)(const float* queries, std::size_t n_queries, const float* const* rows,
                 std::size_t n_rows, std::size_t d, float* dots, float* norms) noexcept;
};

// |computed - true| <= float_dot_error(d) * |a| |b|, as long as nothing overflows and up to d *
// 2^-149 for what underflows. A value takes part in at most d / 8 + 40 roundings: its product, the
// additions of its lane (8 at least), of a tail of less than 32, and of the folding.
constexpr double float_dot_error(std::size_t d) noexcept {
    const double roundings = (static_cast<double>(d) / 8.0 + 40.0) * 0x1p-24;
    return roundings < 0.5 ? roundings / (1.0 - roundings) : 1.0 / 0.0;
}

const FloatDotKernel& float_dot_kernel(Isa isa) noexcept;

extern const FloatDotKernel kFloatDotScalar;
#if GNOMON_X86
extern const FloatDotKernel kFloatDotAvx2;
extern const FloatDotKernel kFloatDotAvx512;
#endif
#if GNOMON_ARM64
extern const FloatDotKernel kFloatDotNeon;
#endif

}  // namespace gnomon::detail
