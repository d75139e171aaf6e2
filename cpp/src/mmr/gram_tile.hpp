// The exact dots of four rows with four others: sixteen sums that share their loads.
//
// A sum has 32 lanes (score/score.hpp), too many for sixteen sums at once. The lanes don't depend
// on each other, so a tile walks them in groups of one vector. Rows are packed in float64 in the
// order in which the walk reads them: [lane group][step of 32 elements][row][lane of the group],
// padded with zeros, which change no sum.
#pragma once

#include <cstddef>

#include "gnomon/isa.hpp"
#include "isa/target_region.hpp"
#include "score/score.hpp"

namespace gnomon::detail {

inline constexpr std::size_t kGramRows = 4;

struct GramTile {
    // Writes a row of d elements as row `member` of a packed tile.
    void (*pack)(const float* row, std::size_t d, std::size_t member, double* tile) noexcept;

    // dots[r * kGramRows + c] has the bits of dot() for row r of `a` and row c of `b`.
    void (*dots)(const double* a, const double* b, std::size_t steps, double* dots) noexcept;

    // The same of `a` with itself. Where c < r, what is left in `dots` means nothing.
    void (*dots_within)(const double* a, std::size_t steps, double* dots) noexcept;
};

constexpr std::size_t gram_steps(std::size_t d) noexcept { return (d + kLanes - 1) / kLanes; }

constexpr std::size_t gram_tile_size(std::size_t d) noexcept {
    return gram_steps(d) * kLanes * kGramRows;
}

// Null where nothing is better than one dot at a time.
const GramTile* gram_tile(Isa isa) noexcept;

#if GNOMON_X86
extern const GramTile kGramTileAvx2;
extern const GramTile kGramTileAvx512;
#endif

}  // namespace gnomon::detail
