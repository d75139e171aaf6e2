#include "score/score.hpp"

#include "score/kernels.hpp"

namespace gnomon::detail {

const ScoreKernel& score_kernel(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2: return kScoreAvx2;
    case Isa::avx512: return kScoreAvx512;
#endif
#if GNOMON_ARM64
    case Isa::neon: return kScoreNeon;
#endif
    default: return kScoreScalar;
    }
}

}  // namespace gnomon::detail
