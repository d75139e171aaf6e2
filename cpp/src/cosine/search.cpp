// Chooses the source, runs the passes, and gathers the hits.
#include "cosine/search.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <utility>

#include "cosine/answers.hpp"
#include "cosine/coder.hpp"
#include "cosine/float_pass.hpp"
#include "cosine/request_checks.hpp"
#include "cosine/row_source.hpp"
#include "cosine/screen_pass.hpp"
#include "gnomon/steps.hpp"
#include "score/rows.hpp"
#include "threads/float_environment.hpp"

namespace gnomon {

namespace detail {

namespace {

// Up to this many queries, plain float32 dots cost less than coding the documents on the way.
constexpr std::size_t kFewQueries = 4;
// A subset smaller than this share of an index is read as float rows instead of all codes.
constexpr std::size_t kSparseSubset = 8;
// Rotating on the way costs about as much as screening for 100 queries.
constexpr std::size_t kQueriesThatPayForRotation = 400;
// Starting a thread for less than this many queries costs more than it saves.
constexpr std::size_t kSettledAtOnce = 16;
// Candidates and codes of the queries that one pass carries.
constexpr std::size_t kMostPassBytes = std::size_t{256} << 20U;

// Codes of an index up to this size stay in cache from one pass to the next. Then passes are short,
// so that the candidates for the hits of their queries stay in cache too.
constexpr std::size_t kCachedCodes = std::size_t{4} << 20U;
constexpr std::size_t kCachedHits = std::size_t{1} << 14U;
constexpr std::size_t kAnyHits = std::numeric_limits<std::size_t>::max();

class Search {
  public:
    Search(const MatrixView& docs, const PreparedRows* prepared,
           std::span<const SearchRequest> requests, const SearchOptions& options)
        : isa_(chosen_isa()), docs_(docs), prepared_(prepared), requests_(requests),
          options_(options),
          source_(options.subset ? RowSource(docs, *options.subset) : RowSource(docs)),
          queries_(requests, source_.size, isa_), hits_(queries_.size()),
          admission_(options.row_labels, listed_rows()),
          watch_(options, rows_passed() * std::uint64_t{queries_.size()}) {}

    SearchResult run() {
        std::vector<std::size_t> nonzero;
        for (std::size_t q = 0; q < queries_.size(); ++q) {
            if (queries_[q].norm > 0.0) {
                nonzero.push_back(q);
            } else {
                take_first_rows(q);
                ++result_.zero_queries;
            }
        }
        try {
            pass_in_parts(nonzero);
            if (nonzero.empty() && prepared_ == nullptr) {
                throw_if_not_finite();
            }
        } catch (const NonFiniteRowMet&) {
            throw_if_not_finite();
        }
        gather();
        watch_.finish();
        return std::move(result_);
    }

  private:
    bool subset_is_sparse() const noexcept {
        return options_.subset && source_.size < docs_.rows / kSparseSubset;
    }
    bool uses_codes_of_index() const noexcept {
        return prepared_ != nullptr && !subset_is_sparse();
    }

    std::size_t rows_passed() const noexcept {
        return uses_codes_of_index() ? docs_.rows : source_.size;
    }

    // The screen passes over all rows of an index; those outside the subset fall out afterwards.
    std::vector<bool> listed_rows() const {
        std::vector<bool> listed;
        if (options_.subset && uses_codes_of_index()) {
            listed.resize(docs_.rows);
            Meter meter;
            for (const std::int64_t row : *options_.subset) {
                meter.add(1);
                listed[static_cast<std::size_t>(row)] = true;
            }
        }
        return listed;
    }

    // Every row scores 0 against a zero query, so its hits are the first admissible rows.
    void take_first_rows(std::size_t q) {
        const Query& query = queries_[q];
        Meter meter;
        for (std::size_t at = 0; at < source_.size && hits_[q].size() < query.k; ++at) {
            meter.add(1);
            const std::size_t row = source_.row(at);
            if (admission_.admits(query, row)) {
                hits_[q].push_back({0.0F, static_cast<std::int64_t>(row)});
            }
        }
    }

    // Hits of the queries of one pass, but for those that fill up its last block.
    std::size_t most_pass_hits() const noexcept {
        if (!uses_codes_of_index()) {
            return kAnyHits;
        }
        const CodeTiles& tiles = prepared_->tiles;
        return tiles.tiles * tiles.groups * kTileGroupBytes <= kCachedCodes
                   ? kCachedHits * static_cast<std::size_t>(options_.threads)
                   : kAnyHits;
    }

    void pass_in_parts(std::span<const std::size_t> ids) {
        for (std::size_t first = 0; first < ids.size();) {
            Answers answers;
            std::size_t bytes = 0;
            std::size_t hits = 0;
            while (first < ids.size() && (answers.empty() || bytes < kMostPassBytes) &&
                   (hits < most_pass_hits() || answers.size() % kBlockQueries != 0)) {
                const std::size_t q = ids[first++];
                hits += queries_[q].k;
                answers.emplace_back(q, queries_[q].k);
                bytes += Candidates::most_bytes(queries_[q].k) + docs_.cols;
            }
            const bool first_pass = result_.counters.pairs_screened == 0;
            pass({isa_, queries_, answers, admission_, false});
            if (first_pass) {
                result_.zero_rows = result_.counters.zero_rows;
            }
            Answers again = settle(answers);
            if (!again.empty()) {
                result_.counters.repeated += again.size();
                pass({isa_, queries_, again, admission_, true});
                if (!settle(again).empty()) {
                    refuse_bounds();
                }
            }
        }
    }

