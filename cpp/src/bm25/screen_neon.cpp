#include "isa/target_region.hpp"

#if GNOMON_ARM64

#include <arm_neon.h>

#include "bm25/screen_kernels.hpp"

namespace gnomon::detail::bm25 {

namespace {

std::size_t sweep(std::uint16_t* sums, std::uint16_t least, std::uint16_t* places,
                  std::uint16_t* found) noexcept {
    constexpr std::size_t kStep = 32;
    const uint16x8_t bar = vdupq_n_u16(least);
    const uint16x8_t zero = vdupq_n_u16(0);
    std::size_t n = 0;
    for (std::size_t i = 0; i < kWindowRows; i += kStep) {
        uint16x8_t any = zero;
        for (std::size_t j = 0; j < kStep; j += 8) {
            any = vorrq_u16(any, vcgeq_u16(vld1q_u16(sums + i + j), bar));
        }
        if (vmaxvq_u16(any) != 0) {
            for (std::size_t place = i; place < i + kStep; ++place) {
                if (sums[place] >= least) {
                    places[n] = static_cast<std::uint16_t>(place);
                    found[n++] = sums[place];
                }
            }
        }
        for (std::size_t j = 0; j < kStep; j += 8) {
            vst1q_u16(sums + i + j, zero);
        }
    }
    return n;
}

}  // namespace

const ScreenKernels kNeonScreen{kScalarScreen.add, sweep, kScalarScreen.rank};

}  // namespace gnomon::detail::bm25

#endif
