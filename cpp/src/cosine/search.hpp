// The search itself, over arrays or over a prepared index.
#pragma once

#include <span>

#include "cosine/prepared.hpp"
#include "gnomon/cosine.hpp"

namespace gnomon::detail {

// `prepared` is null for arrays.
SearchResult search(const MatrixView& docs, const PreparedRows* prepared,
                    std::span<const SearchRequest> requests, const SearchOptions& options);

}  // namespace gnomon::detail
