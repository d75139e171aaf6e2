// The inner loops of the screen over the sums of one window.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bm25/layout.hpp"
#include "gnomon/isa.hpp"

namespace gnomon::detail::bm25 {

struct ScreenKernels {
    // sums[place >> kCountBits] += contribution(part, multiplier) for n postings of a long list.
    void (*add)(const std::uint16_t* places, const std::uint16_t* parts, std::size_t n,
                std::uint32_t multiplier, std::uint16_t* sums) noexcept;
    // Writes the places and sums of all kWindowRows sums that are at least `least`, which is at
    // least 1, and sets every sum to 0. Returns how many there were.
    std::size_t (*sweep)(std::uint16_t* sums, std::uint16_t least, std::uint16_t* places,
                         std::uint16_t* found) noexcept;
    // ranks[i] = how many of n <= kMostRanked keys are below keys[i]. All keys differ and are below
    // 2^63. Comparing all with all has no branches to guess wrong, which sorting has many of.
    void (*rank)(const std::uint64_t* keys, std::size_t n, std::uint32_t* ranks) noexcept;
};

inline constexpr std::size_t kMostRanked = 384;

extern const ScreenKernels kScalarScreen;
extern const ScreenKernels kAvx2Screen;
extern const ScreenKernels kAvx512Screen;
extern const ScreenKernels kNeonScreen;

const ScreenKernels& screen_kernels(Isa isa) noexcept;

}  // namespace gnomon::detail::bm25
