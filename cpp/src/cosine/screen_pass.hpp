// One pass of the int8 screen over all documents, for many queries.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "cosine/answers.hpp"
#include "cosine/coder.hpp"
#include "cosine/prepared.hpp"
#include "cosine/row_scorer.hpp"
#include "cosine/screen.hpp"

namespace gnomon::detail {

class ScreenPass {
  public:
    // Over the tiles of an index.
    ScreenPass(const PassContext& context, const PreparedRows& prepared);
    // Over rows that are coded on the way, each once for all queries. `norms` may be null.
    ScreenPass(const PassContext& context, const RowSource& source, const double* norms,
               bool rotate);

    // Throws NonFiniteRowMet.
    void run(int threads, Watch& watch, SearchCounters& counters);

  private:
    struct Worker;

    void plan(int threads);
    bool many_hits() const noexcept;
    void run_block(std::size_t block, Worker& worker, Watch& watch);
    CodeTiles stretch_of(std::size_t first_tile, std::size_t end_tile, Worker& worker) const;
    void screen_stretch(const CodeTiles& tiles, std::size_t first_row, Worker& worker);
    void set_floor(std::size_t entry) noexcept;
    bool load_floors(const CodedQueries::Block& block, float* floors) const noexcept;
    void take(std::span<const Survivors> found, const CodeTiles& tiles, std::size_t first_row,
              const CodedQueries::Block& block, Worker& worker);
    Candidate candidate_of(float bound, float slack, const BoundTerms& terms,
                           std::size_t row) const noexcept;
    static std::size_t original_of(const CodeTiles& tiles, std::size_t at, std::size_t row,
                                   Worker& worker);
    static float score_of_twin(const CodeTiles& tiles, std::size_t at, std::size_t row,
                               Answer& answer, Worker& worker);
    unsigned drop_copies(const Survivors& found, const CodeTiles& tiles, std::size_t first_row,
                         Answer& answer, std::size_t& useless, Worker& worker) const;
    void take_query(std::span<const Survivors* const> found, const CodeTiles& tiles,
                    std::size_t first_row, std::size_t entry, Worker& worker);

    PassContext context_;
    const ScreenKernel& kernel_;
    RowSource source_;
    const PreparedRows* prepared_ = nullptr;
    const double* norms_ = nullptr;
    RowCoder coder_;
    CodedQueries coded_;
    float spreads_below_;
    bool shared_ = false;  // more than one thread
    bool scatters_ = false;
    std::size_t stretches_ = 0;
    std::size_t stride_ = 1;  // from one stretch to the next to be passed over
    std::atomic<std::size_t> begun_{0};
    std::size_t stretch_tiles_ = 0;
    std::size_t block_stretches_ = 0;
};

}  // namespace gnomon::detail
