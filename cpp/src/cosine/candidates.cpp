#include "cosine/candidates.hpp"

#include <algorithm>
#include <cmath>

#include "cosine/row_scorer.hpp"
#include "cosine/selection.hpp"
#include "gnomon/steps.hpp"

namespace gnomon::detail {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Half of them or so go, in no order that a branch could be predicted from. Returns how many are
// left, in front.
template <class Keep>
std::size_t keep_if(std::span<Candidate> candidates, Keep keep) {
    std::size_t kept = 0;
    for (const auto [begin, end] : steps(candidates.size())) {
        for (std::size_t i = begin; i < end; ++i) {
            const Candidate candidate = candidates[i];
            candidates[kept] = candidate;
            kept += keep(candidate) ? 1U : 0U;
        }
    }
    return kept;
}

void shrink(std::vector<Candidate>& candidates, std::size_t count) {
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end());
}

void append_scored(std::span<const Candidate> candidates, std::vector<Hit>& hits) {
    for (const auto [begin, end] : steps(candidates.size())) {
        for (const Candidate& candidate : candidates.subspan(begin, end - begin)) {
            if (candidate.scored() && candidate.upper > -kInfinity) {
                hits.push_back({candidate.upper, candidate.row});
            }
        }
    }
}

}  // namespace

std::size_t Candidates::most_bytes(std::size_t k) noexcept {
    const Candidates candidates(k);
    return sizeof(Candidates) + candidates.capacity() * sizeof(Candidate) +
           candidates.most_best() * sizeof(float);
}

void Candidates::add(std::span<Candidate> candidates, RowScorer& scorer, double share) {
    if (k_ == 0) {
        return;
    }
    const float least = threshold();
    std::size_t count =
        keep_if(candidates, [least](const Candidate& c) { return !(c.upper < least); });
    if (last_) {
        count = keep_if(candidates.first(count), [this](const Candidate& c) {
            return !c.scored() || before({c.likely, c.row}, *last_);
        });
    }
    if (entries_.size() + count > entries_.capacity()) {
        make_room(scorer, share);
    }
    entries_.insert(entries_.end(), candidates.begin(),
                    candidates.begin() + static_cast<std::ptrdiff_t>(count));
    offer(candidates.first(count));
    if (best_.size() >= raise_at_) {
        raise_threshold(share);
    }
}

// More of it only when the threshold, brought up to date, spares most of what there is. Afterwards
// there is room for kAddedAtOnce, and for so many more that looking through all is seldom.
void Candidates::make_room(RowScorer& scorer, double share) {
    raise_threshold(share);
    drop_below_threshold();
    best_.reserve(most_best());
    const std::size_t room = entries_.capacity();
    if (entries_.size() + std::max(room / 4, kAddedAtOnce) > room && room < capacity()) {
        entries_.reserve(std::min(capacity(), std::max(2 * room, k_ + 2 * kAddedAtOnce)));
    }
    if (entries_.size() > capacity() - (k_ + kRoom) / 2) {
        crowded_ = true;
        score_and_keep_best(scorer);
    }
}

void Candidates::offer(std::span<const Candidate> candidates) {
    const float least = threshold();
    float better[kAddedAtOnce];
    std::size_t count = 0;
    for (const Candidate& candidate : candidates) {
        better[count] = candidate.likely;
        count += candidate.likely > least ? 1U : 0U;
    }
    best_.insert(best_.end(), better, better + count);
}

// Of how many rows the threshold is the least: k, when all have been passed over. Of the k best,
// share * k are expected in a part of the rows, and seldom more than three standard deviations
// more.
std::size_t Candidates::wanted(double share) const noexcept {
    const double expected = static_cast<double>(k_) * share;
    const double most = expected + 3.0 * std::sqrt(expected * (1.0 - share)) + 3.0;
    return share < 1.0 ? std::min(k_, static_cast<std::size_t>(most)) : k_;
}

void Candidates::raise_threshold(double share) {
    const std::size_t count = wanted(share);
    if (count > 0 && best_.size() >= count) {
        const float reached = keep_greatest(best_, count, count + count / 8);
        if (reached > threshold()) {
            threshold_.store(reached, std::memory_order_relaxed);
        }
    }
    raise_at_ = best_.size() < count ? count : std::max(best_.size() + 1, count + (count + 1) / 2);
}