    void pass(const PassContext& context) {
        check_size();
        if (uses_codes_of_index()) {
            ScreenPass(context, *prepared_).run(options_.threads, watch_, result_.counters);
            return;
        }
        if (context.answers.size() <= kFewQueries) {
            FloatPass(context, source_, norms(), guard())
                .run(options_.threads, watch_, result_.counters);
            return;
        }
        if (guard() != nullptr) {
            Meter meter;
            for (std::size_t at = 0; at < source_.size; ++at) {
                meter.add(docs_.cols);
                guard()->touch_row(source_.row(at));
            }
        }
        const bool rotate =
            context.answers.size() >= kQueriesThatPayForRotation && rotation_pays(isa_, source_);
        ScreenPass(context, source_, norms(), rotate)
            .run(options_.threads, watch_, result_.counters);
    }

    void check_size() const {
        if (guard() != nullptr) {
            guard()->check_size();
        }
    }

    // A bound that was proven has failed: forged codes, or a fault of this program.
    [[noreturn]] void refuse_bounds() const {
        if (guard() != nullptr) {
            guard()->refuse_bounds();
        }
        throw std::logic_error("cosine_top_k: a proven threshold was too high");
    }

    const double* norms() const noexcept {
        return prepared_ != nullptr ? prepared_->norms : nullptr;
    }
    TouchGuard* guard() const noexcept { return prepared_ != nullptr ? prepared_->guard : nullptr; }

    // Returns what has to be passed again.
    Answers settle(Answers& answers) {
        std::atomic<std::uint64_t> rescored{0};
        std::vector<char> settled(answers.size());
        const std::size_t blocks = (answers.size() + kSettledAtOnce - 1) / kSettledAtOnce;
        parallel_for(blocks, options_.threads, options_.interrupted, [&](std::size_t block, int) {
            check_size();
            RowScorer scorer(isa_, docs_, norms(), guard());
            const std::size_t first = block * kSettledAtOnce;
            const std::size_t end = std::min(first + kSettledAtOnce, answers.size());
            for (std::size_t entry = first; entry < end; ++entry) {
                check_interruption();
                Answer& answer = answers[entry];
                scorer.take(queries_[answer.query]);
                const bool done = answer.candidates.settle(scorer, hits_[answer.query]);
                settled[entry] = done ? 1 : 0;
            }
            rescored += scorer.rescored();
        });
        result_.counters.rescored += rescored;
        Answers again;
        for (std::size_t entry = 0; entry < answers.size(); ++entry) {
            if (settled[entry] == 0) {
                again.emplace_back(answers[entry].query, std::move(answers[entry].candidates));
            }
        }
        return again;
    }

    void throw_if_not_finite() const {
        Meter meter;
        for (std::size_t at = 0; at < source_.size; ++at) {
            meter.add(docs_.cols);
            if (!row_is_finite(docs_, source_.row(at))) {
                throw NonFiniteError("docs", source_.row(at));
            }
        }
    }

    void gather() {
        std::size_t q = 0;
        Meter meter;
        for (const SearchRequest& request : requests_) {
            HitLists& lists = result_.lists.emplace_back();
            lists.offsets.push_back(0);
            std::size_t hits = 0;
            for (std::size_t i = 0; i < request.queries.rows; ++i) {
                hits += hits_[q + i].size();
            }
            lists.ids.reserve(hits);
            lists.scores.reserve(hits);
            for (std::size_t i = 0; i < request.queries.rows; ++i, ++q) {
                for (const Hit& hit : hits_[q]) {
                    meter.add(1);
                    lists.ids.push_back(hit.row);
                    lists.scores.push_back(hit.score);
                }
                lists.offsets.push_back(static_cast<std::int64_t>(lists.ids.size()));
            }
        }
    }

    Isa isa_;
    const MatrixView& docs_;
    const PreparedRows* prepared_;
    std::span<const SearchRequest> requests_;
    const SearchOptions& options_;
    RowSource source_;
    QuerySet queries_;
    std::vector<std::vector<Hit>> hits_;
    Admission admission_;
    Watch watch_;
    SearchResult result_;
};

}  // namespace

SearchResult search(const MatrixView& docs, const PreparedRows* prepared,
                    std::span<const SearchRequest> requests, const SearchOptions& options) {
    const Interruptible scope(options.interrupted);
    check_search(docs.rows, docs.cols, requests, options);
    const FloatEnvironment environment;
    return Search(docs, prepared, requests, options).run();
}

}  // namespace detail

SearchResult cosine_top_k(const MatrixView& docs, std::span<const SearchRequest> requests,
                          const SearchOptions& options) {
    return detail::search(docs, nullptr, requests, options);
}

}  // namespace gnomon
