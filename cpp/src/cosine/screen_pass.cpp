#include "cosine/screen_pass.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "cosine/float_steps.hpp"
#include "cosine/screen_wide.hpp"

namespace gnomon::detail {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A stretch of tiles stays in the second-level cache while every block of queries passes over it.
constexpr std::size_t kStretchBytes = 262144;
constexpr std::size_t kLeastStretchTiles = 2;
constexpr std::size_t kMostStretchTiles = 32;
// As long as a query has no threshold, every row survives; so it gets one soon.
constexpr std::size_t kFirstTiles = 2;
constexpr std::size_t kMostStretches = 16;
constexpr std::size_t kBlocksPerThread = 8;
// Keeping one candidate costs as much as passing over a row of so many dimensions.
constexpr double kDimsPerCandidate = 20'000.0;
// So many stretches, at least, make the first few of them, taken here and there, a sample of all.
constexpr std::size_t kScattered = 24;

std::vector<std::size_t> query_ids(const Answers& answers) {
    std::vector<std::size_t> ids;
    ids.reserve(answers.size());
    for (const Answer& answer : answers) {
        ids.push_back(answer.query);
    }
    return ids;
}

// From the upper end of the interval for a score down to where the score is taken to lie.
float spreads_below(std::size_t dims, bool proven) noexcept {
    return static_cast<float>(1.0 + (proven ? 1.0 : likely_share_of_spread(dims)));
}

}  // namespace

struct ScreenPass::Worker {
    explicit Worker(const ScreenPass& pass)
        : scratch(pass.coder_), scorer(pass.context_.isa, pass.source_.matrix, pass.norms_,
                                       pass.prepared_ != nullptr ? pass.prepared_->guard : nullptr),
          survivors(pass.stretch_tiles_ * kBlockQueries), by_query(survivors.size()),
          twins(pass.source_.matrix, pass.prepared_ != nullptr ? pass.prepared_->guard : nullptr,
                pass.stretch_tiles_ * kTileRows) {
        if (pass.prepared_ == nullptr) {
            codes = Buffer(pass.stretch_tiles_ * pass.coder_.groups() * kTileGroupBytes);
            scale.resize(pass.stretch_tiles_ * kTileRows);
            slack.resize(pass.stretch_tiles_ * kTileRows);
        }
    }

    RowCoder::Scratch scratch;
    RowScorer scorer;
    std::vector<Survivors> survivors;
    std::vector<const Survivors*> by_query;
    Twins twins;
    Buffer codes;  // of the stretch that is being coded on the way
    std::vector<float> scale;
    std::vector<float> slack;
    double share = 1.0;  // of the rows that have been passed over, this stretch included
    bool fresh = true;   // has not finished a stretch yet
    SearchCounters counters;
};

ScreenPass::ScreenPass(const PassContext& context, const PreparedRows& prepared)
    : context_(context), kernel_(screen_kernel(context.isa)), source_(prepared.docs),
      prepared_(&prepared), norms_(prepared.norms),
      coder_(context.isa, prepared.docs.cols, prepared.rotated),
      coded_(context.queries, query_ids(context.answers), coder_),
      spreads_below_(spreads_below(prepared.docs.cols, context.proven)) {}

ScreenPass::ScreenPass(const PassContext& context, const RowSource& source, const double* norms,
                       bool rotate)
    : context_(context), kernel_(screen_kernel(context.isa)), source_(source), norms_(norms),
      coder_(context.isa, source.matrix.cols, rotate),
      coded_(context.queries, query_ids(context.answers), coder_),
      spreads_below_(spreads_below(source.matrix.cols, context.proven)) {}

// True when the k log(n / k) candidates of rows in any order cost so much beside the pass that a
// better threshold is worth the risk of a second one.
bool ScreenPass::many_hits() const noexcept {
    double kept = 0.0;
    for (const Answer& answer : context_.answers) {
        const auto k = static_cast<double>(context_.queries[answer.query].k);
        kept += k * std::log(static_cast<double>(source_.size) / std::max(k, 1.0));
    }
    const double pairs =
        static_cast<double>(source_.size) * static_cast<double>(context_.answers.size());
    return kept * kDimsPerCandidate > pairs * static_cast<double>(source_.matrix.cols);
}

