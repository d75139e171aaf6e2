// Greedy picks from one pool, for any number of lambdas, computing few similarities.
//
// A candidate's score only falls as picks are added. So its score against the first picks alone is
// an upper bound, and only candidates whose bound reaches the best score so far are brought up to
// date. This happens on cheap cosines; whoever is then within the error of the best one, mostly
// one candidate, is scored exactly, and the exact scores decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mmr/picks.hpp"
#include "mmr/pool.hpp"

namespace gnomon::detail {

// Whether any similarity can matter.
bool wants_similarities(std::span<const double> lambdas, std::size_t picks) noexcept;

class LazyWalk {
  public:
    // `pool` has been measured. Fills picks[l] for lambdas[l].
    void run(Pool& pool, std::span<const double> lambdas, std::span<const Picks> picks,
             Meter& meter);

  private:
    struct Candidate {
        float penalty;          // cheap: the greatest similarity to the first `seen` picks
        float runner_up;        // cheap: the second greatest
        std::uint32_t nearest;  // the pick of the greatest
        std::uint32_t seen;
        float exact_penalty;  // to the first exact_seen picks
        std::uint32_t exact_seen;
    };

    std::size_t first_pick(Meter& meter);
    void measure_against_first(std::size_t first, bool wanted, Meter& meter);
    void walk(double lambda, std::size_t first, const Picks& picks, Meter& meter);
    std::size_t next_pick(Meter& meter);
    void refresh(std::size_t member, float least, Meter& meter);
    void find_contenders(Meter& meter);
    float exact_score(std::size_t member, Meter& meter);
    float exact_penalty(std::size_t member, Meter& meter);
    float exact_relevance(std::size_t member);
    void compare(std::size_t member, std::span<const std::uint32_t> picks);
    void compare_shared(std::size_t member, std::span<const std::uint32_t> picks);
    float* column_of(std::uint32_t pick);

    Pool* pool_ = nullptr;
    double lambda_ = 1.0;
    float margin_ = 0.0F;  // two cheap scores that differ by more are in the right order
    bool shares_columns_ = false;
    std::vector<float> exact_relevances_;  // NaN: not known yet
    std::vector<float> first_column_;      // cheap similarities to the first pick
    std::vector<float> scores_;            // cheap upper bounds; minus infinity once picked
    std::vector<Candidate> candidates_;
    std::vector<std::uint32_t> picked_;
    std::vector<float> similarities_;     // cheap, of one candidate to some picks
    std::vector<std::uint32_t> unknown_;  // picks whose similarity isn't shared yet
    std::vector<float> computed_;
    std::vector<std::uint32_t> contenders_;
    std::vector<std::uint32_t> column_of_;  // of a member that some walk has picked
    std::vector<float> columns_;            // cheap similarities to it; NaN: not known yet
};

}  // namespace gnomon::detail
