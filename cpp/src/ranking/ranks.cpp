#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "gnomon/ranking.hpp"
#include "gnomon/steps.hpp"
#include "linear/first_row.hpp"
#include "ranking/query_blocks.hpp"
#include "ranking/rank_table.hpp"

namespace gnomon {

namespace {

constexpr std::size_t kSearchWeight = 16;  // a large table is in no cache

// Fills in the ranks of one query; nothing when no id repeats.
template <typename Looks>
[[gnu::always_inline]] inline std::optional<RepeatedId>
rank_entries(std::size_t query, std::span<const std::int64_t> list,
             std::span<const std::int64_t> judged, std::span<std::int64_t> ranks,
             detail::RankTable& table, Looks meter) {
    table.begin(query, list.size() + judged.size());
    for (std::size_t place = 0; place < list.size(); ++place) {
        meter.add(kSearchWeight);
        if (!table.add(list[place], place + 1)) {
            return RepeatedId{query, list[place], false};
        }
    }
    for (std::size_t j = 0; j < judged.size(); ++j) {
        meter.add(kSearchWeight);
        ranks[j] = table.judge(judged[j]);
        if (ranks[j] < 0) {
            return RepeatedId{query, judged[j], true};
        }
    }
    return std::nullopt;
}

[[gnu::noinline]] std::optional<RepeatedId> rank_many_entries(std::size_t query,
                                                              std::span<const std::int64_t> list,
                                                              std::span<const std::int64_t> judged,
                                                              std::span<std::int64_t> ranks,
                                                              detail::RankTable& table) {
    return rank_entries(query, list, judged, ranks, table, detail::Meter());
}

// The ranks of the scores `wanted` among `scores`, both of one query.
class ScoreRanks {
  public:
    void find(std::span<const double> scores, std::span<const double> wanted,
              std::span<std::int64_t> first, std::span<std::int64_t> last) {
        levels_.clear();
        for (const auto [begin, end] : detail::steps(wanted.size())) {
            const auto some = wanted.subspan(begin, end - begin);
            std::copy_if(some.begin(), some.end(), std::back_inserter(levels_),
                         [](double score) { return !std::isnan(score); });
        }
        detail::sort_in_steps(levels_.begin(), levels_.end(), std::greater<>());
        levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
        count(scores);
        for (const auto [begin, end] : detail::steps(wanted.size(), kSearchWeight)) {
            for (std::size_t j = begin; j < end; ++j) {
                first[j] = last[j] = 0;
                if (!std::isnan(wanted[j])) {
                    const std::size_t level = level_of(wanted[j]);
                    first[j] = above_[level] + 1;
                    last[j] = above_[level] + equal_[level];
                }
            }
        }
    }

  private:
    std::size_t level_of(double score) const noexcept {
        return static_cast<std::size_t>(
            std::lower_bound(levels_.begin(), levels_.end(), score, std::greater<>()) -
            levels_.begin());
    }

    // above_ becomes how many scores are greater than each level, equal_ how many equal it.
    void count(std::span<const double> scores) {
        detail::assign_in_steps(above_, levels_.size(), std::int64_t{0});
        detail::assign_in_steps(equal_, levels_.size(), std::int64_t{0});
        if (levels_.size() <= kFewLevels) {
            compare_all(scores);
        } else {
            sort_in(scores);
        }
    }

    // No branch depends on a score, which is faster than a search as long as levels are few.
    void compare_all(std::span<const double> scores) {
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            const double limit = levels_[level];
            std::int64_t above = 0;
            std::int64_t equal = 0;
            for (const auto [begin, end] : detail::steps(scores.size())) {
                for (const double score : scores.subspan(begin, end - begin)) {
                    above += score > limit ? 1 : 0;
                    equal += score == limit ? 1 : 0;
                }
            }
            above_[level] = above;
            equal_[level] = equal;
        }
    }

    void sort_in(std::span<const double> scores) {
        for (const auto [begin, end] : detail::steps(scores.size(), kSearchWeight)) {
            for (const double score : scores.subspan(begin, end - begin)) {
                const std::size_t level = level_of(score);  // the highest level that it reaches
                if (level < levels_.size()) {
                    const bool equal = score == levels_[level];
                    equal_[level] += equal ? 1 : 0;
                    above_[level] += equal ? 0 : 1;
                }
            }
        }
        std::int64_t above = 0;
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            above += above_[level];
            above_[level] = above;
            above += equal_[level];
        }
    }

    static constexpr std::size_t kFewLevels = 16;

    std::vector<double> levels_;  // distinct, falling
    std::vector<std::int64_t> above_;
    std::vector<std::int64_t> equal_;
};

// Groups of neighbours with the same score in one list.
class Neighbours {
  public:
    void group(std::span<const double> scores) {
        const std::size_t n = scores.size();
        detail::resize_in_steps(first_, n);
        detail::resize_in_steps(last_, n);
        for (const auto [begin, end] : detail::steps(n)) {
            for (std::size_t i = begin; i < end; ++i) {
                const bool joins = i > 0 && scores[i] == scores[i - 1];
                first_[i] = joins ? first_[i - 1] : static_cast<std::int64_t>(i) + 1;
            }
        }
        for (const auto [begin, end] : detail::steps(n)) {
            for (std::size_t i = n - begin; i-- > n - end;) {
                const bool joins = i + 1 < n && scores[i] == scores[i + 1];
                last_[i] = joins ? last_[i + 1] : static_cast<std::int64_t>(i) + 1;
            }
        }
    }

