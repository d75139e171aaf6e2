// Refuses what an MMR request must not hold.
#pragma once

#include "gnomon/mmr.hpp"

namespace gnomon::detail {

// Throws std::invalid_argument.
void check_mmr(const MmrRequest& request);

}  // namespace gnomon::detail
