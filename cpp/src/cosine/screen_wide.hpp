// The screen for rows of more than 65,536 dimensions, whose dots don't fit in 32 bits.
#pragma once

#include <cstddef>

#include "cosine/screen.hpp"

namespace gnomon::detail {

// As ScreenKernel::screen, with dots summed in 64 bits over parts of kGroupsInInt32 groups.
std::size_t screen_wide(const ScreenKernel& kernel, const CodeTiles& tiles, std::size_t first,
                        std::size_t end, const QueryBlock& block, Survivors* out);

}  // namespace gnomon::detail
