// The float64 decision: exact scores of a few rows, after a float32 look at each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cosine/candidates.hpp"
#include "cosine/float_dots.hpp"
#include "cosine/prepared.hpp"
#include "cosine/query_set.hpp"
#include "gnomon/isa.hpp"
#include "gnomon/matrix.hpp"
#include "gnomon/steps.hpp"
#include "score/score.hpp"

namespace gnomon::detail {

class RowScorer {
  public:
    // `norms` of all rows, or null: they are computed with the scores.
    RowScorer(Isa isa, const MatrixView& docs, const double* norms, TouchGuard* guard);

    void take(const Query& query) noexcept { query_ = &query; }

    // Every candidate ends with its score, or with an upper bound below `threshold`. Throws
    // Interruption.
    void score(std::span<Candidate> candidates, float threshold);

    std::uint64_t rescored() const noexcept { return rescored_; }

  private:
    static constexpr std::size_t kBatch = 4;

    const float* fetch(const Candidate& candidate, std::size_t slot);
    void prefetch(const Candidate& candidate) const noexcept;
    bool is_below(const float* x, double norm, float threshold,
                  Candidate& candidate) const noexcept;
    void decide(std::span<Candidate*> batch, const float* const* rows, const double* norms);

    Isa isa_;
    const ScoreKernel& score_kernel_;
    const FloatDotKernel& float_kernel_;
    MatrixView docs_;
    const double* norms_;
    TouchGuard* guard_;
    double float_error_;
    std::vector<float> scratch_;
    const Query* query_ = nullptr;
    std::uint64_t rescored_ = 0;
    Meter meter_;
};

}  // namespace gnomon::detail
