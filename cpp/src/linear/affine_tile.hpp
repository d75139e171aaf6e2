// The register tile of affine_map: the dots of four rows with a few outputs, lane group by lane
// group.
//
// One sum needs 32 lanes, more than the registers can hold for several outputs at once. The lanes
// don't depend on each other, so a tile walks them in groups of one vector: for the same group,
// every row and every output of the tile share their loads. Both sides are packed in float64 in the
// order in which the walk reads them: [tile][lane group][step of 32 elements][row or output][lane
// of the group], padded with zeros, which change no sum.
#pragma once

#include <cstddef>

#include "gnomon/isa.hpp"
#include "isa/target_region.hpp"

namespace gnomon::detail {

inline constexpr std::size_t kTileRows = 4;
inline constexpr std::size_t kMostTileOutputs = 6;

struct AffineTile {
    std::size_t outputs;  // per tile
    std::size_t lanes;    // per vector, a divisor of kLanes
    // dots[r * outputs + o], the bits of dot() in score/score.hpp, from `steps` packed steps of 32
    // elements.
    void (*dots)(const double* rows, const double* weights, std::size_t steps,
                 double* dots) noexcept;
};

// Null where nothing is better than one dot at a time.
const AffineTile* affine_tile(Isa isa) noexcept;

#if GNOMON_X86
extern const AffineTile kAffineTileAvx2;
extern const AffineTile kAffineTileAvx512;
#endif
#if GNOMON_ARM64
extern const AffineTile kAffineTileNeon;
#endif

}  // namespace gnomon::detail
