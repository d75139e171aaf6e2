#include "rrf/fusion.hpp"

#include <algorithm>
#include <limits>

#include "gnomon/steps.hpp"

namespace gnomon::detail {

namespace {

constexpr FusedHit kLast{std::numeric_limits<std::uint64_t>::max(),
                         std::numeric_limits<std::int64_t>::max()};

// Hits of one key, mostly a few, come in any order of their ids.
void sort_ids_within_keys(std::vector<FusedHit>& hits) {
    Meter meter;
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
            sort_in_steps(hits.begin() + static_cast<std::ptrdiff_t>(begin),
                          hits.begin() + static_cast<std::ptrdiff_t>(end),
                          [](const FusedHit& a, const FusedHit& b) { return a.id < b.id; });
        }
        meter.add(end - begin);
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
    for (const auto [begin, end] : steps(count)) {
        for (std::size_t i = begin; i < end; ++i) {
            const bool takes_repeated = comes_before(*repeated, *single);
            const FusedHit next = takes_repeated ? *repeated : *single;
            repeated += takes_repeated ? 1 : 0;
            single += takes_repeated ? 0 : 1;
            ids[i] = next.id;
            scores[i] = next.score();
        }
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
    resize_in_steps(numbers_, most_ids);
    assign_in_steps(last_list_, most_ids, 0U);
    heads_.clear();
    std::uint32_t* out = numbers_.data();
    for (std::size_t l = 0; l < lists.size(); ++l) {
        if (!(weights_[l] > 0.0)) {
            continue;
        }
        const auto mark = static_cast<std::uint32_t>(l + 1);
        const std::uint32_t* const begin = out;
        for (const auto [first, past] : steps(lists[l].size())) {
            for (const std::int64_t id : lists[l].subspan(first, past - first)) {
                const std::uint32_t number = table_.number_of(id);
                if (last_list_[number] != mark) {
                    last_list_[number] = mark;
                    *out++ = number;
                }
            }
        }
        if (out != begin) {
            heads_.push_back({begin, begin, out, weights_[l], weights_[l] / (k_ + 1.0), 1});
        }
    }
}

void Fusion::add_terms() {
    assign_in_steps(totals_, table_.size(),
                    Total{0.0, std::numeric_limits<std::uint32_t>::max(), 0});
    resize_in_steps(visited_, table_.size() + 1);
    n_visited_ = 0;
    const bool same_weights = std::all_of(heads_.begin(), heads_.end(), [&](const Head& head) {
        return head.weight == heads_.front().weight;
    });
    same_weights ? add_rank_by_rank() : add_by_merging();
}

std::ptrdiff_t Fusion::ids_at_once() const noexcept {
    return static_cast<std::ptrdiff_t>(1 + kStep / (1 + heads_.size()));
}

// With one weight for all, all terms of a rank are equal.
void Fusion::add_rank_by_rank() {
    Meter meter;
    const std::ptrdiff_t at_once = ids_at_once();
    for (std::uint32_t rank = 1; !heads_.empty();) {
        std::ptrdiff_t ranks = at_once;
        for (const Head& head : heads_) {
            ranks = std::min(ranks, head.last - head.next);
        }
        meter.add(heads_.size() * static_cast<std::size_t>(ranks));
        for (; ranks > 0; --ranks, ++rank) {
            const double term = heads_.front().weight / (k_ + static_cast<double>(rank));
            for (Head& head : heads_) {
                add_term(*head.next++, term, rank);
            }
        }
        std::erase_if(heads_, [](const Head& head) { return head.next == head.last; });
    }
}

// The greatest term next; of equal ones, the one of the best rank. Returns whose end was reached.
std::size_t Fusion::merge_until_an_end() noexcept {
    while (true) {
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
            return greatest;
        }
    }
}

void Fusion::add_by_merging() {
    const std::ptrdiff_t at_once = ids_at_once();
    for (Head& head : heads_) {
        head.end = head.next + std::min(at_once, head.last - head.next);
    }
    while (!heads_.empty()) {
        const std::size_t ended = merge_until_an_end();
        Head& head = heads_[ended];
        if (head.next == head.last) {
            heads_.erase(heads_.begin() + static_cast<std::ptrdiff_t>(ended));
        } else {
            head.end += std::min(at_once, head.last - head.next);
            check_interruption();
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
    resize_in_steps(single_, n_visited_ + 1);
    resize_in_steps(repeated_, n_visited_ + 1);
    std::size_t singles = 0;
    std::size_t others = 0;
    for (const auto [begin, end] : steps(n_visited_)) {
        for (std::size_t v = begin; v < end; ++v) {
            const std::uint32_t number = visited_[v];
            const Total& total = totals_[number];
            const auto score = std::bit_cast<std::uint32_t>(static_cast<float>(total.sum));
            const FusedHit hit{std::uint64_t{~score} << 32U | total.best_rank, table_.id(number)};
            single_[singles] = hit;
            repeated_[others] = hit;
            singles += total.terms == 1 ? 1 : 0;
            others += total.terms == 1 ? 0 : 1;
        }
    }
    single_.resize(singles);
    repeated_.resize(others);
    sort_ids_within_keys(single_);
    // Terms that are apart may still round to one score.
    if (!std::is_sorted(single_.begin(), single_.end(), is_before)) {
        sort_in_steps(single_.begin(), single_.end(), is_before);
    }
    sort_in_steps(repeated_.begin(), repeated_.end(),
                  [](const FusedHit& a, const FusedHit& b) { return comes_before(a, b); });
}

}  // namespace gnomon::detail
