// Greedy picks from one small pool for several lambdas: all similarities once, exactly, then one
// walk over floats for each lambda.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linear/aligned_buffer.hpp"
#include "mmr/cosine_row.hpp"
#include "mmr/gram_tile.hpp"
#include "mmr/greedy_step.hpp"
#include "mmr/picks.hpp"
#include "mmr/pool.hpp"

namespace gnomon::detail {

// Whether computing all similarities costs less than looking for those that matter.
bool pays_for_matrix(std::size_t pool_size, std::size_t lambdas, std::size_t picks) noexcept;

class MatrixWalk {
  public:
    MatrixWalk(Isa isa, std::size_t cols);

    // `pool` has its query and rows, and needn't be measured. Fills picks[l] for lambdas[l]; false
    // when a row isn't finite.
    bool run(const Pool& pool, std::span<const double> lambdas, std::span<const Picks> picks);

  private:
    void sort_members(const Pool& pool);
    void compute_dots(const Pool& pool);
    void compute_dots_in_tiles(const Pool& pool);
    bool compute_cosines();
    void walk(const Pool& pool, std::span<const double> lambdas, std::span<const Picks> picks);
    void begin_walks(std::span<const double> lambdas, std::size_t first);

    double& dot(std::size_t a, std::size_t b) noexcept { return dots_[a * stride_ + b]; }

    const ScoreKernel& exact_;
    const GramTile* tile_;
    GreedyStep step_;
    CosineRow cosines_of_;
    std::size_t cols_;
    std::size_t n_ = 0;                   // members of the pool
    std::size_t stride_ = 0;              // of dots_: the query and the members, whole tiles
    std::vector<std::uint32_t> members_;  // ascending by id: the first of equals is the lowest
    std::vector<float> scratch_;          // two rows
    AlignedBuffer packed_;
    std::vector<double> dots_;  // row 0 is the query; the upper triangle
    std::vector<double> norms_;
    std::size_t width_ = 0;          // of cosines_: the members, padded to whole steps
    std::vector<float> cosines_;     // of the query to the members, then of each member
    std::vector<std::size_t> last_;  // what each walk picked last
    std::vector<double> gains_;      // of each walk, width_ apart, likewise:
    std::vector<float> penalties_;
    std::vector<float> scores_;
};

}  // namespace gnomon::detail
