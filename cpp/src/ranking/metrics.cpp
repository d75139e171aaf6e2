#include <algorithm>
#include <vector>

#include "gnomon/ranking.hpp"
#include "gnomon/steps.hpp"
#include "ranking/query_blocks.hpp"
#include "ranking/query_metrics.hpp"

namespace gnomon {

namespace {

using detail::Placed;
using detail::QueryMetrics;

void check_measures(const char* function, std::span<const Measure> measures) {
    for (const Measure& measure : measures) {
        if (measure.cutoff < 1) {
            throw std::invalid_argument(std::string(function) + ": cutoff " +
                                        std::to_string(measure.cutoff) + " is under 1");
        }
    }
}

// How many discounts nDCG may ask for.
std::int64_t discounts_needed(std::span<const std::int64_t> deepest_ranks,
                              std::span<const std::int64_t> offsets,
                              std::span<const Measure> measures) {
    std::int64_t cutoff = 0;
    for (const Measure& measure : measures) {
        if (measure.metric == Metric::ndcg) {
            cutoff = std::max(cutoff, measure.cutoff);
        }
    }
    if (cutoff == 0) {
        return 0;
    }
    auto deepest = static_cast<std::int64_t>(detail::most_entries(offsets));
    for (const auto [begin, end] : detail::steps(deepest_ranks.size())) {
        for (const std::int64_t rank : deepest_ranks.subspan(begin, end - begin)) {
            deepest = std::max(deepest, rank);
        }
    }
    return std::min(cutoff, deepest);
}

void check_discounts(const char* function, std::span<const double> discounts, std::int64_t needed) {
    if (static_cast<std::int64_t>(discounts.size()) < needed) {
        throw std::invalid_argument(std::string(function) + ": " +
                                    std::to_string(discounts.size()) + " discounts, expected " +
                                    std::to_string(needed));
    }
}

// A relevant document that shares its score with others.
struct Span {
    std::int64_t first;
    std::int64_t last;
    double gain;
};

// Both extremes of one query's ties.
class Extremes {
  public:
    // False when no relevant document shares its score.
    bool take(std::span<const std::int64_t> first, std::span<const std::int64_t> last,
              std::span<const double> gains) {
        spans_.clear();
        bool shared = false;
        for (const auto [begin, end] : detail::steps(gains.size())) {
            for (std::size_t j = begin; j < end; ++j) {
                if (gains[j] > 0.0 && first[j] >= 1) {
                    spans_.push_back({first[j], last[j], gains[j]});
                    shared = shared || last[j] > first[j];
                }
            }
        }
        if (shared) {
            arrange();
        }
        return shared;
    }

    std::span<const Placed> best() const noexcept { return best_; }
    std::span<const Placed> worst() const noexcept { return worst_; }

  private:
    // In each group the i-th greatest gain stands i places from the top, or i from the bottom.
    void arrange() {
        detail::sort_in_steps(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
            return a.first < b.first || (a.first == b.first && a.gain > b.gain);
        });
        best_.clear();
        worst_.clear();
        std::int64_t before = 0;
        detail::Meter meter;
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            meter.add(1);
            const Span& span = spans_[i];
            before = i > 0 && spans_[i - 1].first == span.first ? before + 1 : 0;
            if (span.last - before < span.first) {
                throw std::invalid_argument(
                    "decided_by_ties: more relevant documents than ranks from " +
                    std::to_string(span.first) + " to " + std::to_string(span.last));
            }
            best_.push_back({span.first + before, span.gain});
            worst_.push_back({span.last - before, span.gain});
        }
    }

    std::vector<Span> spans_;
    std::vector<Placed> best_;
    std::vector<Placed> worst_;
};

struct Worker {
    QueryMetrics query;
    Extremes extremes;
    std::vector<double> best;
};

std::vector<Worker> workers_for(std::size_t n, const detail::Discounts& discounts) {
    return std::vector<Worker>(n, Worker{QueryMetrics(discounts), {}, {}});
}

}  // namespace

