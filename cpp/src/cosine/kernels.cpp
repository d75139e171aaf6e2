// Picks the tables of one instruction set.
#include "cosine/coding.hpp"
#include "cosine/float_dots.hpp"
#include "cosine/screen.hpp"

namespace gnomon::detail {

const ScreenKernel& screen_kernel(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2: return kScreenAvx2;
    case Isa::avx512: return kScreenAvx512;
#endif
#if GNOMON_ARM64
    case Isa::neon: return kScreenNeon;
#endif
    default: return kScreenScalar;
    }
}

const CodingKernel& coding_kernel(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2: return kCodingAvx2;
    case Isa::avx512: return kCodingAvx512;
#endif
#if GNOMON_ARM64
    case Isa::neon: return kCodingNeon;
#endif
    default: return kCodingScalar;
    }
}

const FloatDotKernel& float_dot_kernel(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2: return kFloatDotAvx2;
    case Isa::avx512: return kFloatDotAvx512;
#endif
#if GNOMON_ARM64
    case Isa::neon: return kFloatDotNeon;
#endif
    default: return kFloatDotScalar;
    }
}

}  // namespace gnomon::detail
