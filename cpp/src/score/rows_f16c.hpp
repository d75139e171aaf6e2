// float16 rows by the conversion instructions of F16C.
#pragma once

#include <cstddef>

#include "isa/target_region.hpp"

namespace gnomon::detail {

#if GNOMON_X86
// `halves` may be unaligned.
void widen_f16_row_f16c(const void* halves, std::size_t n, float* out) noexcept;
#endif

}  // namespace gnomon::detail
