// The rows of one query's pool and their cosines: the exact ones of the contract, and cheap ones
// whose error is known.
//
// The cheap cosine of two rows is D / (A B), D a float32 dot and A, B the roots of float32 sums of
// squares. With e = float_dot_error(d), u = 2^-24 and norms between 2^-30 and 2^30, |D - a.b| <=
// (e + 2^-58) |a| |b|, each 1 / A is 1 / |a| within a factor 1 +- (0.6 e + 2.1 u) as long as e <=
// 0.05, and the two products round twice: the error is at most 2.5 e + 8 u. The float32 that the
// contract returns is within 2 u of the true cosine. error() = 3 e + 16 u covers both. Where a norm
// is outside that range, or e is too large, the cheap cosines of the pool are the exact ones, and
// error() is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cosine/float_dots.hpp"
#include "gnomon/isa.hpp"
#include "gnomon/matrix.hpp"
#include "gnomon/steps.hpp"
#include "mmr/pool_source.hpp"
#include "mmr/row_dots.hpp"
#include "score/score.hpp"

namespace gnomon::detail {

// One worker's pool; it is loaded anew for each query and keeps its memory.
class Pool {
  public:
    Pool(Isa isa, std::size_t cols);

    // False when the query isn't finite.
    bool load_query(const MatrixView& queries, std::size_t query);

    void load_rows(const PoolSource& source);

    std::size_t size() const noexcept { return source_.size(); }
    std::int64_t id(std::size_t member) const noexcept { return source_.id(member); }
    std::size_t cols() const noexcept { return cols_; }

    // As float32; `scratch` may be used or not.
    const float* row(std::size_t member, float* scratch) const noexcept;
    const float* query() const noexcept { return query_; }

    // Fills the cheap relevances and norms of all members, and on the way, if wanted, the
    // similarities to member 0: pools mostly come from a search, with the likely first pick in
    // front. False when a row isn't finite.
    bool measure(bool wants_similarities, Meter& meter);

    float error() const noexcept { return error_; }
    std::span<const float> cheap_relevances() const noexcept { return {relevances_}; }
    // Cheap, to member 0; empty unless they were wanted and computed.
    std::span<const float> similarities_to_front() const noexcept { return {to_front_}; }
    // out[i] = the cheap similarity of `member` and others[i].
    void cheap_similarities(std::size_t member, std::span<const std::uint32_t> others,
                            float* out) noexcept;

    float relevance(std::size_t member) noexcept;
    float similarity(std::size_t a, std::size_t b) noexcept;

  private:
    bool measure_cheaply(bool wants_similarities, Meter& meter);
    bool take_measures(std::size_t first, std::size_t count, const float* const* rows,
                       const float* dots, const float* norms);
    bool measure_exactly(Meter& meter);
    float cheap_similarity(std::size_t a, std::size_t b) noexcept;
    bool keeps_rows() const noexcept { return in_place_ || !converted_.empty(); }
    double norm(std::size_t member, const float* values) noexcept;

    Isa isa_;
    std::size_t cols_;
    const ScoreKernel& exact_;
    const FloatDotKernel& cheap_;
    RowDots row_dots_;
    PoolSource source_{};
    bool in_place_ = false;             // rows are float32 as they stand
    std::vector<float> query_scratch_;  // the query, and member 0 behind it
    std::vector<float> converted_;      // all rows, or none when the pool is too large
    std::vector<float> scratch_;        // two rows
    const float* query_ = nullptr;
    double query_norm_ = 0.0;
    float inverse_query_norm_ = 0.0F;
    float cheap_error_;
    float error_ = 0.0F;
    bool exact_only_ = false;
    std::vector<float> inverse_norms_;  // cheap; 0 for a zero vector
    std::vector<float> relevances_;     // cheap
    std::vector<float> to_front_;       // cheap
    std::vector<double> norms_;         // exact; negative: not known yet
};

}  // namespace gnomon::detail
