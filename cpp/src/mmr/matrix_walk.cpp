#include "mmr/matrix_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gnomon/steps.hpp"

namespace gnomon::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kNowhere = -1.0F;  // no cosine is lower

// Beyond this, most similarities are never looked at.
constexpr std::size_t kLargestMatrix = 64;

}  // namespace

bool pays_for_matrix(std::size_t pool_size, std::size_t lambdas, std::size_t picks) noexcept {
    return pool_size <= kLargestMatrix && lambdas > 1 && pool_size <= lambdas * picks;
}

MatrixWalk::MatrixWalk(Isa isa, std::size_t cols)
    : exact_(score_kernel(isa)), tile_(gram_tile(isa)), step_(greedy_step(isa)),
      cosines_of_(cosine_row(isa)), cols_(cols), scratch_(2 * cols) {}

bool MatrixWalk::run(const Pool& pool, std::span<const double> lambdas,
                     std::span<const Picks> picks) {
    n_ = pool.size();
    if (n_ == 0) {
        return true;
    }
    sort_members(pool);
    stride_ = (n_ + kGramRows) / kGramRows * kGramRows;
    dots_.resize(stride_ * stride_);
    tile_ != nullptr ? compute_dots_in_tiles(pool) : compute_dots(pool);
    if (!compute_cosines()) {
        return false;
    }
    walk(pool, lambdas, picks);
    return true;
}

void MatrixWalk::sort_members(const Pool& pool) {
    members_.resize(n_);
    std::iota(members_.begin(), members_.end(), 0U);
    const auto lower = [&](std::uint32_t a, std::uint32_t b) { return pool.id(a) < pool.id(b); };
    if (!std::is_sorted(members_.begin(), members_.end(), lower)) {
        std::sort(members_.begin(), members_.end(), lower);
    }
}

void MatrixWalk::compute_dots(const Pool& pool) {
    const auto row_of = [&](std::size_t place, float* scratch) {
        return place == 0 ? pool.query() : pool.row(members_[place - 1], scratch);
    };
    Meter meter;
    for (std::size_t a = 0; a <= n_; ++a) {
        const float* row = row_of(a, scratch_.data());
        for (std::size_t b = a; b <= n_; ++b) {
            meter.add(cols_);
            dot(a, b) = exact_.dot(row, row_of(b, scratch_.data() + cols_), cols_);
        }
    }
}

// The last tile keeps what an earlier pool left in it: finite or not, it stays in sums that nobody
// reads.
void MatrixWalk::compute_dots_in_tiles(const Pool& pool) {
    const std::size_t tile_size = gram_tile_size(cols_);
    const std::size_t tiles = stride_ / kGramRows;
    if (packed_.size() < tiles * tile_size) {
        packed_ = AlignedBuffer(tiles * tile_size);
    }
    Meter meter;
    for (std::size_t place = 0; place <= n_; ++place) {
        meter.add(cols_);
        const float* row =
            place == 0 ? pool.query() : pool.row(members_[place - 1], scratch_.data());
        tile_->pack(row, cols_, place % kGramRows, packed_.data() + place / kGramRows * tile_size);
    }
    double found[kGramRows * kGramRows];
    for (std::size_t a = 0; a < tiles; ++a) {
        for (std::size_t b = a; b < tiles; ++b) {
            meter.add(kGramRows * cols_);
            const double* tile = packed_.data() + a * tile_size;
            if (a == b) {
                tile_->dots_within(tile, gram_steps(cols_), found);
            } else {
                tile_->dots(tile, packed_.data() + b * tile_size, gram_steps(cols_), found);
            }
            for (std::size_t r = 0; r < kGramRows; ++r) {
                std::copy_n(found + r * kGramRows, kGramRows,
                            &dot(a * kGramRows + r, b * kGramRows));
            }
        }
    }
}

bool MatrixWalk::compute_cosines() {
    const std::size_t places = n_ + 1;
    norms_.resize(places);
    bool finite = true;
    for (std::size_t a = 0; a < places; ++a) {
        norms_[a] = std::sqrt(dot(a, a));
        finite = finite && std::isfinite(norms_[a]);
    }
    if (!finite) {
        return false;
    }
    width_ = (n_ + kStepWidth - 1) / kStepWidth * kStepWidth;
    cosines_.assign(places * width_, kNowhere);
    for (std::size_t a = 0; a < places; ++a) {
        const std::size_t b = std::max<std::size_t>(a, 1);
        cosines_of_(&dot(a, b), norms_[a], norms_.data() + b, places - b,
                    cosines_.data() + a * width_ + b - 1);
    }
    for (std::size_t a = 2; a < places; ++a) {
        for (std::size_t b = 1; b < a; ++b) {
            cosines_[a * width_ + b - 1] = cosines_[b * width_ + a - 1];
        }
    }
    return true;
}

// All walks go forward together: they don't wait for each other, so their steps overlap.
void MatrixWalk::walk(const Pool& pool, std::span<const double> lambdas,
                      std::span<const Picks> picks) {
    const std::span<const float> relevances(cosines_.data(), n_);
    const auto first = std::max_element(relevances.begin(), relevances.end());
    begin_walks(lambdas, static_cast<std::size_t>(first - relevances.begin()));
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
        picks[l].ids[0] = pool.id(members_[last_[l]]);
        picks[l].scores[0] = first_score(lambdas[l], *first);
    }
    for (std::size_t p = 1; p < picks.front().count; ++p) {
        for (std::size_t l = 0; l < lambdas.size(); ++l) {
            double* gains = gains_.data() + l * width_;
            const GreedyState state{gains, 1.0 - lambdas[l], penalties_.data() + l * width_,
                                    scores_.data() + l * width_, width_};
            last_[l] = step_(state, cosines_.data() + (last_[l] + 1) * width_);
            picks[l].ids[p] = pool.id(members_[last_[l]]);
            picks[l].scores[p] = state.scores[last_[l]];
            gains[last_[l]] = -kInfinity;  // long before this walk reads it again
        }
    }
}

void MatrixWalk::begin_walks(std::span<const double> lambdas, std::size_t first) {
    last_.assign(lambdas.size(), first);
    penalties_.assign(lambdas.size() * width_, kNowhere);
    scores_.resize(lambdas.size() * width_);
    gains_.assign(lambdas.size() * width_, -kInfinity);
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
        for (std::size_t i = 0; i < n_; ++i) {
            gains_[l * width_ + i] = lambdas[l] * static_cast<double>(cosines_[i]);
        }
        gains_[l * width_ + first] = -kInfinity;
    }
}

}  // namespace gnomon::detail
