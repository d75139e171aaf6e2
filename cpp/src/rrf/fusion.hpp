// The fusion of one query; a worker keeps its memory from query to query.
//
// Occurrences are visited from the greatest term to the smallest, by merging the lists, whose terms
// fall with the rank. So every id adds up its terms in that order, and ids that only one list holds
// come out in the order of their scores; only the others have to be sorted.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rrf/id_table.hpp"

namespace gnomon::detail {

// Ordered by key, then id: score descending, best rank ascending, id ascending. Scores are not
// negative, so that their bits order as they do.
struct FusedHit {
    std::uint64_t key;  // the inverted bits of the score, and the best rank below them
    std::int64_t id;

    float score() const noexcept {
        return std::bit_cast<float>(~static_cast<std::uint32_t>(key >> 32U));
    }
};

inline bool comes_before(const FusedHit& a, const FusedHit& b) noexcept {
    return a.key < b.key || (a.key == b.key && a.id < b.id);
}

class Fusion {
  public:
    Fusion(std::span<const double> weights, double k) : weights_(weights), k_(k) {}

    // Writes the first `top` hits, or all, and returns how many. lists[l] holds the ids of list l.
    std::size_t run(std::span<const std::span<const std::int64_t>> lists, std::size_t top,
                    std::int64_t* ids, float* scores);

  private:
    // A list that is being merged: its distinct ids from `next` to `last` are still to come, and
    // those before `end` before anybody looks whether to stop.
    struct Head {
        const std::uint32_t* next;
        const std::uint32_t* end;
        const std::uint32_t* last;
        double weight;
        double term;
        std::uint32_t rank;
    };

    struct Total {
        double sum;
        std::uint32_t best_rank;
        std::uint32_t terms;
    };

    void number_ids(std::span<const std::span<const std::int64_t>> lists);
    // Ids of each list between two looks.
    std::ptrdiff_t ids_at_once() const noexcept;
    void add_terms();
    void add_rank_by_rank();
    void add_by_merging();
    std::size_t merge_until_an_end() noexcept;
    void add_term(std::uint32_t number, double term, std::uint32_t rank) noexcept;
    void rank_hits();

    std::span<const double> weights_;
    double k_;
    IdTable table_;
    std::vector<std::uint32_t> numbers_;    // of the distinct ids of each list, one after the other
    std::vector<std::uint32_t> last_list_;  // that held the id, 1 + its number
    std::vector<Head> heads_;
    std::vector<Total> totals_;
    std::vector<std::uint32_t> visited_;  // ids in the order of their greatest terms
    std::size_t n_visited_ = 0;
    std::vector<FusedHit> single_;    // ids of one list, then a hit that comes last
    std::vector<FusedHit> repeated_;  // ids of several, likewise
};

}  // namespace gnomon::detail
