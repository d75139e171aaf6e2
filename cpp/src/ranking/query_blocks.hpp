// Queries in blocks of about equal work, and the checks that every function here makes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gnomon/steps.hpp"
#include "gnomon/threads.hpp"

namespace gnomon::detail {

inline void check_offsets(const char* function, const char* argument,
                          std::span<const std::int64_t> offsets, std::size_t queries,
                          std::size_t entries) {
    expect_size(function, argument, offsets.size(), queries + 1);
    if (offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(entries) ||
        !std::is_sorted(offsets.begin(), offsets.end())) {
        throw std::invalid_argument(std::string(function) + ": " + argument +
                                    " must rise from 0 to the number of entries, " +
                                    std::to_string(entries));
    }
}

inline std::size_t most_entries(std::span<const std::int64_t> offsets) noexcept {
    std::int64_t most = 0;
    for (std::size_t q = 0; q + 1 < offsets.size(); ++q) {
        most = std::max(most, offsets[q + 1] - offsets[q]);
    }
    return static_cast<std::size_t>(most);
}

// A block has some 64,000 entries: about a tenth of a millisecond, so that small calls start no
// thread and Ctrl-C is heard.
class QueryBlocks {
  public:
    explicit QueryBlocks(std::span<const std::int64_t> offsets) {
        constexpr std::int64_t kEntriesPerBlock = std::int64_t{1} << 16U;
        constexpr std::size_t kMostQueries = 4096;  // empty lists are work as well
        const std::size_t queries = offsets.size() - 1;
        metered(queries, [&](auto meter) {
            for (std::size_t q = 1; q < queries; ++q) {
                meter.add(1);
                if (offsets[q] - offsets[starts_.back()] >= kEntriesPerBlock ||
                    q - starts_.back() >= kMostQueries) {
                    starts_.push_back(q);
                }
            }
        });
        starts_.push_back(queries);
    }

    // How many workers can meet: scratch for more, whatever was asked for, would never be used.
    std::size_t workers(int threads) const noexcept {
        return std::min(starts_.size() - 1, static_cast<std::size_t>(std::max(1, threads)));
    }

    // body(first query, past the last, worker).
    void run(int threads, const Interrupted& interrupted,
             const std::function<void(std::size_t, std::size_t, int)>& body) const {
        parallel_for(starts_.size() - 1, threads, interrupted, [&](std::size_t block, int worker) {
            body(starts_[block], starts_[block + 1], worker);
        });
    }

  private:
    std::vector<std::size_t> starts_ = {0};
};

}  // namespace gnomon::detail
