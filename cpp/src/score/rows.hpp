// Rows of any matrix as contiguous float32, and the search for rows that aren't finite.
//
// float16, bfloat16, int8 and uint8 widen exactly; float64 is rounded to the nearest float32, and a
// finite float64 beyond float32's range counts as infinite.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gnomon/isa.hpp"
#include "gnomon/matrix.hpp"

namespace gnomon::detail {

float widen_f16(std::uint16_t bits) noexcept;
float widen_bf16(std::uint16_t bits) noexcept;

// Columns [first, first + cols) of the same matrix.
MatrixView columns_of(const MatrixView& x, std::size_t first, std::size_t cols) noexcept;

// True when every element of the row is finite as float32.
bool row_is_finite(const MatrixView& x, std::size_t row) noexcept;

}  // namespace gnomon::detail

namespace gnomon {

// The row as float32: where it stands when it is contiguous, aligned float32, else converted into
// scratch[cols]. `isa` changes the speed, never the values.
const float* row_f32(const MatrixView& x, std::size_t row, float* scratch,
                     Isa isa = Isa::scalar) noexcept;

}  // namespace gnomon
