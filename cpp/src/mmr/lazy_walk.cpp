#include "mmr/lazy_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gnomon/steps.hpp"

namespace gnomon::detail {

namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
constexpr float kPicked = -std::numeric_limits<float>::infinity();
constexpr std::uint32_t kNoColumn = std::numeric_limits<std::uint32_t>::max();

// Similarities that several walks may share are kept up to this number, 4 MiB a worker.
constexpr std::size_t kMostShared = std::size_t{1} << 20U;

// A row is loaded once for so many comparisons.
constexpr std::size_t kPicksAtOnce = 4;

// Roundings of a cheap score and of an exact one, u each, and some room.
constexpr float kScoreRoundings = 8.0F * 0x1p-24F;

// Eight running maxima don't wait for each other.
std::size_t place_of_greatest(std::span<const float> values) noexcept {
    float lanes[8];
    std::fill(std::begin(lanes), std::end(lanes), kPicked);
    const std::size_t whole = values.size() - values.size() % 8;
    for (std::size_t i = 0; i < whole; i += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane) {
            lanes[lane] = std::max(lanes[lane], values[i + lane]);
        }
    }
    float greatest = *std::max_element(std::begin(lanes), std::end(lanes));
    for (std::size_t i = whole; i < values.size(); ++i) {
        greatest = std::max(greatest, values[i]);
    }
    const auto at = std::find(values.begin(), values.end(), greatest);
    return static_cast<std::size_t>(at - values.begin());
}

}  // namespace

void LazyWalk::run(Pool& pool, std::span<const double> lambdas, std::span<const Picks> picks,
                   Meter& meter) {
    const std::size_t n = pool.size();
    if (n == 0) {
        return;
    }
    pool_ = &pool;
    margin_ = 2.0F * (pool.error() + kScoreRoundings);
    assign_in_steps(exact_relevances_, n, kUnknown);
    resize_in_steps(candidates_, n);
    resize_in_steps(scores_, n);
    const std::size_t deepest = picks.front().count;
    shares_columns_ =
        lambdas.size() > 1 && std::min(n, lambdas.size() * deepest) <= kMostShared / n;
    columns_.clear();
    if (shares_columns_) {
        assign_in_steps(column_of_, n, kNoColumn);
    }
    const std::size_t first = first_pick(meter);
    measure_against_first(first, wants_similarities(lambdas, deepest), meter);
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
        walk(lambdas[l], first, picks[l], meter);
    }
}

// The members whose cheap relevance is within the error of the best are compared exactly.
std::size_t LazyWalk::first_pick(Meter& meter) {
    const std::span<const float> relevances = pool_->cheap_relevances();
    const float least = relevances[place_of_greatest(relevances)] - margin_;
    std::size_t best = 0;
    float best_relevance = kPicked;
    for (std::size_t i = 0; i < relevances.size(); ++i) {
        if (relevances[i] < least) {
            continue;
        }
        const float relevance = exact_relevance(i);
        meter.add(pool_->cols());
        if (relevance > best_relevance ||
            (relevance == best_relevance && pool_->id(i) < pool_->id(best))) {
            best = i;
            best_relevance = relevance;
        }
    }
    return best;
}

bool wants_similarities(std::span<const double> lambdas, std::size_t picks) noexcept {
    return picks > 1 &&
           std::any_of(lambdas.begin(), lambdas.end(), [](double lambda) { return lambda < 1.0; });
}

void LazyWalk::measure_against_first(std::size_t first, bool wanted, Meter& meter) {
    const std::span<const float> known = pool_->similarities_to_front();
    if (first == 0 && !known.empty()) {
        first_column_.assign(known.begin(), known.end());
        return;
    }
    assign_in_steps(first_column_, pool_->size(), 0.0F);
    if (!wanted) {
        return;
    }
    constexpr std::uint32_t kBlock = 64;
    std::uint32_t members[kBlock];
    const auto n = static_cast<std::uint32_t>(first_column_.size());
    for (std::uint32_t begin = 0; begin < n; begin += kBlock) {
        const std::uint32_t count = std::min(kBlock, n - begin);
        std::iota(members, members + count, begin);
        pool_->cheap_similarities(first, {members, count}, first_column_.data() + begin);
        meter.add(count * pool_->cols());
    }
}

void LazyWalk::walk(double lambda, std::size_t first, const Picks& picks, Meter& meter) {
    lambda_ = lambda;
    const std::size_t n = pool_->size();
    const std::span<const float> relevances = pool_->cheap_relevances();
    picked_.assign(1, static_cast<std::uint32_t>(first));
    picks.ids[0] = pool_->id(first);
    picks.scores[0] = first_score(lambda, exact_relevance(first));
    if (picks.count == 1) {
        return;
    }
    for (const auto [begin, end] : steps(n)) {
        for (std::size_t i = begin; i < end; ++i) {
            candidates_[i] = {first_column_[i], kPicked, 0, 1, kPicked, 0};
            scores_[i] = mmr_score(lambda, relevances[i], first_column_[i]);
        }
    }
    scores_[first] = kPicked;
    while (picked_.size() < picks.count) {
        const std::size_t next = next_pick(meter);
        picks.ids[picked_.size()] = pool_->id(next);
        picks.scores[picked_.size()] = exact_score(next, meter);
        scores_[next] = kPicked;
        picked_.push_back(static_cast<std::uint32_t>(next));
    }
}

