#include "cosine/float_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "cosine/float_steps.hpp"
#include "score/rows.hpp"

namespace gnomon::detail {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kLeastBlockRows = 512;

// Rows whose sum of squares lies between these lose nothing to overflow or underflow against a
// query whose largest value lies in [1, 2).
constexpr float kLeastSquares = 0x1p-60F;
constexpr float kMostSquares = 0x1p+100F;

}  // namespace

struct FloatPass::Worker {
    Worker(const FloatPass& pass, int number_)
        : number(number_), row(pass.source_.matrix.cols), dots(pass.context_.answers.size()),
          scorer(pass.context_.isa, pass.source_.matrix, pass.norms_, pass.guard_) {}

    int number;
    std::vector<float> row;
    std::vector<float> dots;
    RowScorer scorer;
    SearchCounters counters;
};

FloatPass::FloatPass(const PassContext& context, const RowSource& source, const double* norms,
                     TouchGuard* guard)
    : context_(context), kernel_(float_dot_kernel(context.isa)), source_(source), norms_(norms),
      guard_(guard), values_(context.answers.size() * source.matrix.cols),
      // Twice: the dot's own error, and that of the row's norm with the roundings of the test.
      error_(2.0 * float_dot_error(source.matrix.cols) + 0x1p-20) {
    const std::size_t d = source.matrix.cols;
    for (std::size_t entry = 0; entry < context.answers.size(); ++entry) {
        const Query& query = context.queries[context.answers[entry].query];
        float largest = 0.0F;
        for (std::size_t i = 0; i < d; ++i) {
            largest = std::max(largest, std::fabs(query.values[i]));
        }
        const double factor = std::ldexp(1.0, -std::ilogb(largest));
        for (std::size_t i = 0; i < d; ++i) {
            values_[entry * d + i] = static_cast<float>(query.values[i] * factor);
        }
        value_norms_.push_back(query.norm * factor);
    }
}

void FloatPass::run(int threads, Watch& watch, SearchCounters& counters) {
    shared_ = threads > 1;
    for (std::size_t entry = 0; entry < context_.answers.size(); ++entry) {
        set_floor(entry);
    }
    block_rows_ =
        std::max(kLeastBlockRows, least_block_rows(source_.matrix.cols, context_.answers.size()));
    const std::size_t blocks = (source_.size + block_rows_ - 1) / block_rows_;
    std::vector<std::unique_ptr<Worker>> workers(
        std::min(blocks, static_cast<std::size_t>(threads)));
    parallel_for(blocks, threads, watch.between_blocks(), [&](std::size_t block, int number) {
        auto& worker = workers[static_cast<std::size_t>(number)];
        if (!worker) {
            worker = std::make_unique<Worker>(*this, number);
        }
        run_block(block, *worker, watch);
    });
    for (const auto& worker : workers) {
        if (worker) {
            counters.pairs_screened += worker->counters.pairs_screened;
            counters.candidates += worker->counters.candidates;
            counters.rescored += worker->scorer.rescored();
            counters.zero_rows += worker->counters.zero_rows;
        }
    }
}

void FloatPass::run_block(std::size_t block, Worker& worker, Watch& watch) {
    const std::size_t first = block * block_rows_;
    const std::size_t end = std::min(first + block_rows_, source_.size);
    for (std::size_t position = first; position < end; ++position) {
        scan_row(source_.row(position), worker);
    }
    worker.counters.pairs_screened += (end - first) * context_.answers.size();
    watch.add_done((end - first) * context_.answers.size());
}

void FloatPass::scan_row(std::size_t row, Worker& worker) {
    if (guard_ != nullptr) {
        guard_->touch_row(row);
    }
    const std::size_t d = source_.matrix.cols;
    const float* x = row_f32(source_.matrix, row, worker.row.data(), context_.isa);
    float squares = 0.0F;
    for (std::size_t first = 0; first < context_.answers.size(); first += kScanQueries) {
        kernel_.scan(values_.data() + first * d,
                     std::min(kScanQueries, context_.answers.size() - first), x, d,
                     worker.dots.data() + first, &squares);
    }
    if (!(squares >= kLeastSquares && squares <= kMostSquares)) {
        take_odd_row(row, x, worker);
        return;
    }
    const float norm = std::sqrt(squares);
    for (std::size_t entry = 0; entry < context_.answers.size(); ++entry) {
        const float dot = worker.dots[entry];
        if (dot < context_.answers[entry].floor.load(std::memory_order_relaxed) * norm) {
            continue;
        }
        const double middle = static_cast<double>(dot) / (value_norms_[entry] * norm);
        take(entry,
             {next_up(static_cast<float>(middle + error_)),
              next_down(static_cast<float>(middle - error_)), static_cast<std::int64_t>(row)},
             worker);
    }
}

// A zero row has score 0; for the others float32 bounds nothing, so they are scored.
void FloatPass::take_odd_row(std::size_t row, const float* x, Worker& worker) {
    bool zero = true;
    for (std::size_t i = 0; i < source_.matrix.cols; ++i) {
        if (!std::isfinite(x[i])) {
            throw NonFiniteRowMet();
        }
        zero &= x[i] == 0.0F;
    }
    worker.counters.zero_rows += zero ? 1U : 0U;
    const auto id = static_cast<std::int64_t>(row);
    for (std::size_t entry = 0; entry < context_.answers.size(); ++entry) {
        take(entry, zero ? Candidate{0.0F, 0.0F, id} : Candidate{kInfinity, -kInfinity, id},
             worker);
    }
}

void FloatPass::take(std::size_t entry, const Candidate& candidate, Worker& worker) {
    Answer& answer = context_.answers[entry];
    const Query& query = context_.queries[answer.query];
    if (!context_.admission.admits(query, static_cast<std::size_t>(candidate.row))) {
        return;
    }
    worker.scorer.take(query);
    ++worker.counters.candidates;
    std::unique_lock<SpinLock> lock(answer.lock, std::defer_lock);
    if (shared_) {
        lock.lock();
    }
    const float before = answer.candidates.threshold();
    answer.candidates.add(candidate, worker.scorer);
    if (answer.candidates.threshold() != before) {
        set_floor(entry);
    }
}

// (threshold - error) * |u|, so that testing a row needs no division.
void FloatPass::set_floor(std::size_t entry) noexcept {
    Answer& answer = context_.answers[entry];
    const double least = static_cast<double>(next_down(answer.candidates.threshold())) - error_;
    answer.floor.store(next_down(static_cast<float>(least * value_norms_[entry])),
                       std::memory_order_relaxed);
}

}  // namespace gnomon::detail
