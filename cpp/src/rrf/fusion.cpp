#include "rrf/fusion.hpp"

#include <algorithm>
#include <limits>

namespace gnomon::detail {

namespace {

// Insertion, for hits that are nearly in order: as long as it moves few of them.
void sort_nearly_sorted(std::vector<FusedHit>& hits) {
    std::size_t moves_left = 4 * hits.size();
    for (std::size_t i = 1; i < hits.size(); ++i) {
        const FusedHit moving = hits[i];
        std::size_t at = i;
        for (; at > 0 && comes_before(moving, hits[at - 1]); --at) {
            hits[at] = hits[at - 1];
            if (--moves_left == 0) {
                hits[at - 1] = moving;
                std::sort(hits.begin(), hits.end(), comes_before);
                return;
            }
        }
        hits[at] = moving;
    }
}

}  // namespace

std::size_t Fusion::run(std::span<const std::span<const std::int64_t>> lists, std::size_t top,
                        std::int64_t* ids, float* scores) {
    number_ids(lists);
    add_terms();
    rank_hits();
    const std::size_t count = std::min(top, single_.size() + repeated_.size());
    std::size_t s = 0;
    std::size_t r = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const bool takes_repeated =
            s == single_.size() || (r < repeated_.size() && comes_before(repeated_[r], single_[s]));
        const FusedHit& next = takes_repeated ? repeated_[r++] : single_[s++];
        ids[i] = next.id;
        scores[i] = next.score;
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
    visited_.clear();
    while (!heads_.empty()) {
        std::size_t greatest = 0;
        for (std::size_t l = 1; l < heads_.size(); ++l) {
            if (heads_[l].term > heads_[greatest].term) {
                greatest = l;
            }
        }
        Head& head = heads_[greatest];
        add_term(head);
        if (head.next == head.end) {
            heads_.erase(heads_.begin() + static_cast<std::ptrdiff_t>(greatest));
        }
    }
}

void Fusion::add_term(Head& head) {
    Total& total = totals_[*head.next];
    if (total.terms == 0) {
        visited_.push_back(*head.next);
    }
    total.sum += head.term;
    total.best_rank = std::min(total.best_rank, head.rank);
    ++total.terms;
    ++head.next;
    ++head.rank;
    head.term = head.weight / (k_ + static_cast<double>(head.rank));
}

void Fusion::rank_hits() {
    single_.clear();
    repeated_.clear();
    for (const std::uint32_t number : visited_) {
        (totals_[number].terms == 1 ? single_ : repeated_).push_back(hit(number));
    }
    sort_nearly_sorted(single_);
    std::sort(repeated_.begin(), repeated_.end(), comes_before);
}

FusedHit Fusion::hit(std::uint32_t number) const noexcept {
    const Total& total = totals_[number];
    return {static_cast<float>(total.sum), total.best_rank, table_.id(number)};
}

}  // namespace gnomon::detail