void Candidates::drop_below_threshold() {
    const float least = threshold();
    shrink(entries_, keep_if(entries_, [least](const Candidate& c) {
               return static_cast<int>(!(c.upper < least)) &
                      static_cast<int>(c.upper != -kInfinity);
           }));
}

// Those that are scored and the k likeliest others, or some more, come to the front. Returns how
// many they are.
std::size_t Candidates::split() {
    std::vector<float> uppers;
    resize_in_steps(uppers, entries_.size());
    std::size_t unscored = 0;
    for (const auto [begin, end] : steps(entries_.size())) {
        for (std::size_t i = begin; i < end; ++i) {
            uppers[unscored] = entries_[i].upper;
            unscored += entries_[i].scored() ? 0U : 1U;
        }
    }
    if (unscored <= k_) {
        return entries_.size();
    }
    uppers.resize(unscored);
    const float least = keep_greatest(uppers, k_, k_ + k_ / 8);
    std::size_t room = uppers.size();
    std::vector<Candidate> others;
    resize_in_steps(others, unscored - room + 1);  // one more, to write before it is decided
    std::size_t front = 0;
    std::size_t behind = 0;
    for (const auto [begin, end] : steps(entries_.size())) {
        for (std::size_t i = begin; i < end; ++i) {
            const Candidate candidate = entries_[i];
            const auto scored = static_cast<std::size_t>(candidate.scored());
            const std::size_t likely = static_cast<std::size_t>(candidate.upper >= least) &
                                       static_cast<std::size_t>(room > 0) & (scored ^ 1U);
            room -= likely;
            entries_[front] = candidate;
            others[behind] = candidate;
            front += scored | likely;
            behind += (scored | likely) ^ 1U;
        }
    }
    std::copy_n(others.begin(), behind, entries_.begin() + static_cast<std::ptrdiff_t>(front));
    return front;
}

// The scores of the likeliest are the threshold that spares most of the others.
std::vector<Hit> Candidates::best_hits(RowScorer& scorer) {
    const std::span<Candidate> front = std::span(entries_).first(split());
    const auto unscored =
        std::partition(front.begin(), front.end(), [](const Candidate& c) { return c.scored(); });
    scorer.score({unscored, front.end()}, -kInfinity);
    std::vector<Hit> hits;
    hits.reserve(front.size());
    append_scored(front, hits);
    rank(hits);
    const float reached = hits.size() < k_ ? -kInfinity : hits[k_ - 1].score;
    const float least = std::max(threshold(), reached);
    std::span<Candidate> others = std::span(entries_).subspan(front.size());
    others =
        others.first(keep_if(others, [least](const Candidate& c) { return !(c.upper < least); }));
    scorer.score(others, least);
    const auto ranked = static_cast<std::ptrdiff_t>(hits.size());
    append_scored(others, hits);
    sort_in_steps(hits.begin() + ranked, hits.end(), before);
    arrange_in_steps(hits.size(), before, [&](auto less) {
        std::inplace_merge(hits.begin(), hits.begin() + ranked, hits.end(), less);
    });
    hits.resize(std::min(hits.size(), k_));
    return hits;
}

void Candidates::score_and_keep_best(RowScorer& scorer) {
    const std::vector<Hit> hits = best_hits(scorer);
    entries_.clear();
    best_.clear();
    for (const Hit& hit : hits) {
        entries_.push_back({hit.score, hit.score, hit.row});
        best_.push_back(hit.score);
    }
    if (hits.size() == k_) {
        last_ = hits.back();
    }
    raise_threshold(1.0);
}

bool Candidates::settle(RowScorer& scorer, std::vector<Hit>& hits) {
    if (k_ == 0) {
        return true;
    }
    hits = best_hits(scorer);
    const float reached = hits.size() < k_ ? -kInfinity : hits.back().score;
    if (reached >= threshold()) {
        return true;
    }
    threshold_.store(reached, std::memory_order_relaxed);
    hits.clear();
    entries_.clear();
    best_.clear();
    raise_at_ = 1;
    last_.reset();
    return false;
}

}  // namespace gnomon::detail
