// From float32 rows to int8 codes.
//
// coding_scalar.cpp is the definition; codes and sums are the same bits on every instruction set,
// so that a saved index has the same bytes wherever it was built.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gnomon/isa.hpp"
#include "isa/target_region.hpp"

namespace gnomon::detail {

inline constexpr std::uint32_t kInfinityBits = 0x7F800000U;
inline constexpr std::size_t kCodingLanes = 16;
inline constexpr std::size_t kCodingRun = 512;
// 1.5 * 2^23: adding it rounds to a whole number, whose two's complement fills the low bits; the
// codes' bias is part of it.
inline constexpr float kCodingShift = 0x1.8p+23F + 128.0F;

// For __builtin_prefetch: past the first-level cache, which the rows at hand fill.
inline constexpr int kIntoSecondLevel = 2;

// Sums of squares over one row: of its values, and of what coding left over.
struct CodingSums {
    double values = 0.0;
    double residuals = 0.0;
    std::uint32_t next_largest = 0;  // largest_bits of RowsAhead::next
};

// What lies before the row that is being coded, with as many values. Its way through the caches
// takes longer than the arithmetic, and is hidden behind it.
struct RowsAhead {
    const float* next = nullptr;  // coded next but one, or null: looked through on the way
    const void* soon = nullptr;   // read later, or null: fetched, but not looked at
};

struct CodingKernel {
    // The bits of the largest magnitude; at least kInfinityBits when a value isn't finite.
    std::uint32_t (*largest_bits)(const float* x, std::size_t d) noexcept;

    // codes[i] = 128 + x[i] * inverse, rounded to nearest, ties to even; |x[i] * inverse| < 127.5.
    // What coding leaves over is x[i] - step * code, fused. Squares are added, fused, to lane
    // i % kCodingLanes in float32, over kCodingRun values at a time; lanes are folded 8, 4, 2, 1
    // and those sums added in float64.
    CodingSums (*code_row)(const float* x, std::size_t d, float inverse, float step,
                           const RowsAhead& ahead, std::uint8_t* codes) noexcept;

    // 16 rows of 4 * groups codes, one after the other, become one tile.
    void (*interleave)(const std::uint8_t* rows, std::size_t groups, std::uint8_t* tile) noexcept;
};

const CodingKernel& coding_kernel(Isa isa) noexcept;

extern const CodingKernel kCodingScalar;
#if GNOMON_X86
extern const CodingKernel kCodingAvx2;
extern const CodingKernel kCodingAvx512;
#endif
#if GNOMON_ARM64
extern const CodingKernel kCodingNeon;
#endif

}  // namespace gnomon::detail
