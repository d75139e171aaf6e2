#include "mmr/gram_tile.hpp"

namespace gnomon::detail {

const GramTile* gram_tile(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2: return &kGramTileAvx2;
    case Isa::avx512: return &kGramTileAvx512;
#endif
    default: return nullptr;
    }
}

}  // namespace gnomon::detail
