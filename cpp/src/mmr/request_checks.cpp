#include "mmr/request_checks.hpp"

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "gnomon/resample.hpp"
#include "gnomon/steps.hpp"

namespace gnomon::detail {

namespace {

// Members are numbered in 32 bits.
constexpr std::size_t kMostMembers = 0xFFFFFFFEU;

constexpr std::size_t kRowWeight = 8;  // a large set is in no cache

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("mmr: " + what); }

// A set of rows that is emptied in no time: a slot counts only if it bears the mark of the query.
class RowSet {
  public:
    void begin(std::size_t most_rows) {
        const std::size_t slots = std::bit_ceil(2 * most_rows + 1);
        if (slots > slots_.size()) {
            assign_in_steps(slots_, slots, Slot{0, 0});
            mark_ = 0;
        }
        ++mark_;
    }

    // False when the row is there already.
    bool insert(std::int64_t row) noexcept {
        const std::size_t last = slots_.size() - 1;
        std::size_t at = static_cast<std::size_t>(mix(static_cast<std::uint64_t>(row))) & last;
        while (slots_[at].mark == mark_) {
            if (slots_[at].row == row) {
                return false;
            }
            at = (at + 1) & last;
        }
        slots_[at] = {row, mark_};
        return true;
    }

  private:
    struct Slot {
        std::int64_t row;
        std::uint64_t mark;
    };
    std::vector<Slot> slots_;
    std::uint64_t mark_ = 0;
};

void check_offsets(const MmrRequest& request) {
    const auto offsets = request.row_offsets;
    bool fits = offsets.size() == request.queries.rows + 1 && offsets.front() == 0 &&
                offsets.back() == static_cast<std::int64_t>(request.rows.size());
    for (std::size_t q = 0; fits && q + 1 < offsets.size(); ++q) {
        fits = offsets[q] <= offsets[q + 1];
    }
    if (!fits) {
        refuse("rows need " + std::to_string(request.queries.rows + 1) +
               " ascending offsets that end at " + std::to_string(request.rows.size()));
    }
}

void check_rows(const MmrRequest& request) {
    check_offsets(request);
    const std::size_t n = request.pools.front().rows;
    RowSet met;
    Meter meter;
    for (std::size_t q = 0; q < request.queries.rows; ++q) {
        const auto first = static_cast<std::size_t>(request.row_offsets[q]);
        const auto past = static_cast<std::size_t>(request.row_offsets[q + 1]);
        if (past - first > kMostMembers) {
            refuse("rows of query " + std::to_string(q) + " are more than " +
                   std::to_string(kMostMembers));
        }
        met.begin(past - first);
        for (const std::int64_t row : request.rows.subspan(first, past - first)) {
            meter.add(kRowWeight);
            if (row < 0 || static_cast<std::uint64_t>(row) >= n) {
                refuse("rows of query " + std::to_string(q) + " name row " + std::to_string(row) +
                       "; the pool has " + std::to_string(n) + " rows");
            }
            if (!met.insert(row)) {
                refuse("rows of query " + std::to_string(q) + " name row " + std::to_string(row) +
                       " twice; a pool holds a row once");
            }
        }
    }
}

}  // namespace

void check_mmr(const MmrRequest& request) {
    if (request.k < 1) {
        refuse("k is 0; it must be at least 1");
    }
    for (const double lambda : request.lambdas) {
        if (!(lambda >= 0.0 && lambda <= 1.0)) {
            refuse("lambda is " + std::to_string(lambda) + "; it must be from 0 to 1");
        }
    }
    const bool lists_rows = !request.row_offsets.empty() || !request.rows.empty();
    if (lists_rows ? request.pools.size() != 1
                   : request.pools.size() != 1 && request.pools.size() != request.queries.rows) {
        refuse("there are " + std::to_string(request.pools.size()) + " pools for " +
               std::to_string(request.queries.rows) + " queries");
    }
    for (const MatrixView& pool : request.pools) {
        if (!lists_rows && pool.rows > kMostMembers) {
            refuse("a pool has " + std::to_string(pool.rows) + " rows; at most " +
                   std::to_string(kMostMembers) + " are possible");
        }
        if (pool.cols != request.queries.cols) {
            refuse("queries have " + std::to_string(request.queries.cols) +
                   " columns, a pool has " + std::to_string(pool.cols));
        }
    }
    if (lists_rows) {
        check_rows(request);
    }
}

}  // namespace gnomon::detail