    // The first and last rank of the group that a rank belongs to; 0 and 0 for 0.
    std::pair<std::int64_t, std::int64_t> of(std::int64_t rank) const {
        if (rank < 1) {
            return {0, 0};
        }
        const auto place = static_cast<std::size_t>(rank) - 1;
        if (place >= first_.size()) {
            throw std::invalid_argument("tied_ranks_in_lists: rank " + std::to_string(rank) +
                                        " in a list of " + std::to_string(first_.size()));
        }
        return {first_[place], last_[place]};
    }

  private:
    std::vector<std::int64_t> first_;
    std::vector<std::int64_t> last_;
};

}  // namespace

std::optional<RepeatedId> ranks_in_lists(const PerQuery<std::int64_t>& lists,
                                         const PerQuery<std::int64_t>& judged,
                                         std::span<std::int64_t> ranks, int threads,
                                         const Interrupted& interrupted) {
    const Interruptible scope(interrupted);
    constexpr const char* kName = "ranks_in_lists";
    const std::size_t queries = lists.queries();
    detail::check_offsets(kName, "list offsets", lists.offsets, queries, lists.entries.size());
    detail::check_offsets(kName, "judged offsets", judged.offsets, queries, judged.entries.size());
    detail::expect_size(kName, "ranks", ranks.size(), judged.entries.size());
    const std::size_t longest = detail::most_entries(lists.offsets);
    if (longest >= std::size_t{1} << 31U || queries >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::invalid_argument("ranks_in_lists: more than 2^31 ids in a list, or 2^32 lists");
    }
    const std::size_t most = longest + detail::most_entries(judged.offsets);
    const detail::QueryBlocks blocks(lists.offsets);
    std::vector<detail::RankTable> tables(blocks.workers(threads));
    detail::FirstRow faulty;
    const auto rank = [&](std::size_t query, detail::RankTable& table) {
        const auto begin = static_cast<std::size_t>(judged.offsets[query]);
        const auto own = judged.of(query);
        const auto out = ranks.subspan(begin, own.size());
        const auto list = lists.of(query);
        return list.size() + own.size() <= detail::kStep
                   ? rank_entries(query, list, own, out, table, detail::NoMeter())
                   : rank_many_entries(query, list, own, out, table);
    };
    blocks.run(threads, interrupted, [&](std::size_t begin, std::size_t end, int worker) {
        auto& table = tables[static_cast<std::size_t>(worker)];
        table.reserve(most);
        for (std::size_t query = begin; query < end; ++query) {
            if (rank(query, table)) {
                faulty.offer(query);
            }
        }
    });
    if (!faulty.get()) {
        return std::nullopt;
    }
    detail::RankTable table;
    table.reserve(most);
    return rank(*faulty.get(), table);
}

void tied_ranks_in_lists(std::span<const std::int64_t> ranks,
                         std::span<const std::int64_t> judged_offsets,
                         const PerQuery<double>& scores, std::span<std::int64_t> first,
                         std::span<std::int64_t> last, int threads,
                         const Interrupted& interrupted) {
    const Interruptible scope(interrupted);
    constexpr const char* kName = "tied_ranks_in_lists";
    const std::size_t queries = scores.queries();
    detail::check_offsets(kName, "list offsets", scores.offsets, queries, scores.entries.size());
    detail::check_offsets(kName, "judged offsets", judged_offsets, queries, ranks.size());
    detail::expect_size(kName, "first", first.size(), ranks.size());
    detail::expect_size(kName, "last", last.size(), ranks.size());
    const detail::QueryBlocks blocks(scores.offsets);
    std::vector<Neighbours> workers(blocks.workers(threads));
    blocks.run(threads, interrupted, [&](std::size_t begin, std::size_t end, int worker) {
        Neighbours& neighbours = workers[static_cast<std::size_t>(worker)];
        for (std::size_t query = begin; query < end; ++query) {
            neighbours.group(scores.of(query));
            const auto from = static_cast<std::size_t>(judged_offsets[query]);
            const auto past = static_cast<std::size_t>(judged_offsets[query + 1]);
            for (const auto [first_step, past_step] : detail::steps(past - from)) {
                for (std::size_t j = from + first_step; j < from + past_step; ++j) {
                    std::tie(first[j], last[j]) = neighbours.of(ranks[j]);
                }
            }
        }
    });
}

void tied_ranks_by_score(const PerQuery<double>& scores, const PerQuery<double>& judged_scores,
                         std::span<std::int64_t> first, std::span<std::int64_t> last, int threads,
                         const Interrupted& interrupted) {
    const Interruptible scope(interrupted);
    constexpr const char* kName = "tied_ranks_by_score";
    const std::size_t queries = scores.queries();
    const std::size_t judged = judged_scores.entries.size();
    detail::check_offsets(kName, "list offsets", scores.offsets, queries, scores.entries.size());
    detail::check_offsets(kName, "judged offsets", judged_scores.offsets, queries, judged);
    detail::expect_size(kName, "first", first.size(), judged);
    detail::expect_size(kName, "last", last.size(), judged);
    const detail::QueryBlocks blocks(scores.offsets);
    std::vector<ScoreRanks> finders(blocks.workers(threads));
    blocks.run(threads, interrupted, [&](std::size_t begin, std::size_t end, int worker) {
        for (std::size_t query = begin; query < end; ++query) {
            const auto wanted = judged_scores.of(query);
            const auto at = static_cast<std::size_t>(judged_scores.offsets[query]);
            finders[static_cast<std::size_t>(worker)].find(scores.of(query), wanted,
                                                           first.subspan(at, wanted.size()),
                                                           last.subspan(at, wanted.size()));
        }
    });
}

}  // namespace gnomon
