// Exact top-k by screening: integer upper bounds for whole windows, exact scores for the survivors.
#pragma once

#include "bm25/screen_kernels.hpp"
#include "bm25/workspace.hpp"

namespace gnomon::detail::bm25 {

// Leaves the hits of workspace.query in ranking order in workspace.hits. The query has at most
// kMostScreenedTerms terms.
void screened_top_k(const IndexData& data, const ScreenKernels& kernels, const Admission& admission,
                    std::size_t k, Workspace& workspace, BM25Counters& counters);

}  // namespace gnomon::detail::bm25
