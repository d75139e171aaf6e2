#include "cosine/candidates.hpp"

#include <algorithm>
#include <functional>

#include "cosine/row_scorer.hpp"
#include "gnomon/steps.hpp"

namespace gnomon::detail {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kHeapWeight = 16;  // a large heap is in no cache

}  // namespace

std::size_t Candidates::most_bytes(std::size_t k) noexcept {
    return sizeof(Candidates) + Candidates(k).capacity() * sizeof(Candidate) + k * sizeof(float);
}

void Candidates::add(const Candidate& candidate, RowScorer& scorer) {
    if (candidate.upper < threshold() || k_ == 0) {
        return;
    }
    if (candidate.scored() && last_ && !before({candidate.likely, candidate.row}, *last_)) {
        return;
    }
    if (entries_.size() == entries_.capacity()) {
        entries_.reserve(std::min(2 * entries_.size() + k_, capacity()));
    }
    entries_.push_back(candidate);
    raise_threshold(candidate.likely);
    if (entries_.size() < capacity()) {
        return;
    }
    drop_below_threshold();
    if (entries_.size() > capacity() - (k_ + kRoom) / 2) {
        crowded_ = true;
        score_all(scorer);
        keep_best();
    }
}

// Minus infinity until k are known.
float Candidates::kth_best() const noexcept {
    return best_.size() < k_ || k_ == 0 ? -kInfinity : best_.front();
}

void Candidates::raise_threshold(float likely) {
    if (best_.size() < k_) {
        best_.push_back(likely);
        std::push_heap(best_.begin(), best_.end(), std::greater<>());
    } else if (likely > best_.front()) {
        std::pop_heap(best_.begin(), best_.end(), std::greater<>());
        best_.back() = likely;
        std::push_heap(best_.begin(), best_.end(), std::greater<>());
    }
    if (kth_best() > threshold()) {
        threshold_.store(kth_best(), std::memory_order_relaxed);
    }
}

void Candidates::rank_likely_again() {
    best_.clear();
    Meter meter;
    for (const Candidate& candidate : entries_) {
        meter.add(kHeapWeight);
        raise_threshold(candidate.likely);
    }
}

void Candidates::drop_below_threshold() {
    const float least = threshold();
    std::erase_if(entries_,
                  [least](const Candidate& c) { return c.upper < least || c.upper == -kInfinity; });
}

// The likeliest k first: their scores are the threshold that spares most of the others.
void Candidates::score_all(RowScorer& scorer) {
    const auto unscored = std::partition(entries_.begin(), entries_.end(),
                                         [](const Candidate& c) { return c.scored(); });
    const auto count = static_cast<std::size_t>(entries_.end() - unscored);
    const auto rest = unscored + static_cast<std::ptrdiff_t>(std::min(k_, count));
    select_in_steps(unscored, rest, entries_.end(),
                    [](const Candidate& a, const Candidate& b) { return a.upper > b.upper; });
    scorer.score({unscored, rest}, threshold());
    std::vector<Candidate> others(rest, entries_.end());
    entries_.erase(rest, entries_.end());
    rank_likely_again();  // all of them scores now
    const float least = threshold();
    std::erase_if(others, [least](const Candidate& c) { return c.upper < least; });
    scorer.score(others, least);
    entries_.insert(entries_.end(), others.begin(), others.end());
    rank_likely_again();
    drop_below_threshold();
}

void Candidates::keep_best() {
    if (entries_.size() < k_ || k_ == 0) {
        return;
    }
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    select_in_steps(entries_.begin(), last, entries_.end(),
                    [](const Candidate& a, const Candidate& b) {
                        return before({a.likely, a.row}, {b.likely, b.row});
                    });
    entries_.erase(last + 1, entries_.end());
    last_ = Hit{entries_.back().likely, entries_.back().row};
}

bool Candidates::settle(RowScorer& scorer) {
    drop_below_threshold();
    score_all(scorer);
    keep_best();
    if (kth_best() >= threshold()) {
        return true;
    }
    threshold_.store(kth_best(), std::memory_order_relaxed);
    entries_.clear();
    best_.clear();
    last_.reset();
    return false;
}

std::vector<Hit> Candidates::hits() const {
    std::vector<Hit> ranked;
    ranked.reserve(entries_.size());
    Meter meter;
    for (const Candidate& candidate : entries_) {
        meter.add(1);
        ranked.push_back({candidate.likely, candidate.row});
    }
    sort_in_steps(ranked.begin(), ranked.end(), before);
    return ranked;
}

}  // namespace gnomon::detail