void ranking_metrics(std::span<const std::int64_t> ranks, const PerQuery<double>& gains,
                     std::span<const Measure> measures, std::span<const double> discounts,
                     std::span<double> values, std::span<std::int64_t> relevant,
                     std::span<std::int64_t> retrieved, int threads,
                     const Interrupted& interrupted) {
    const Interruptible scope(interrupted);
    constexpr const char* kName = "ranking_metrics";
    const std::size_t queries = gains.queries();
    detail::check_offsets(kName, "offsets", gains.offsets, queries, gains.entries.size());
    detail::expect_size(kName, "ranks", ranks.size(), gains.entries.size());
    detail::expect_size(kName, "values", values.size(), measures.size() * queries);
    detail::expect_size(kName, "relevant", relevant.size(), queries);
    detail::expect_size(kName, "retrieved", retrieved.size(), queries);
    check_measures(kName, measures);
    check_discounts(kName, discounts, discounts_needed(ranks, gains.offsets, measures));
    const detail::Discounts table(discounts);
    const detail::QueryBlocks blocks(gains.offsets);
    std::vector<Worker> workers = workers_for(blocks.workers(threads), table);
    blocks.run(threads, interrupted, [&](std::size_t begin, std::size_t end, int number) {
        Worker& worker = workers[static_cast<std::size_t>(number)];
        for (std::size_t query = begin; query < end; ++query) {
            const auto own = gains.of(query);
            const auto at = static_cast<std::size_t>(gains.offsets[query]);
            worker.query.judge(own);
            worker.query.place(ranks.subspan(at, own.size()), own);
            relevant[query] = static_cast<std::int64_t>(worker.query.relevant());
            retrieved[query] = static_cast<std::int64_t>(worker.query.retrieved());
            for (std::size_t m = 0; m < measures.size(); ++m) {
                values[m * queries + query] = worker.query.value(measures[m]);
            }
        }
    });
}

void decided_by_ties(std::span<const std::int64_t> first, std::span<const std::int64_t> last,
                     const PerQuery<double>& gains, std::span<const Measure> measures,
                     std::span<const double> discounts, std::span<std::uint8_t> tied, int threads,
                     const Interrupted& interrupted) {
    const Interruptible scope(interrupted);
    constexpr const char* kName = "decided_by_ties";
    const std::size_t queries = gains.queries();
    detail::check_offsets(kName, "offsets", gains.offsets, queries, gains.entries.size());
    detail::expect_size(kName, "first", first.size(), gains.entries.size());
    detail::expect_size(kName, "last", last.size(), gains.entries.size());
    detail::expect_size(kName, "tied", tied.size(), measures.size() * queries);
    check_measures(kName, measures);
    check_discounts(kName, discounts, discounts_needed(last, gains.offsets, measures));
    const detail::Discounts table(discounts);
    const detail::QueryBlocks blocks(gains.offsets);
    std::vector<Worker> workers = workers_for(blocks.workers(threads), table);
    blocks.run(threads, interrupted, [&](std::size_t begin, std::size_t end, int number) {
        Worker& worker = workers[static_cast<std::size_t>(number)];
        worker.best.resize(measures.size());
        for (std::size_t query = begin; query < end; ++query) {
            const auto own = gains.of(query);
            const auto at = static_cast<std::size_t>(gains.offsets[query]);
            const bool shared = worker.extremes.take(first.subspan(at, own.size()),
                                                     last.subspan(at, own.size()), own);
            if (shared) {
                worker.query.judge(own);
                worker.query.place(worker.extremes.best());
                for (std::size_t m = 0; m < measures.size(); ++m) {
                    worker.best[m] = worker.query.value(measures[m]);
                }
                worker.query.place(worker.extremes.worst());
            }
            for (std::size_t m = 0; m < measures.size(); ++m) {
                const bool moves = shared && worker.query.value(measures[m]) != worker.best[m];
                tied[m * queries + query] = moves ? 1 : 0;
            }
        }
    });
}

}  // namespace gnomon
