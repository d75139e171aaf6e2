// The integer bounds of the screen; docs/kernels/bm25.md derives them.
//
// A posting keeps its part as a whole number: part16 = floor(part / top x 65534) + 1, at least the
// true ratio and at most one unit above, where top is at least every part of the index. A query
// with weights W_t and their sum W gives term t the multiplier
//   m_t = floor(U x W_t / W x 65536 / 65534) + 1,   U = 65535 - 4 (terms + 2),
// and a posting contributes c = ((part16 x m_t) >> 16) + 1. In units of W x top / U, the true
// contribution x satisfies c - 3.01 < x < c. A document's sum of at most n contributions stays
// below 65536; it is A with A - 3.01 n < X < A, X the document's true score.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gnomon::detail::bm25 {

// More terms would leave the screen too few units.
inline constexpr std::size_t kMostScreenedTerms = 4096;

inline std::uint16_t quantised(double part, double scale) noexcept {
    const double units = part * scale;
    return units >= 65534.0 ? std::uint16_t{65535}
                            : static_cast<std::uint16_t>(static_cast<std::int32_t>(units) + 1);
}

// Of part sizes up to `top`.
inline double quantum_scale(double top) noexcept { return top > 0.0 ? 65534.0 / top : 0.0; }

inline std::uint32_t multiplier(double weight, double weights, std::size_t terms) noexcept {
    const double units = 65535.0 - 4.0 * (static_cast<double>(terms) + 2.0);
    return static_cast<std::uint32_t>(units * (weight / weights) * (65536.0 / 65534.0)) + 1;
}

inline std::uint32_t contribution(std::uint32_t part, std::uint32_t multiplier) noexcept {
    return ((part * multiplier) >> 16U) + 1;
}

// When k documents have at least `sum`, one with less than this is none of the best k: its true
// score is more than a unit lower, which is far more than rounding to float32 can make up for.
inline std::int32_t least_sum(std::int32_t sum, std::size_t terms) noexcept {
    return sum - 4 * static_cast<std::int32_t>(terms) - 1;
}

}  // namespace gnomon::detail::bm25
