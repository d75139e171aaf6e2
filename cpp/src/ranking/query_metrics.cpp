#include "ranking/query_metrics.hpp"

#include <algorithm>
#include <functional>

#include "gnomon/steps.hpp"
#include "ranking/exact_sum.hpp"
#include "threads/float_environment.hpp"

namespace gnomon::detail {

Discounts::Discounts(std::span<const double> table) : table_(table), sums_(1, 0.0) {
    const FloatEnvironment environment;
    ExactSum sum;
    resize_in_steps(sums_, table.size() + 1);
    for (const auto [begin, end] : steps(table.size())) {
        for (std::size_t n = begin; n < end; ++n) {
            sum.add(table[n]);
            sums_[n + 1] = sum.rounded();
        }
    }
}

void QueryMetrics::judge(std::span<const double> gains) {
    // Whether a document is relevant can't be predicted: written always, kept by the count.
    resize_in_steps(gains_, gains.size());
    std::size_t kept = 0;
    bool all_one = true;
    metered(gains.size(), [&](auto meter) {
        for (const double gain : gains) {
            meter.add(1);
            gains_[kept] = gain;
            kept += gain > 0.0 ? 1 : 0;
            all_one = all_one && (gain == 1.0 || !(gain > 0.0));
        }
    });
    gains_.resize(kept);
    all_one_ = all_one;
    falling_ = false;
}

[[gnu::always_inline]] inline void QueryMetrics::sort_places() {
    sort_in_steps(placed_.begin(), placed_.end(),
                  [](const Placed& a, const Placed& b) { return a.rank < b.rank; });
}

void QueryMetrics::place(std::span<const std::int64_t> ranks, std::span<const double> gains) {
    resize_in_steps(placed_, gains.size());
    std::size_t kept = 0;
    metered(gains.size(), [&](auto meter) {
        for (std::size_t j = 0; j < gains.size(); ++j) {
            meter.add(1);
            placed_[kept] = {ranks[j], gains[j]};
            kept +=
                static_cast<std::size_t>(gains[j] > 0.0) & static_cast<std::size_t>(ranks[j] >= 1);
        }
    });
    placed_.resize(kept);
    sort_places();
}

void QueryMetrics::place(std::span<const Placed> placed) {
    placed_.assign(placed.begin(), placed.end());
    sort_places();
}

double QueryMetrics::value(const Measure& measure) {
    if (gains_.empty()) {
        return 0.0;
    }
    const std::size_t found = found_by(measure.cutoff);
    const auto relevant = static_cast<double>(gains_.size());
    const auto cutoff = static_cast<double>(measure.cutoff);
    switch (measure.metric) {
    case Metric::recall: return static_cast<double>(found) / relevant;
    case Metric::capped_recall: return static_cast<double>(found) / std::min(cutoff, relevant);
    case Metric::precision: return static_cast<double>(found) / cutoff;
    case Metric::reciprocal_rank:
        return found == 0 ? 0.0 : 1.0 / static_cast<double>(placed_.front().rank);
    case Metric::average_precision: return average_precision(found);
    case Metric::ndcg: return ndcg(found, measure.cutoff);
    }
    return 0.0;
}

std::size_t QueryMetrics::found_by(std::int64_t cutoff) const noexcept {
    const auto past = std::upper_bound(
        placed_.begin(), placed_.end(), cutoff,
        [](std::int64_t limit, const Placed& placed) { return limit < placed.rank; });
    return static_cast<std::size_t>(past - placed_.begin());
}

double QueryMetrics::average_precision(std::size_t found) const {
    const double sum = rounded_sum(found, [this](std::size_t i) {
        return static_cast<double>(i + 1) / static_cast<double>(placed_[i].rank);
    });
    return sum / static_cast<double>(gains_.size());
}

double QueryMetrics::ndcg(std::size_t found, std::int64_t cutoff) {
    if (found == 0) {
        return 0.0;
    }
    const double reached = rounded_sum(
        found, [this](std::size_t i) { return placed_[i].gain * discounts_->at(placed_[i].rank); });
    return std::min(reached / ideal(cutoff), 1.0);
}

double QueryMetrics::ideal(std::int64_t cutoff) {
    const std::size_t counted =
        std::min(gains_.size(), static_cast<std::size_t>(std::max<std::int64_t>(cutoff, 0)));
    if (all_one_) {
        return discounts_->sum_of_first(counted);
    }
    if (!falling_) {
        sort_in_steps(gains_.begin(), gains_.end(), std::greater<>());
        falling_ = true;
    }
    return rounded_sum(counted, [this](std::size_t i) {
        return gains_[i] * discounts_->at(static_cast<std::int64_t>(i) + 1);
    });
}

}  // namespace gnomon::detail
