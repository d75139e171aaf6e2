// Rows that are copies of one another: texts that occur often, empty ones, test data.
//
// Every copy of a row near a query passes the screen, and scoring each would cost more than the
// screen itself. Copies are found by their bytes and share the score of the first.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cosine/prepared.hpp"
#include "cosine/row_scorer.hpp"
#include "cosine/tiles.hpp"
#include "gnomon/matrix.hpp"

namespace gnomon::detail {

// No score is NaN. (An optional<float> in a register costs more than all else about a twin.)
inline constexpr float kUnknownScore = std::numeric_limits<float>::quiet_NaN();

// The rows that one worker has met lately, by a key.
class Twins {
  public:
    // At most `group_rows` rows are looked at together, by many queries.
    Twins(const MatrixView& docs, TouchGuard* guard, std::size_t group_rows)
        : docs_(docs), guard_(guard), group_rows_(group_rows),
          comparable_(docs.cols <= 1 ||
                      docs.col_stride == static_cast<std::ptrdiff_t>(item_size(docs.dtype))) {}

    // Rows of a tile that are copies of the same row.
    struct Copies {
        std::size_t original = 0;
        unsigned rows = 0;  // one bit a row of the tile
    };

    void begin_group() noexcept {
        originals_.clear();
        tiles_.clear();
    }

    // Row `at` of the group is `row`: returns a row met before that has the same bytes, or the row
    // itself. Copies must have the same key; that other rows seldom have it makes this fast.
    std::size_t original_of(std::size_t at, std::size_t row, std::uint64_t key);

    // The copies among the rows of tile `tile` of the group, those asked for before included. Of
    // more than a few different originals only the first are told. `look` returns original_of for
    // a row of the tile, or kNone when it is none.
    template <class Look>
    std::span<const Copies> copies_in(std::size_t tile, unsigned rows, Look look) {
        tiles_.resize(group_rows_ / kTileRows);
        TileCopies& known = tiles_[tile];
        for (unsigned left = rows & ~known.seen; left != 0; left &= left - 1) {
            const auto j = static_cast<std::size_t>(std::countr_zero(left));
            known.add(look(j), 1U << j);
        }
        known.seen |= rows;
        return std::span(known.copies).first(known.count);
    }

    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  private:
    struct Met {
        std::uint64_t key = 0;
        std::size_t row = kNone;
        std::uint32_t copies = 0;
    };
    struct TileCopies {
        unsigned seen = 0;
        std::size_t count = 0;
        std::array<Copies, 4> copies;

        void add(std::size_t original, unsigned row) noexcept;
    };
    static constexpr unsigned kTableBits = 9;

    std::size_t find(std::size_t row, std::uint64_t key);
    bool are_copies(std::size_t a, std::size_t b);

    MatrixView docs_;
    TouchGuard* guard_;
    std::size_t group_rows_;
    bool comparable_;
    std::vector<std::size_t> originals_;  // of the group's rows, as far as they are known
    std::vector<TileCopies> tiles_;
    std::vector<Met> table_;
};

// What one query scores against the rows whose copies it meets most.
class TwinScores {
  public:
    // Unknown until `row` has been asked for some times; `scorer` belongs to this query.
    float score_of(std::size_t row, RowScorer& scorer);

  private:
    struct Known {
        std::size_t row = 0;
        std::uint32_t asked = 0;
        float score = 0.0F;
    };
    static constexpr std::size_t kKept = 4;
    static constexpr std::uint32_t kAskedOften = 4;

    Known known_[kKept];
};

}  // namespace gnomon::detail
