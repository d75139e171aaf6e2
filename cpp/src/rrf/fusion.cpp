#include "rrf/fusion.hpp"

#include <algorithm>
#include <limits>

namespace gnomon::detail {

namespace {

constexpr FusedHit kLast{std::numeric_limits<std::uint64_t>::max(),
                         std::numeric_limits<std::int64_t>::max()};

// Hits of one key, mostly a few, come in any order of their ids.
void sort_ids_within_keys(std::vector<FusedHit>& hits) {
    for (std::size_t begin = 0; begin < hits.size();) {
        std::size_t end = begin + 1;
        for (; end < hits.size() && hits[end].key == hits[begin].key; ++end) {
            // No branch depends on an id: which of two is lower, nobody can predict.
            for (std::size_t at = end; at > begin && end - begin < 4; --at) {
                const std::int64_t low = std::min(hits[at - 1].id, hits[at].id);
                hits[at].id = std::max(hits[at - 1].id, hits[at].id);
                hits[at - 1].id = low;
            }
        }
        if (end - begin > 4) {
            std::sort(hits.begin() + static_cast<std::ptrdiff_t>(begin),
                      hits.begin() + static_cast<std::ptrdiff_t>(end),
                      [](const FusedHit& a, const FusedHit& b) { return a.id < b.id; });
        }
        begin = end;
    }
}

bool is_before(const FusedHit& a, const FusedHit& b) noexcept { return comes_before(a, b); }

}  // namespace

std::size_t Fusion::run(std::span<const std::span<const std::int64_t>> lists, std::size_t top,
                        std::int64_t* ids, float* scores) {
    number_ids(lists);
    add_terms();
    rank_hits();
    const std::size_t count = std::min(top, single_.size() + repeated_.size());
    single_.push_back(kLast);
    repeated_.push_back(kLast);
    const FusedHit* single = single_.data();
    const FusedHit* repeated = repeated_.data();
    for (std::size_t i = 0; i < count; ++i) {
        const bool takes_repeated = comes_before(*repeated, *single);
        const FusedHit next = takes_repeated ? *repeated : *single;
        repeated += takes_repeated ? 1 : 0;
        single += takes_repeated ? 0 : 1;
        ids[i] = next.id;
        scores[i] = next.score();
    }
    return count;
}

// Fills in, for each list of some weight, the numbers of its distinct ids, best first.
void Fusion::number_ids(std::span<const std::span<const std::int64_t>> lists) {
    std::size_t most_ids = 0;
    for (std::size_t l = 0; l < lists.size(); ++l) {
        most_ids += weights_[l] > 0.0 ? lists[l].size() : 0;
    }
    table_.reset(most_ids);
    numbers_.resize(most_ids);
    last_list_.assign(most_ids, 0);
    heads_.clear();
    std::uint32_t* out = numbers_.data();
    for (std::size_t l = 0; l < lists.size(); ++l) {
        if (!(weights_[l] > 0.0)) {
            continue;
        }
        const auto mark = static_cast<std::uint32_t>(l + 1);
        const std::uint32_t* const begin = out;
        for (const std::int64_t id : lists[l]) {
            const std::uint32_t number = table_.number_of(id);
            if (last_list_[number] != mark) {
                last_list_[number] = mark;
                *out++ = number;
            }
        }
        if (out != begin) {
            heads_.push_back({begin, out, weights_[l], weights_[l] / (k_ + 1.0), 1});
        }
    }
}

void Fusion::add_terms() {
    totals_.assign(table_.size(), {0.0, std::numeric_limits<std::uint32_t>::max(), 0});
    visited_.resize(table_.size() + 1);
    n_visited_ = 0;
    const bool same_weights = std::all_of(heads_.begin(), heads_.end(), [&](const Head& head) {
        return head.weight == heads_.front().weight;
    });
    same_weights ? add_rank_by_rank() : add_by_merging();
}

// With one weight for all, all terms of a rank are equal.
void Fusion::add_rank_by_rank() {
    for (std::uint32_t rank = 1; !heads_.empty(); ++rank) {
        const double term = heads_.front().weight / (k_ + static_cast<double>(rank));
        for (Head& head : heads_) {
            add_term(*head.next++, term, rank);
        }
        std::erase_if(heads_, [](const Head& head) { return head.next == head.end; });
    }
}

// The greatest term next; of equal ones, the one of the best rank.
void Fusion::add_by_merging() {
    while (!heads_.empty()) {
        std::size_t greatest = 0;
        for (std::size_t l = 1; l < heads_.size(); ++l) {
            const Head& head = heads_[l];
            const Head& best = heads_[greatest];
            if (head.term > best.term || (head.term == best.term && head.rank < best.rank)) {
                greatest = l;
            }
        }
        Head& head = heads_[greatest];
        add_term(*head.next++, head.term, head.rank++);
        head.term = head.weight / (k_ + static_cast<double>(head.rank));
        if (head.next == head.end) {
            heads_.erase(heads_.begin() + static_cast<std::ptrdiff_t>(greatest));
        }
    }
}

void Fusion::add_term(std::uint32_t number, double term, std::uint32_t rank) noexcept {
    Total& total = totals_[number];
    visited_[n_visited_] = number;
    n_visited_ += total.terms == 0 ? 1 : 0;
    total.sum += term;
    total.best_rank = std::min(total.best_rank, rank);
    ++total.terms;
}

void Fusion::rank_hits() {
    single_.resize(n_visited_ + 1);
    repeated_.resize(n_visited_ + 1);
    std::size_t singles = 0;
    std::size_t others = 0;
    for (std::size_t v = 0; v < n_visited_; ++v) {
        const std::uint32_t number = visited_[v];
        const Total& total = totals_[number];
        const auto score = std::bit_cast<std::uint32_t>(static_cast<float>(total.sum));
        const FusedHit hit{std::uint64_t{~score} << 32U | total.best_rank, table_.id(number)};
        single_[singles] = hit;
        repeated_[others] = hit;
        singles += total.terms == 1 ? 1 : 0;
        others += total.terms == 1 ? 0 : 1;
    }
    single_.resize(singles);
    repeated_.resize(others);
    sort_ids_within_keys(single_);
    // Terms that are apart may still round to one score.
    if (!std::is_sorted(single_.begin(), single_.end(), is_before)) {
        std::sort(single_.begin(), single_.end(), is_before);
    }
    std::sort(repeated_.begin(), repeated_.end(),
              [](const FusedHit& a, const FusedHit& b) { return comes_before(a, b); });
}

}  // namespace gnomon::detail
