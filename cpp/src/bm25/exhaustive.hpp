// Every score in float64, window by window: the definition that the screen is measured by.
#pragma once

#include <functional>
#include <span>

#include "bm25/workspace.hpp"

namespace gnomon::detail::bm25 {

// Told of the scores of consecutive rows.
using ScoreSink = std::function<void(std::size_t first_row, std::span<const double> scores)>;

// Windows without a posting are left out.
void score_windows(const IndexData& data, const Query& query, std::vector<double>& exact,
                   const ScoreSink& sink);

void exhaustive_top_k(const IndexData& data, const Admission& admission, std::size_t k,
                      Workspace& workspace, BM25Counters& counters);

}  // namespace gnomon::detail::bm25