void ScreenPass::plan(int threads) {
    const std::size_t tiles = tiles_of(source_.size);
    const std::size_t fair = tiles / (static_cast<std::size_t>(threads) * kBlocksPerThread);
    const std::size_t tile_bytes = std::max(coder_.groups() * kTileGroupBytes, kTileGroupBytes);
    stretch_tiles_ = std::clamp(kStretchBytes / tile_bytes, kLeastStretchTiles, kMostStretchTiles);
    scatters_ = !context_.proven && many_hits();
    if (scatters_) {
        stretch_tiles_ = std::clamp(tiles / kScattered, kLeastStretchTiles, stretch_tiles_);
    }
    stretches_ = (tiles + stretch_tiles_ - 1) / stretch_tiles_;
    if (scatters_) {
        stride_ = stretches_ * 5 / 13 + 1;
        while (std::gcd(stride_, stretches_) != 1) {
            ++stride_;
        }
    }
    const std::size_t least =
        tiles_of(least_block_rows(source_.matrix.cols, context_.answers.size()));
    const std::size_t block_tiles =
        std::max(std::min(fair, kMostStretches * stretch_tiles_), least);
    block_stretches_ = (block_tiles + stretch_tiles_ - 1) / stretch_tiles_;
}

void ScreenPass::run(int threads, Watch& watch, SearchCounters& counters) {
    shared_ = threads > 1;
    for (std::size_t entry = 0; entry < context_.answers.size(); ++entry) {
        set_floor(entry);
    }
    plan(threads);
    const std::size_t blocks = (stretches_ + block_stretches_ - 1) / block_stretches_;
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

void ScreenPass::run_block(std::size_t block, Worker& worker, Watch& watch) {
    if (prepared_ != nullptr && prepared_->guard != nullptr) {
        prepared_->guard->check_size();
    }
    const std::size_t tiles_end = tiles_of(source_.size);
    const std::size_t end = std::min((block + 1) * block_stretches_, stretches_);
    for (std::size_t turn = block * block_stretches_; turn < end; ++turn) {
        const std::size_t tile = turn * stride_ % stretches_ * stretch_tiles_;
        const std::size_t begun = begun_.fetch_add(1, std::memory_order_relaxed) + 1;
        worker.share =
            scatters_ ? static_cast<double>(begun) / static_cast<double>(stretches_) : 1.0;
        const CodeTiles tiles =
            stretch_of(tile, std::min(tile + stretch_tiles_, tiles_end), worker);
        screen_stretch(tiles, tile * kTileRows, worker);
        const std::size_t rows = std::min(tiles.tiles * kTileRows, source_.size - tile * kTileRows);
        worker.counters.pairs_screened += rows * context_.answers.size();
        watch.add_done(rows * context_.answers.size());
    }
}

CodeTiles ScreenPass::stretch_of(std::size_t first_tile, std::size_t end_tile,
                                 Worker& worker) const {
    const std::size_t tile_bytes = coder_.groups() * kTileGroupBytes;
    const std::size_t count = end_tile - first_tile;
    if (prepared_ != nullptr) {
        if (prepared_->guard != nullptr) {
            prepared_->guard->touch_tiles(first_tile, end_tile);
        }
        const CodeTiles& all = prepared_->tiles;
        return {all.codes + first_tile * tile_bytes, all.scale + first_tile * kTileRows,
                all.slack + first_tile * kTileRows, count, all.groups};
    }
    for (std::size_t t = 0; t < count; ++t) {
        const std::size_t first = (first_tile + t) * kTileRows;
        const std::size_t rows = std::min(kTileRows, source_.size - first);
        const RowKind worst = coder_.code_tile(
            source_, first, rows, worker.scratch, worker.codes.data() + t * tile_bytes,
            worker.scale.data() + t * kTileRows, worker.slack.data() + t * kTileRows);
        if (worst == RowKind::not_finite) {
            throw NonFiniteRowMet();
        }
        for (std::size_t j = 0; worst == RowKind::zero && j < rows; ++j) {
            // Only a row without a direction has scale 0.
            worker.counters.zero_rows += worker.scale[t * kTileRows + j] == 0.0F ? 1U : 0U;
        }
    }
    return {worker.codes.data(), worker.scale.data(), worker.slack.data(), count, coder_.groups()};
}

void ScreenPass::screen_stretch(const CodeTiles& tiles, std::size_t first_row, Worker& worker) {
    worker.twins.begin_group();
    for (const CodedQueries::Block& block : coded_.blocks()) {
        for (std::size_t tile = 0; tile < tiles.tiles;) {
            float floors[kBlockQueries];
            const bool open = load_floors(block, floors);
            std::size_t step = tiles.tiles - tile;
            if (open || worker.fresh) {
                step = std::min(step, open ? kFirstTiles : std::max(kFirstTiles, tile));
            }
            const QueryBlock view = coded_.view(block, floors);
            const std::size_t found =
                tiles.groups <= kGroupsInInt32
                    ? kernel_.screen(tiles, tile, tile + step, view, worker.survivors.data())
                    : screen_wide(kernel_, tiles, tile, tile + step, view, worker.survivors.data());
            take({worker.survivors.data(), found}, tiles, first_row, block, worker);
            tile += step;
        }
        check_interruption();
    }
    worker.fresh = false;
}

void ScreenPass::set_floor(std::size_t entry) noexcept {
    Answer& answer = context_.answers[entry];
    answer.floor.store(coded_.terms(entry).floor_for(answer.candidates.threshold()),
                       std::memory_order_relaxed);
}

// True when a query of the block has no threshold yet.
bool ScreenPass::load_floors(const CodedQueries::Block& block, float* floors) const noexcept {
    bool open = false;
    for (std::size_t i = 0; i < block.used; ++i) {
        floors[i] = context_.answers[block.first + i].floor.load(std::memory_order_relaxed);
        open |= floors[i] == -kInfinity;
    }
    std::fill(floors + block.used, floors + kBlockQueries, kInfinity);
    return open;
}

// Query by query: what belongs to one then is in cache for all its rows.
void ScreenPass::take(std::span<const Survivors> found, const CodeTiles& tiles,
                      std::size_t first_row, const CodedQueries::Block& block, Worker& worker) {
    if (found.empty()) {
        return;
    }
    std::uint32_t ends[kBlockQueries + 1] = {};
    for (const Survivors& survivors : found) {
        ++ends[survivors.query + 1];
    }
    for (std::size_t i = 1; i < kBlockQueries; ++i) {
        ends[i] += ends[i - 1];
    }
    for (const Survivors& survivors : found) {
        worker.by_query[ends[survivors.query]++] = &survivors;
    }
    std::size_t first = 0;
    for (std::size_t i = 0; i < block.used; ++i) {
        if (ends[i] > first) {
            take_query(std::span(worker.by_query).subspan(first, ends[i] - first), tiles, first_row,
                       block.first + i, worker);
        }
        first = ends[i];
    }
}

Candidate ScreenPass::candidate_of(float bound, float slack, const BoundTerms& terms,
                                   std::size_t row) const noexcept {
    const auto id = static_cast<std::int64_t>(row);
    const float upper = terms.upper(bound);
    const float likely = upper - spreads_below_ * terms.spread(slack);
    // Forged codes may leave nothing between the two, which would pass for a score.
    return upper < kInfinity && likely < upper ? Candidate{upper, likely, id}
                                               : Candidate{kInfinity, -kInfinity, id};
}

// A row that was met before and has the bytes of this one; or the row itself.
std::size_t ScreenPass::original_of(const CodeTiles& tiles, std::size_t at, std::size_t row,
                                    Worker& worker) {
    const std::uint64_t scale = std::bit_cast<std::uint32_t>(tiles.scale[at]);
    const std::uint64_t slack = std::bit_cast<std::uint32_t>(tiles.slack[at]);
    return worker.twins.original_of(at, row, scale << 32U | slack);
}

// The score of the row's original, if it has one whose score is known.
float ScreenPass::score_of_twin(const CodeTiles& tiles, std::size_t at, std::size_t row,
                                Answer& answer, Worker& worker) {
    if (!answer.candidates.crowded()) {
        return kUnknownScore;
    }
    const std::size_t original = original_of(tiles, at, row, worker);
    return original == row ? kUnknownScore : answer.twins.score_of(original, worker.scorer);
}

// Of a tile's rows, those that aren't copies too many: when the first of some copies is of no use,
// neither are the others, here and in the tiles that follow, whose rows rank behind. `useless` is
// the original of such copies.
unsigned ScreenPass::drop_copies(const Survivors& found, const CodeTiles& tiles,
                                 std::size_t first_row, Answer& answer, std::size_t& useless,
                                 Worker& worker) const {
    const std::size_t first = found.tile * kTileRows;
    unsigned rows = found.rows;
    if (first_row + first + kTileRows > source_.size) {
        return rows;
    }
    const auto look = [&](std::size_t j) {
        const std::size_t row = source_.row(first_row + first + j);
        const std::size_t original = original_of(tiles, first + j, row, worker);
        return original == row ? Twins::kNone : original;
    };
    for (const Twins::Copies& copies : worker.twins.copies_in(found.tile, rows, look)) {
        const unsigned some = rows & copies.rows;
        if (some == 0 || copies.original == useless) {
            rows &= ~some;
            continue;
        }
        const auto j = static_cast<std::size_t>(std::countr_zero(some));
        const float known = answer.twins.score_of(copies.original, worker.scorer);
        const auto row = static_cast<std::int64_t>(source_.row(first_row + first + j));
        if (!std::isnan(known) && answer.candidates.has_no_use_for({known, row})) {
            rows &= ~some;
            useless = copies.original;
        }
    }
    return rows;
}

void ScreenPass::take_query(std::span<const Survivors* const> found, const CodeTiles& tiles,
                            std::size_t first_row, std::size_t entry, Worker& worker) {
    Answer& answer = context_.answers[entry];
    const Query& query = context_.queries[answer.query];
    const BoundTerms& terms = coded_.terms(entry);
    worker.scorer.take(query);
    std::unique_lock<SpinLock> lock(answer.lock, std::defer_lock);
    if (shared_) {
        lock.lock();
    }
    const float before = answer.candidates.threshold();
    const bool admits_all = context_.admission.admits_all(query);
    Candidate candidates[Candidates::kAddedAtOnce];
    std::size_t count = 0;
    std::size_t useless = Twins::kNone;
    for (const Survivors* survivors : found) {
        const unsigned rows =
            answer.candidates.crowded()
                ? drop_copies(*survivors, tiles, first_row, answer, useless, worker)
                : survivors->rows;
        for (unsigned left = rows; left != 0; left &= left - 1) {
            const auto j = static_cast<std::size_t>(std::countr_zero(left));
            const std::size_t at = survivors->tile * kTileRows + j;
            const std::size_t position = first_row + at;
            if (position >= source_.size) {
                break;
            }
            const std::size_t row = source_.row(position);
            if (!admits_all && !context_.admission.admits(query, row)) {
                continue;
            }
            const float known = score_of_twin(tiles, at, row, answer, worker);
            candidates[count++] =
                std::isnan(known) ? candidate_of(survivors->bound[j], tiles.slack[at], terms, row)
                                  : Candidate{known, known, static_cast<std::int64_t>(row)};
        }
        if (count + kTileRows > Candidates::kAddedAtOnce) {
            worker.counters.candidates += count;
            answer.candidates.add({candidates, count}, worker.scorer, worker.share);
            count = 0;
        }
    }
    worker.counters.candidates += count;
    answer.candidates.add({candidates, count}, worker.scorer, worker.share);
    if (answer.candidates.threshold() != before) {
        set_floor(entry);
    }
}

}  // namespace gnomon::detail
