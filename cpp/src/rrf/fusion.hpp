// The fusion of one query; a worker keeps its memory from query to query.
//
// Occurrences are visited from the greatest term to the smallest, by merging the lists, whose terms
// fall with the rank. So every id adds up its terms in that order, and ids that only one list holds
// come out in the order of their scores; only the others have to be sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rrf/id_table.hpp"

namespace gnomon::detail {

struct FusedHit {
    float score;
    std::uint32_t best_rank;
    std::int64_t id;
};

// Score descending, then best rank, then id ascending.
inline bool comes_before(const FusedHit& a, const FusedHit& b) noexcept {
    if (a.score != b.score) {
        return a.score > b.score;
    }
    return a.best_rank != b.best_rank ? a.best_rank < b.best_rank : a.id < b.id;
}

class Fusion {
  public:
    Fusion(std::span<const double> weights, double k) : weights_(weights), k_(k) {}

    // Writes the first `top` hits, or all, and returns how many. lists[l] holds the ids of list l.
    std::size_t run(std::span<const std::span<const std::int64_t>> lists, std::size_t top,
                    std::int64_t* ids, float* scores);

  private:
    // A list that is being merged: its distinct ids from `next` on are still to come.
    struct Head {
        const std::uint32_t* next;
        const std::uint32_t* end;
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
    void add_terms();
    void add_term(Head& head);
    void rank_hits();
    FusedHit hit(std::uint32_t number) const noexcept;

    std::span<const double> weights_;
    double k_;
    IdTable table_;
    std::vector<std::uint32_t> numbers_;    // of the distinct ids of each list, one after the other
    std::vector<std::uint32_t> last_list_;  // that held the id, 1 + its number
    std::vector<Head> heads_;
    std::vector<Total> totals_;
    std::vector<std::uint32_t> visited_;  // ids in the order of their greatest terms
    std::vector<FusedHit> single_;        // ids of one list
    std::vector<FusedHit> repeated_;      // ids of several
};

}  // namespace gnomon::detail
