#include "text/ascii.hpp"

namespace gnomon::detail {

FoldAscii fold_ascii(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2: return fold_ascii_avx2;
    case Isa::avx512: return fold_ascii_avx512;
#endif
#if GNOMON_ARM64
    case Isa::neon: return fold_ascii_neon;
#endif
    default: return fold_ascii_scalar;
    }
}

}  // namespace gnomon::detail
