// One row divided by its norm: each quotient in float64, rounded once.
#pragma once

#include <cstddef>

#include "score/score.hpp"

namespace gnomon::detail {

// Writes values / |values| to `unit`, which may be `values`, and returns the norm. A row of zeros
// stays zero.
inline double to_unit_length(const ScoreKernel& kernel, const float* values, std::size_t d,
                             float* unit) noexcept {
    const double norm = detail::norm(kernel, values, d);
    const double divisor = norm == 0.0 ? 1.0 : norm;
    for (std::size_t i = 0; i < d; ++i) {
        unit[i] = static_cast<float>(static_cast<double>(values[i]) / divisor);
    }
    return norm;
}

}  // namespace gnomon::detail