std::size_t LazyWalk::next_pick(Meter& meter) {
    find_contenders(meter);
    std::size_t best = contenders_.front();
    if (contenders_.size() == 1) {
        return best;
    }
    float best_score = exact_score(best, meter);
    for (std::size_t c = 1; c < contenders_.size(); ++c) {
        const std::size_t member = contenders_[c];
        const float score = exact_score(member, meter);
        if (score > best_score || (score == best_score && pool_->id(member) < pool_->id(best))) {
            best = member;
            best_score = score;
        }
        meter.add(pool_->cols());
    }
    return best;
}

// Fills in who may be next: up to date, and within the margin of the best cheap score.
void LazyWalk::find_contenders(Meter& meter) {
    const std::size_t likely = place_of_greatest(scores_);
    refresh(likely, kPicked, meter);
    float least = scores_[likely] - margin_;
    contenders_.clear();
    const std::size_t n = scores_.size();
    meter.add(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (scores_[i] < least || scores_[i] == kPicked) {
            continue;
        }
        refresh(i, least, meter);
        if (scores_[i] < least) {
            continue;
        }
        least = std::max(least, scores_[i] - margin_);
        contenders_.push_back(static_cast<std::uint32_t>(i));
    }
    std::erase_if(contenders_, [&](std::uint32_t i) { return scores_[i] < least; });
}

// Brings a candidate up to date, or at least its bound below `least`.
void LazyWalk::refresh(std::size_t member, float least, Meter& meter) {
    Candidate& candidate = candidates_[member];
    const float relevance = pool_->cheap_relevances()[member];
    while (candidate.seen < picked_.size() && lambda_ < 1.0 && scores_[member] >= least) {
        const std::size_t count = std::min(kPicksAtOnce, picked_.size() - candidate.seen);
        compare(member, std::span<const std::uint32_t>(picked_).subspan(candidate.seen, count));
        for (const float similarity : similarities_) {
            if (similarity > candidate.penalty) {
                candidate.runner_up = candidate.penalty;
                candidate.penalty = similarity;
                candidate.nearest = candidate.seen;
            } else {
                candidate.runner_up = std::max(candidate.runner_up, similarity);
            }
            ++candidate.seen;
        }
        scores_[member] = mmr_score(lambda_, relevance, candidate.penalty);
        meter.add(count * pool_->cols());
    }
}

// Fills in the similarities of a member to some picks.
void LazyWalk::compare(std::size_t member, std::span<const std::uint32_t> picks) {
    similarities_.resize(picks.size());
    if (shares_columns_) {
        compare_shared(member, picks);
    } else {
        pool_->cheap_similarities(member, picks, similarities_.data());
    }
}

void LazyWalk::compare_shared(std::size_t member, std::span<const std::uint32_t> picks) {
    unknown_.clear();
    for (const std::uint32_t pick : picks) {
        if (std::isnan(column_of(pick)[member])) {
            unknown_.push_back(pick);
        }
    }
    computed_.resize(unknown_.size());
    pool_->cheap_similarities(member, unknown_, computed_.data());
    for (std::size_t i = 0; i < unknown_.size(); ++i) {
        column_of(unknown_[i])[member] = computed_[i];
    }
    for (std::size_t i = 0; i < picks.size(); ++i) {
        similarities_[i] = column_of(picks[i])[member];
    }
}

float* LazyWalk::column_of(std::uint32_t pick) {
    const std::size_t n = scores_.size();
    if (column_of_[pick] == kNoColumn) {
        column_of_[pick] = static_cast<std::uint32_t>(columns_.size() / n);
        columns_.resize(columns_.size() + n, kUnknown);
    }
    return columns_.data() + column_of_[pick] * n;
}

float LazyWalk::exact_relevance(std::size_t member) {
    float& known = exact_relevances_[member];
    if (std::isnan(known)) {
        known = pool_->relevance(member);
    }
    return known;
}

// With lambda = 1 the penalty counts for nothing, and nobody is kept up to date.
float LazyWalk::exact_score(std::size_t member, Meter& meter) {
    const float penalty = lambda_ == 1.0 ? 0.0F : exact_penalty(member, meter);
    return mmr_score(lambda_, exact_relevance(member), penalty);
}

// Where one pick is clearly the nearest, only its similarity is computed; otherwise those of the
// picks that came since the member was last looked at.
float LazyWalk::exact_penalty(std::size_t member, Meter& meter) {
    Candidate& candidate = candidates_[member];
    if (pool_->error() == 0.0F) {
        return candidate.penalty;
    }
    if (candidate.runner_up < candidate.penalty - margin_) {
        return pool_->similarity(member, picked_[candidate.nearest]);
    }
    for (; candidate.exact_seen < picked_.size(); ++candidate.exact_seen) {
        meter.add(pool_->cols());
        candidate.exact_penalty = std::max(
            candidate.exact_penalty, pool_->similarity(member, picked_[candidate.exact_seen]));
    }
    return candidate.exact_penalty;
}

}  // namespace gnomon::detail
