// Maximal marginal relevance: picks that are near the query and far from each other.
//
// Formula: rel(i) = cosine(query, i) and sim(i, j) = cosine(i, j), the float32 values of
// cpp/src/score/score.hpp. The first pick has the highest rel. Each later pick has the highest
//   score(i) = float32(lambda * rel(i) - (1 - lambda) * max over all picked j of sim(i, j)),
// where both products and the difference are float64 and only the score is rounded, -0 to +0. Hits
// come in the order in which they were picked, with their score at that moment; the first pick's is
// float32(lambda * rel). Ties: the lowest id. An id is a row of the shared matrix, or a position in
// the query's own pool. The order of a list of rows changes nothing. Source: Carbonell and
// Goldstein, "The use of MMR, diversity-based reranking", SIGIR 1998.
// Preconditions: k >= 1; every lambda in [0, 1]; as many columns everywhere; rows in range, each
// once in a pool. Anything else throws std::invalid_argument. NaN or infinity throws NonFiniteError
// ("queries", "pool", or "pool of query 3"); rows that are in no pool aren't looked at.
// Edge cases: a zero vector has cosine 0 with everything, itself included; a pool of fewer than k
// rows is picked empty; an empty pool gives no hits; lambda = 1 gives the ids and the scores of
// cosine_top_k. Picks are nested in k. The result depends on nothing but the values: not on
// instruction set, threads, the other queries or the other lambdas.
// Complexity: at most O(P k d) a query and lambda, mostly O(P d) and a few times k d; extra memory
// O(threads x (P + k d)), and P d for pools that aren't float32 with contiguous rows.
// docs/kernels/mmr.md derives the bound by which similarities are left uncomputed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gnomon/hits.hpp"
#include "gnomon/isa.hpp"
#include "gnomon/matrix.hpp"
#include "gnomon/threads.hpp"

namespace gnomon {

struct MmrRequest {
    MatrixView queries;
    // One matrix for all queries, or one for each query, when there are several.
    std::span<const MatrixView> pools;
    // The pool of query q is rows[offsets[q]] to rows[offsets[q + 1] - 1] of the one matrix. Both
    // empty: all rows, of the shared matrix or of the query's own.
    std::span<const std::int64_t> row_offsets;
    std::span<const std::int64_t> rows;
    std::span<const double> lambdas;
    std::size_t k = 0;
};

// One entry for each lambda, with the hits of all queries.
std::vector<HitLists> mmr(const MmrRequest& request, int threads, const Interrupted& interrupted);

// The same on the named instruction set, which this machine must run.
std::vector<HitLists> mmr(const MmrRequest& request, Isa isa, int threads,
                          const Interrupted& interrupted);

}  // namespace gnomon
