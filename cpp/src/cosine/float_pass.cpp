#include "cosine/float_pass.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "cosine/float_steps.hpp"
#include "gnomon/steps.hpp"
#include "score/rows.hpp"

namespace gnomon::detail {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kLeastBlockRows = 512;
constexpr std::size_t kRowsAtOnce = 8;

// Rows whose norm lies between these lose nothing to overflow or underflow against a
// query whose largest value lies in [1, 2).
constexpr float kLeastNorm = 0x1p-30F;
constexpr float kMostNorm = 0x1p+50F;

bool is_plain(float norm) noexcept { return norm >= kLeastNorm && norm <= kMostNorm; }

}  // namespace

struct FloatPass::Worker {
    explicit Worker(const FloatPass& pass)
        : converted(pass.in_place_ ? 0 : kRowsAtOnce * pass.source_.matrix.cols),
          scorer(pass.context_.isa, pass.source_.matrix, pass.norms_, pass.guard_),
          twins(pass.source_.matrix, pass.guard_, kRowsAtOnce) {}

    std::vector<float> converted;
    const float* rows[kRowsAtOnce] = {};
    float dots[kScanQueries * kRowsAtOnce] = {};
    float norms[kRowsAtOnce] = {};
    RowScorer scorer;
    Twins twins;
    SearchCounters counters;
};

FloatPass::FloatPass(const PassContext& context, const RowSource& source, const double* norms,
                     TouchGuard* guard)
    : context_(context), kernel_(float_dot_kernel(context.isa)), source_(source), norms_(norms),
      guard_(guard), in_place_(stands_as_floats(source.matrix)),
      values_(context.answers.size() * source.matrix.cols),
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
            worker = std::make_unique<Worker>(*this);
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
    if (guard_ != nullptr) {
        guard_->check_size();
    }
    const std::size_t first = block * block_rows_;
    const std::size_t end = std::min(first + block_rows_, source_.size);
    Meter meter;
    for (std::size_t at = first; at < end; at += kRowsAtOnce) {
        meter.add(kRowsAtOnce * source_.matrix.cols);
        scan_rows(at, std::min(kRowsAtOnce, end - at), worker);
    }
    worker.counters.pairs_screened += (end - first) * context_.answers.size();
    watch.add_done((end - first) * context_.answers.size());
}

void FloatPass::scan_rows(std::size_t first, std::size_t count, Worker& worker) {
    const std::size_t d = source_.matrix.cols;
    worker.twins.begin_group();
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = source_.row(first + i);
        if (guard_ != nullptr) {
            guard_->touch_row(row);
        }
        worker.rows[i] =
            in_place_ ? static_cast<const float*>(source_.start_of(first + i))
                      : row_f32(source_.matrix, row, worker.converted.data() + i * d, context_.isa);
    }
    for (std::size_t entry = 0; entry < context_.answers.size(); entry += kScanQueries) {
        const std::size_t queries = std::min(kScanQueries, context_.answers.size() - entry);
        kernel_.scan(values_.data() + entry * d, queries, worker.rows, count, d, worker.dots,
                     worker.norms);
        for (std::size_t q = 0; q < queries; ++q) {
            take_above_floor(entry + q, first, count, worker.dots + q * count, worker);
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_plain(worker.norms[i])) {
            take_odd_row(i, source_.row(first + i), worker);
        }
    }
}

void FloatPass::take_above_floor(std::size_t entry, std::size_t first, std::size_t count,
                                 const float* dots, Worker& worker) {
    const std::atomic<float>& floor = context_.answers[entry].floor;
    for (std::size_t i = 0; i < count; ++i) {
        const float norm = worker.norms[i];
        if (dots[i] < floor.load(std::memory_order_relaxed) * norm || !is_plain(worker.norms[i])) {
            continue;
        }
        const double middle = static_cast<double>(dots[i]) / (value_norms_[entry] * norm);
        take(entry, i,
             {next_up(static_cast<float>(middle + error_)),
              next_down(static_cast<float>(middle - error_)),
              static_cast<std::int64_t>(source_.row(first + i))},
             worker);
    }
}

// A zero row has score 0; for the others float32 bounds nothing, so they are scored.
void FloatPass::take_odd_row(std::size_t i, std::size_t row, Worker& worker) {
    const float* x = worker.rows[i];
    bool zero = true;
    for (std::size_t c = 0; c < source_.matrix.cols; ++c) {
        if (!std::isfinite(x[c])) {
            throw NonFiniteRowMet();
        }
        zero &= x[c] == 0.0F;
    }
    worker.counters.zero_rows += zero ? 1U : 0U;
    const auto id = static_cast<std::int64_t>(row);
    for (std::size_t entry = 0; entry < context_.answers.size(); ++entry) {
        take(entry, i, zero ? Candidate{0.0F, 0.0F, id} : Candidate{kInfinity, -kInfinity, id},
             worker);
    }
}

// The score of row i's original, if it has one whose score is known.
float FloatPass::score_of_twin(std::size_t i, std::size_t row, Answer& answer,
                               Worker& worker) const {
    const std::size_t d = source_.matrix.cols;
    if (!answer.candidates.crowded() || d == 0) {
        return kUnknownScore;
    }
    const float* x = worker.rows[i];
    const std::uint64_t norm = std::bit_cast<std::uint32_t>(worker.norms[i]);
    const std::uint64_t ends =
        std::bit_cast<std::uint32_t>(x[0]) ^ std::rotl(std::bit_cast<std::uint32_t>(x[d - 1]), 16);
    const std::size_t original = worker.twins.original_of(i, row, norm << 32U | ends);
    return original == row ? kUnknownScore : answer.twins.score_of(original, worker.scorer);
}

void FloatPass::take(std::size_t entry, std::size_t i, Candidate candidate, Worker& worker) {
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
    if (!candidate.scored()) {
        const auto row = static_cast<std::size_t>(candidate.row);
        const float known = score_of_twin(i, row, answer, worker);
        if (!std::isnan(known)) {
            candidate.upper = candidate.likely = known;
            if (answer.candidates.has_no_use_for({known, candidate.row})) {
                return;
            }
        }
    }
    answer.candidates.add({&candidate, 1}, worker.scorer);
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
