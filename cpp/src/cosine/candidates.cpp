#include "cosine/candidates.hpp"

#include <algorithm>

#include "cosine/row_scorer.hpp"

namespace gnomon::detail {

namespace {

constexpr std::size_t kLeastRoom = 64;

}  // namespace

std::size_t Candidates::capacity() const noexcept { return k_ + std::max(k_, kLeastRoom); }

std::size_t Candidates::most_bytes(std::size_t k) noexcept {
    return sizeof(Candidates) + 2 * Candidates(k).capacity() * sizeof(Candidate);
}

void Candidates::add(const Candidate& candidate, RowScorer& scorer) {
    if (candidate.upper < threshold() || k_ == 0) {
        return;
    }
    entries_.push_back(candidate);
    if (entries_.size() < capacity()) {
        return;
    }
    tighten();
    // Less than half of the room made: bounds alone don't separate these rows.
    if (entries_.size() > k_ + (capacity() - k_) / 2) {
        score_all(scorer);
        keep_best();
    }
}

void Candidates::tighten() {
    raise_threshold();
    drop_below_threshold();
}

std::vector<Hit> Candidates::settle(RowScorer& scorer) {
    tighten();
    score_all(scorer);
    keep_best();
    std::vector<Hit> hits;
    hits.reserve(entries_.size());
    for (const Candidate& candidate : entries_) {
        hits.push_back({candidate.lower, candidate.row});
    }
    std::sort(hits.begin(), hits.end(), before);
    return hits;
}

// k rows score at least the k-th best lower bound.
void Candidates::raise_threshold() {
    if (entries_.size() < k_ || k_ == 0) {
        return;
    }
    const auto kth = entries_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(entries_.begin(), kth, entries_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.lower > b.lower; });
    if (kth->lower > threshold()) {
        threshold_.store(kth->lower, std::memory_order_relaxed);
    }
}

void Candidates::drop_below_threshold() {
    const float least = threshold();
    std::erase_if(entries_, [least](const Candidate& c) {
        return c.upper < least || c.upper == -std::numeric_limits<float>::infinity();
    });
}

void Candidates::score_all(RowScorer& scorer) {
    const auto first_unscored = std::partition(entries_.begin(), entries_.end(),
                                               [](const Candidate& c) { return c.scored(); });
    // The likeliest k first: their scores are the threshold that spares most of the others.
    const auto unscored = static_cast<std::size_t>(entries_.end() - first_unscored);
    const std::size_t likely = std::min(k_, unscored);
    const auto rest = first_unscored + static_cast<std::ptrdiff_t>(likely);
    std::nth_element(first_unscored, rest, entries_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.upper > b.upper; });
    const std::size_t already = static_cast<std::size_t>(first_unscored - entries_.begin());
    scorer.score({entries_.data() + already, likely}, threshold());
    if (likely < unscored) {
        std::vector<Candidate> later(rest, entries_.end());
        entries_.erase(rest, entries_.end());
        raise_threshold();
        const float least = threshold();
        std::erase_if(later, [least](const Candidate& c) { return c.upper < least; });
        scorer.score(later, least);
        entries_.insert(entries_.end(), later.begin(), later.end());
    }
    tighten();
}

void Candidates::keep_best() {
    if (entries_.size() <= k_) {
        return;
    }
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(k_);
    std::nth_element(entries_.begin(), end, entries_.end(),
                     [](const Candidate& a, const Candidate& b) {
                         return before({a.lower, a.row}, {b.lower, b.row});
                     });
    entries_.erase(end, entries_.end());
}

}  // namespace gnomon::detail
