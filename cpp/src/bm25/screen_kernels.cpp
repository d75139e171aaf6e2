// The definition of the inner loops, and the choice among the instruction sets.
#include "bm25/screen_kernels.hpp"

#include "bm25/bound.hpp"
#include "isa/target_region.hpp"

namespace gnomon::detail::bm25 {

namespace {

void add(const std::uint16_t* places, const std::uint16_t* parts, std::size_t n,
         std::uint32_t multiplier, std::uint16_t* sums) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
        sums[places[i] >> kCountBits] +=
            static_cast<std::uint16_t>(contribution(parts[i], multiplier));
    }
}

std::size_t sweep(std::uint16_t* sums, std::uint16_t least, std::uint16_t* places,
                  std::uint16_t* found) noexcept {
    std::size_t n = 0;
    for (std::size_t i = 0; i < kWindowRows; ++i) {
        if (sums[i] >= least) {
            places[n] = static_cast<std::uint16_t>(i);
            found[n++] = sums[i];
        }
        sums[i] = 0;
    }
    return n;
}

void rank(const std::uint64_t* keys, std::size_t n, std::uint32_t* ranks) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t below = 0;
        for (std::size_t j = 0; j < n; ++j) {
            below += keys[j] < keys[i] ? 1U : 0U;
        }
        ranks[i] = below;
    }
}

}  // namespace

const ScreenKernels kScalarScreen{add, sweep, rank};

const ScreenKernels& screen_kernels(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2: return kAvx2Screen;
    case Isa::avx512: return kAvx512Screen;
#endif
#if GNOMON_ARM64
    case Isa::neon: return kNeonScreen;
#endif
    default: return kScalarScreen;
    }
}

}  // namespace gnomon::detail::bm25
