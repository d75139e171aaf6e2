#include "mmr/greedy_step.hpp"

#include <algorithm>

namespace gnomon::detail {

namespace {

std::size_t greedy_step_scalar(const GreedyState& state, const float* similarities) noexcept {
    std::size_t best = 0;
    for (std::size_t i = 0; i < state.size; ++i) {
        state.penalties[i] = std::max(state.penalties[i], similarities[i]);
        const double loss = state.weight * static_cast<double>(state.penalties[i]);
        state.scores[i] = static_cast<float>(state.gains[i] - loss) + 0.0F;
        best = state.scores[i] > state.scores[best] ? i : best;
    }
    return best;
}

}  // namespace

GreedyStep greedy_step(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2:
    case Isa::avx512: return greedy_step_avx2;
#endif
    default: return greedy_step_scalar;
    }
}

}  // namespace gnomon::detail
