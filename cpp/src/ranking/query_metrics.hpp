// The metrics of one query from the places of its relevant documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gnomon/ranking.hpp"

namespace gnomon::detail {

// A relevant document that was retrieved.
struct Placed {
    std::int64_t rank;
    double gain;
};

// The discounts, and their sums from the first on: the best DCG where every gain is 1.
class Discounts {
  public:
    explicit Discounts(std::span<const double> table);

    double at(std::int64_t rank) const noexcept {
        return table_[static_cast<std::size_t>(rank) - 1];
    }
    double sum_of_first(std::size_t n) const noexcept { return sums_[n]; }

  private:
    std::span<const double> table_;
    std::vector<double> sums_;
};

// Reused from query to query, so that its memory is taken once.
class QueryMetrics {
  public:
    explicit QueryMetrics(const Discounts& discounts) : discounts_(&discounts) {}

    // Takes the gains of the judged documents; those above 0 are relevant.
    void judge(std::span<const double> gains);

    // Takes the places of the relevant documents that were retrieved, in any order; of the judged
    // documents those with a rank and a gain.
    void place(std::span<const Placed> placed);
    void place(std::span<const std::int64_t> ranks, std::span<const double> gains);

    std::size_t relevant() const noexcept { return gains_.size(); }
    std::size_t retrieved() const noexcept { return placed_.size(); }

    // 0 where nothing is relevant.
    double value(const Measure& measure);

  private:
    void sort_places();
    std::size_t found_by(std::int64_t cutoff) const noexcept;
    double average_precision(std::size_t found) const;
    double ndcg(std::size_t found, std::int64_t cutoff);
    double ideal(std::int64_t cutoff);

    const Discounts* discounts_;
    std::vector<double> gains_;
    bool all_one_ = true;
    bool falling_ = false;
    std::vector<Placed> placed_;  // by rank
};

}  // namespace gnomon::detail
