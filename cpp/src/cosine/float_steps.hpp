// The neighbours of a float, without a call into libm.
#pragma once

#include <bit>
#include <cstdint>

namespace gnomon::detail {

// The least float above x; for NaN and plus infinity, x itself.
inline float next_up(float x) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if (x != x || bits == 0x7F800000U) {
        return x;
    }
    if ((bits & 0x7FFFFFFFU) == 0) {
        return std::bit_cast<float>(1U);
    }
    return std::bit_cast<float>(x > 0.0F ? bits + 1U : bits - 1U);
}

// The greatest float below x; for NaN and minus infinity, x itself.
inline float next_down(float x) noexcept { return -next_up(-x); }

}  // namespace gnomon::detail
