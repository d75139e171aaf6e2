// The implementations of score.hpp, one file per instruction set; score_scalar.cpp is the
// definition.
#pragma once

#include "isa/target_region.hpp"
#include "score/score.hpp"

namespace gnomon::detail {

extern const ScoreKernel kScoreScalar;
#if GNOMON_X86
extern const ScoreKernel kScoreAvx2;
extern const ScoreKernel kScoreAvx512;
#endif
#if GNOMON_ARM64
extern const ScoreKernel kScoreNeon;
#endif

}  // namespace gnomon::detail
