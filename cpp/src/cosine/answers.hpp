// What the passes over the documents fill in: one candidate list for each query.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "cosine/candidates.hpp"
#include "cosine/query_set.hpp"
#include "cosine/twins.hpp"

namespace gnomon::detail {

// Which rows may be hits of a query.
class Admission {
  public:
    // `listed` holds one bit a row, or nothing when all rows are searched.
    Admission(std::span<const std::uint8_t> labels, std::vector<bool> listed)
        : labels_(labels), listed_(std::move(listed)) {}

    bool admits(const Query& query, std::size_t row) const noexcept;

    bool admits_all(const Query& query) const noexcept {
        return !query.row_class && listed_.empty() && query.excluded.empty();
    }

  private:
    std::span<const std::uint8_t> labels_;
    std::vector<bool> listed_;
};

// Held for some nanoseconds, seldom by two threads at once.
class SpinLock {
  public:
    void lock() noexcept {
        while (taken_.test_and_set(std::memory_order_acquire)) {
            std::this_thread::yield();
        }
    }
    void unlock() noexcept { taken_.clear(std::memory_order_release); }

  private:
    std::atomic_flag taken_;
};

// The candidates of one query, shared by all threads: one list, so one threshold and O(k) memory
// however many threads there are.
struct Answer {
    Answer(std::size_t query_id, std::size_t k) : query(query_id), candidates(k) {}
    Answer(std::size_t query_id, Candidates&& known)
        : query(query_id), candidates(std::move(known)) {}

    std::size_t query;
    SpinLock lock;
    Candidates candidates;
    TwinScores twins;
    // What the pass compares bounds with; set by it whenever the threshold has risen.
    std::atomic<float> floor{-std::numeric_limits<float>::infinity()};
};

using Answers = std::deque<Answer>;

// Ctrl-C and progress, for one pass.
class Watch {
  public:
    Watch(const SearchOptions& options, std::uint64_t total) : options_(options), total_(total) {}

    void add_done(std::uint64_t pairs) noexcept {
        done_.fetch_add(pairs, std::memory_order_relaxed);
    }

    // For parallel_for: reports progress, if there was any, then says whether to stop.
    Interrupted between_blocks();

    // Reports that all is done.
    void finish() const {
        if (options_.progress) {
            options_.progress(total_, total_);
        }
    }

  private:
    const SearchOptions& options_;
    std::uint64_t total_;
    std::atomic<std::uint64_t> done_{0};
    std::uint64_t told_ = 0;
};

// A thread that is started for fewer multiply-adds than this costs more time than it saves.
inline constexpr std::size_t kLeastBlockWork = std::size_t{1} << 22U;

// Rows that a block needs for that, at least.
constexpr std::size_t least_block_rows(std::size_t dims, std::size_t queries) noexcept {
    const std::size_t row_work = (dims > 0 ? dims : 1) * (queries > 0 ? queries : 1);
    return (kLeastBlockWork + row_work - 1) / row_work;
}

// What every pass works on.
struct PassContext {
    Isa isa;
    const QuerySet& queries;
    Answers& answers;
    const Admission& admission;
    bool proven;  // no guesses: a second pass, for queries whose first guess was too high
};

// A pass has met a row that holds NaN or infinity; the search finds out which is the first.
struct NonFiniteRowMet : std::exception {};

}  // namespace gnomon::detail
