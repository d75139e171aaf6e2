// The natural logarithm, the same bits everywhere.
#pragma once

namespace gnomon::detail {

// ln(x) for a finite x >= the smallest normal number, within 2 units in the last place; only
// additions, multiplications and divisions of float64 in a fixed order, so that no libm decides.
double natural_logarithm(double x) noexcept;

}  // namespace gnomon::detail
