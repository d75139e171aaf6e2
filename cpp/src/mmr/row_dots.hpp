// Cheap float32 dots of one row with several others: the row is loaded once for four of them.
//
// Lanes and order of summation differ between instruction sets; float_dot_error (cosine/
// float_dots.hpp) holds for all: at least eight lanes, and no more additions at the end.
#pragma once

#include <cstddef>

#include "gnomon/isa.hpp"
#include "isa/target_region.hpp"

namespace gnomon::detail {

// out[i] = row . others[i].
using RowDots = void (*)(const float* row, const float* const* others, std::size_t n, std::size_t d,
                         float* out) noexcept;

RowDots row_dots(Isa isa) noexcept;

#if GNOMON_X86
void row_dots_avx2(const float* row, const float* const* others, std::size_t n, std::size_t d,
                   float* out) noexcept;
#endif

}  // namespace gnomon::detail
