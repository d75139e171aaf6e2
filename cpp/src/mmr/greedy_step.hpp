// One greedy step over all candidates of a small pool.
#pragma once

#include <cstddef>

#include "gnomon/isa.hpp"
#include "isa/target_region.hpp"

namespace gnomon::detail {

inline constexpr std::size_t kStepWidth = 8;

// Arrays of `size` values, a multiple of kStepWidth. A candidate that is picked, or isn't there,
// has a gain of minus infinity.
struct GreedyState {
    const double* gains;  // lambda * relevance
    double weight;        // 1 - lambda
    float* penalties;     // the greatest similarity to a pick
    float* scores;
    std::size_t size;
};

// Raises the penalties to the similarities to the last pick, fills in the scores as picks.hpp
// defines them, and returns the first place of the highest.
using GreedyStep = std::size_t (*)(const GreedyState& state, const float* similarities) noexcept;

GreedyStep greedy_step(Isa isa) noexcept;

#if GNOMON_X86
std::size_t greedy_step_avx2(const GreedyState& state, const float* similarities) noexcept;
#endif

}  // namespace gnomon::detail
