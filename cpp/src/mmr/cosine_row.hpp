// The cosines of one vector with several others whose dots are known.
#pragma once

#include <cstddef>

#include "gnomon/isa.hpp"
#include "isa/target_region.hpp"

namespace gnomon::detail {

// cosines[i] has the bits of cosine(dots[i], norm, norms[i]) of score/score.hpp. All are finite.
using CosineRow = void (*)(const double* dots, double norm, const double* norms, std::size_t n,
                           float* cosines) noexcept;

CosineRow cosine_row(Isa isa) noexcept;

#if GNOMON_X86
void cosine_row_avx2(const double* dots, double norm, const double* norms, std::size_t n,
                     float* cosines) noexcept;
#endif

}  // namespace gnomon::detail
