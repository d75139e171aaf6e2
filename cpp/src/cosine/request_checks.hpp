// The cheap facts about a search that the core checks again, whoever calls it.
#pragma once

#include <cstddef>
#include <span>

#include "gnomon/cosine.hpp"

namespace gnomon::detail {

// Throws std::invalid_argument, naming the argument and both numbers.
void check_search(std::size_t rows, std::size_t cols, std::span<const SearchRequest> requests,
                  const SearchOptions& options);

}  // namespace gnomon::detail
