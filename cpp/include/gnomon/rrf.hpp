// Reciprocal rank fusion: one ranking out of several.
//
// Formula: score(id) = sum over the lists that hold it of weight / (k + rank), where rank, from 1,
// is the position among the distinct ids of that list (the first occurrence counts, later ones take
// no rank). Terms are float64 quotients, added from the greatest to the smallest, so that the sum
// doesn't depend on the order of the lists, and the sum is rounded once to float32. Order: score
// descending, then the best single rank ascending, then id ascending. Source: Cormack, Clarke and
// Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
// SIGIR 2009, where k = 60.
// Preconditions: at least one list; one weight a list, finite, not negative, not all of them zero;
// the sum of the weights, divided by k + 1, within float32; k finite and not negative; every list
// has as many queries. Anything else throws std::invalid_argument.
// Edge cases: a list of weight 0 takes no part, neither with ids nor with ranks; negative ids are
// ids like any other; empty lists are fine; lists without any id give no hits. The result depends
// on nothing but the rankings: not on the order of the lists, the instruction set, or threads.
// Complexity: O(n (L + log n)) a query of n ids in L lists; extra memory O(threads x n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "gnomon/hits.hpp"
#include "gnomon/isa.hpp"
#include "gnomon/threads.hpp"

namespace gnomon {

// The ids that one system found, best first: those of query q are entries [offsets[q],
// offsets[q + 1]).
struct RankedLists {
    std::span<const std::int64_t> ids;
    std::span<const std::int64_t> offsets;
};

struct RrfRequest {
    std::span<const RankedLists> lists;
    std::span<const double> weights;
    double k = 60.0;
    std::size_t top = std::numeric_limits<std::size_t>::max();  // at most this many hits a query
};

HitLists rrf(const RrfRequest& request, int threads, const Interrupted& interrupted);

// The same on the named instruction set, which this machine must run.
HitLists rrf(const RrfRequest& request, Isa isa, int threads, const Interrupted& interrupted);

}  // namespace gnomon
