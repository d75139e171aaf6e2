// The int8 screen: which rows of a few tiles can a block of queries not skip?
//
// screen_scalar.cpp is the definition. Integer dots are exact and the same on every instruction
// set; bounds may differ in their last bits, which docs/kernels/cosine.md allows for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cosine/tiles.hpp"
#include "gnomon/isa.hpp"
#include "isa/target_region.hpp"

namespace gnomon::detail {

struct ScreenKernel {
    // Tests every row of tiles [first, end) against every query of the block; writes the survivors
    // in order of tile, then query, and returns how many. `out` needs room for
    // (end - first) * block.queries. tiles.groups <= kGroupsInInt32.
    std::size_t (*screen)(const CodeTiles& tiles, std::size_t first, std::size_t end,
                          const QueryBlock& block, Survivors* out) noexcept;

    // dots[16 q + j] = sum over `groups` groups of (code + 128) of row j * code of query q.
    void (*tile_dots)(const std::uint8_t* codes, std::size_t groups, const std::int8_t* query_codes,
                      std::size_t queries, std::int32_t* dots) noexcept;
};

const ScreenKernel& screen_kernel(Isa isa) noexcept;

extern const ScreenKernel kScreenScalar;
#if GNOMON_X86
extern const ScreenKernel kScreenAvx2;
extern const ScreenKernel kScreenAvx512;
#endif
#if GNOMON_ARM64
extern const ScreenKernel kScreenNeon;
#endif

}  // namespace gnomon::detail
