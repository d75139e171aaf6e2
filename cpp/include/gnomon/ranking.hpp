// Ranking metrics: the ranks of judged documents in ranked lists, and figures from those ranks.
//
// Lists and judgements are in CSR form: query q owns the entries offsets[q] up to offsets[q + 1].
// `offsets` starts at 0, never falls and ends at the number of entries (std::invalid_argument
// otherwise). Ranks start at 1; 0 means not retrieved. A judged document is relevant when its gain
// is above 0.
//
// For a query with R relevant documents, F of them at a rank of at most k, r_1 <= r_2 <= ... their
// ranks and g_i their gains:
//   recall            F / R
//   capped recall     F / min(k, R)
//   precision         F / k
//   reciprocal rank   1 / r_1, or 0
//   average precision (1 / r_1 + 2 / r_2 + ... + F / r_F) / R
//   nDCG              sum of g_i d(r_i) over the same sum for the gains of all R in falling order
// with d(r) = 1 / log2(r + 1) from the caller's table (Jarvelin and Kekalainen 2002; linear gain
// and discount as in trec_eval). Documents may share a rank, which could lift nDCG over 1: it is
// capped.
//
// Sums are correctly rounded, so that neither the order of the judgements nor a thread count can
// reach a result. Nothing here depends on the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "gnomon/threads.hpp"

namespace gnomon {

enum class Metric : std::uint8_t {
    recall = 0,
    capped_recall = 1,
    precision = 2,
    reciprocal_rank = 3,
    average_precision = 4,
    ndcg = 5
};

// A metric and its cutoff; at least 1.
struct Measure {
    Metric metric;
    std::int64_t cutoff;
};

// The entries of all queries one after the other.
template <typename T>
struct PerQuery {
    std::span<const T> entries;
    std::span<const std::int64_t> offsets;

    std::size_t queries() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
    std::span<const T> of(std::size_t query) const noexcept {
        const auto begin = static_cast<std::size_t>(offsets[query]);
        return entries.subspan(begin, static_cast<std::size_t>(offsets[query + 1]) - begin);
    }
};

// An id that a query lists, or judges, more than once.
struct RepeatedId {
    std::size_t query;
    std::int64_t id;
    bool judged;
};

// The correctly rounded sum of values of any signs; each and the sum must be finite.
double exact_sum(std::span<const double> values);

// That sum divided by the number of values, of which there is at least one.
double exact_mean(std::span<const double> values);

// ranks[j] = where judged document j stands in the list of its query. Stops at the first query in
// which an id repeats. O(entries), scratch of up to 64 bytes for each entry of
// the longest query (256 when it has at most 512).
std::optional<RepeatedId> ranks_in_lists(const PerQuery<std::int64_t>& lists,
                                         const PerQuery<std::int64_t>& judged,
                                         std::span<std::int64_t> ranks, int threads,
                                         const Interrupted& interrupted);

// The first and last rank that judged document j could have without changing the order of the
// scores: those of the neighbours with the same score. `ranks` are those in the lists, `scores` one
// for each entry of the lists.
void tied_ranks_in_lists(std::span<const std::int64_t> ranks,
                         std::span<const std::int64_t> judged_offsets,
                         const PerQuery<double>& scores, std::span<std::int64_t> first,
                         std::span<std::int64_t> last, int threads, const Interrupted& interrupted);

// The same from scores in any order: first = 1 + how many are greater, last = how many are at least
// as great. A judged score of NaN means not retrieved: 0 and 0. `scores` holds no NaN.
void tied_ranks_by_score(const PerQuery<double>& scores, const PerQuery<double>& judged_scores,
                         std::span<std::int64_t> first, std::span<std::int64_t> last, int threads,
                         const Interrupted& interrupted);

// values[m * queries + q] = measure m of query q, 0 where nothing is relevant; relevant[q] and
// retrieved[q] count its relevant documents and those with a rank. `discounts` must reach the
// deepest rank and the number of relevant documents of a query, as far as a cutoff of nDCG lets
// them count (std::invalid_argument otherwise).
void ranking_metrics(std::span<const std::int64_t> ranks, const PerQuery<double>& gains,
                     std::span<const Measure> measures, std::span<const double> discounts,
                     std::span<double> values, std::span<std::int64_t> relevant,
                     std::span<std::int64_t> retrieved, int threads,
                     const Interrupted& interrupted);

// tied[m * queries + q] = 1 where some order of the tied documents gives another value than some
// other order: where the metric differs between relevant documents first and relevant documents
// last in every group of equal scores.
void decided_by_ties(std::span<const std::int64_t> first, std::span<const std::int64_t> last,
                     const PerQuery<double>& gains, std::span<const Measure> measures,
                     std::span<const double> discounts, std::span<std::uint8_t> tied, int threads,
                     const Interrupted& interrupted);

}  // namespace gnomon
