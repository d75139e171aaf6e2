#include "cosine/row_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cosine/coding.hpp"
#include "cosine/float_steps.hpp"
#include "cosine/row_source.hpp"
#include "score/rows.hpp"

namespace gnomon::detail {

namespace {

constexpr std::size_t kCacheLineBytes = 64;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

RowScorer::RowScorer(Isa isa, const MatrixView& docs, const double* norms, TouchGuard* guard)
    : isa_(isa), score_kernel_(score_kernel(isa)), float_kernel_(float_dot_kernel(isa)),
      docs_(docs), norms_(norms), guard_(guard),
      float_error_(float_dot_error(docs.cols) * (1.0 + 0x1p-20) + 0x1p-40),
      scratch_(stands_as_floats(docs) ? 0 : kBatch * docs.cols) {}

const float* RowScorer::fetch(const Candidate& candidate, std::size_t slot) {
    const auto row = static_cast<std::size_t>(candidate.row);
    if (guard_ != nullptr) {
        guard_->touch_row(row);
    }
    float* scratch = scratch_.empty() ? nullptr : scratch_.data() + slot * docs_.cols;
    return row_f32(docs_, row, scratch, isa_);
}

void RowScorer::prefetch(const Candidate& candidate) const noexcept {
    const std::size_t bytes = docs_.cols * item_size(docs_.dtype);
    const char* row = static_cast<const char*>(docs_.data) + candidate.row * docs_.row_stride;
    for (std::size_t at = 0; at < bytes; at += kCacheLineBytes) {
        __builtin_prefetch(row + at, 0, kIntoSecondLevel);
    }
}

// A float32 dot bounds the score far more tightly than codes do, at a fraction of the exact one's
// cost. A dot that isn't finite has overflowed and bounds nothing.
bool RowScorer::is_below(const float* x, double norm, float threshold,
                         Candidate& candidate) const noexcept {
    const float dot = float_kernel_.dot(query_->values, x, docs_.cols);
    if (!std::isfinite(dot)) {
        return false;
    }
    const double norms = query_->norm * norm;
    const double underflow = static_cast<double>(docs_.cols) * 0x1p-149 / norms;
    const double upper = static_cast<double>(dot) / norms + float_error_ + underflow;
    // Rounding is monotone: a bound below the next float under the threshold rounds below it.
    const float under = next_down(threshold);
    if (!(upper < static_cast<double>(under))) {
        return false;
    }
    candidate.upper = under;
    candidate.likely = -kInfinity;
    return true;
}

void RowScorer::decide(std::span<Candidate*> batch, const float* const* rows, const double* norms) {
    double dots[kBatch];
    if (batch.size() == kBatch) {
        score_kernel_.dot4(query_->values, rows, docs_.cols, dots);
    } else {
        for (std::size_t i = 0; i < batch.size(); ++i) {
            dots[i] = score_kernel_.dot(query_->values, rows[i], docs_.cols);
        }
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const float score = cosine(dots[i], query_->norm, norms[i]);
        // Only a forged index file can bring NaN here; such a row is no hit.
        batch[i]->upper = batch[i]->likely = std::isnan(score) ? -kInfinity : score;
    }
    rescored_ += batch.size();
}

void RowScorer::score(std::span<Candidate> candidates, float threshold) {
    const bool looks_first = threshold > -kInfinity;
    const bool in_memory =
        docs_.cols <= 1 || docs_.col_stride == static_cast<std::ptrdiff_t>(item_size(docs_.dtype));
    Candidate* batch[kBatch];
    const float* rows[kBatch];
    double norms[kBatch];
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        meter_.add(docs_.cols + 1);
        if (in_memory && i + kBatch < candidates.size()) {
            prefetch(candidates[i + kBatch]);
        }
        Candidate& candidate = candidates[i];
        const float* x = fetch(candidate, waiting);
        const double norm =
            norms_ != nullptr ? norms_[candidate.row] : detail::norm(score_kernel_, x, docs_.cols);
        if (looks_first && norm > 0.0 && is_below(x, norm, threshold, candidate)) {
            continue;
        }
        batch[waiting] = &candidate;
        rows[waiting] = x;
        norms[waiting] = norm;
        if (++waiting == kBatch) {
            decide({batch, waiting}, rows, norms);
            waiting = 0;
        }
    }
    decide({batch, waiting}, rows, norms);
}

}  // namespace gnomon::detail
