// One pass of plain float32 dots over all documents, for few queries: cheaper than coding them.
#pragma once

#include <cstddef>
#include <vector>

#include "cosine/answers.hpp"
#include "cosine/float_dots.hpp"
#include "cosine/row_scorer.hpp"
#include "cosine/row_source.hpp"

namespace gnomon::detail {

class FloatPass {
  public:
    // `norms` and `guard` may be null.
    FloatPass(const PassContext& context, const RowSource& source, const double* norms,
              TouchGuard* guard);

    // Throws NonFiniteRowMet.
    void run(int threads, Watch& watch, SearchCounters& counters);

  private:
    struct Worker;

    void run_block(std::size_t block, Worker& worker, Watch& watch);
    void scan_rows(std::size_t first, std::size_t count, Worker& worker);
    void take_above_floor(std::size_t entry, std::size_t first, std::size_t count,
                          const float* dots, Worker& worker);
    // Row i of the rows at hand.
    void take_odd_row(std::size_t i, std::size_t row, Worker& worker);
    void set_floor(std::size_t entry) noexcept;
    float score_of_twin(std::size_t i, std::size_t row, Answer& answer, Worker& worker) const;
    void take(std::size_t entry, std::size_t i, Candidate candidate, Worker& worker);

    PassContext context_;
    const FloatDotKernel& kernel_;
    RowSource source_;
    const double* norms_;
    TouchGuard* guard_;
    bool in_place_;
    std::vector<float> values_;  // of each answer's query, times a power of two
    std::vector<double> value_norms_;
    double error_;
    std::size_t block_rows_ = 0;
    bool shared_ = false;
};

}  // namespace gnomon::detail
