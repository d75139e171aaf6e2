#include "linear/affine_tile.hpp"

namespace gnomon::detail {

const AffineTile* affine_tile(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2: return &kAffineTileAvx2;
    case Isa::avx512: return &kAffineTileAvx512;
#endif
#if GNOMON_ARM64
    case Isa::neon: return &kAffineTileNeon;
#endif
    default: return nullptr;
    }
}

}  // namespace gnomon::detail
