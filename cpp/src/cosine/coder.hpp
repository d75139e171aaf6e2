// Codes rows and tiles of any matrix, with the per-row values that make the screen's bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cosine/coding.hpp"
#include "cosine/rotation.hpp"
#include "cosine/row_source.hpp"
#include "cosine/tiles.hpp"
#include "gnomon/isa.hpp"

namespace gnomon::detail {

enum class RowKind : std::uint8_t { ordinary, zero, not_finite };

// x ~ step * code: scale = step / |x|; slack bounds |x - step * code| / |x| together with all
// rounding that bound.hpp adds up.
struct RowCode {
    float scale = 0.0F;
    float slack = 0.0F;
    RowKind kind = RowKind::ordinary;
};

class RowCoder {
  public:
    // Rows are looked through so far ahead of their coding, whose step is then known in time.
    static constexpr std::size_t kRowsAhead = 2;

    // Scratch memory of one thread, for the 16 rows of a tile.
    struct Scratch {
        explicit Scratch(const RowCoder& coder)
            : converted(kTileRows * coder.dims_), prepared(kTileRows * coder.dims_),
              codes(coder.groups_ * kTileGroupBytes) {}
        std::vector<float> converted;
        std::vector<float> prepared;
        std::vector<std::uint8_t> codes;
        // What was seen of the rows behind the last tile, which mostly begin the next one.
        struct {
            const float* row = nullptr;
            std::uint32_t largest_bits = 0;
        } ahead[kRowsAhead];
    };

    RowCoder(Isa isa, std::size_t dims, bool rotate);

    std::size_t groups() const noexcept { return groups_; }

    // Writes 4 * groups() codes with bias; dimensions beyond the row's have code 0. A zero row has
    // code 0 everywhere, scale 0 and slack 0.
    RowCode code_row(const float* x, Scratch& scratch, std::uint8_t* codes) const noexcept;

    // Codes up to 16 rows of `source`, from position `first`, as one tile; fills the tile's scale
    // and slack. Returns the worst kind among them: not_finite, when there is one.
    RowKind code_tile(const RowSource& source, std::size_t first, std::size_t rows,
                      Scratch& scratch, std::uint8_t* tile, float* scale, float* slack) const;

  private:
    // A row between the steps of its coding.
    struct Draft {
        const float* values = nullptr;  // rotated and scaled as needed
        float step = 0.0F;
        RowKind kind = RowKind::ordinary;
        CodingSums sums;
    };

    Draft draft_of(const float* x, std::uint32_t largest_bits, std::size_t slot,
                   Scratch& scratch) const noexcept;
    void write_codes(Draft& draft, const RowsAhead& ahead, std::uint8_t* codes) const noexcept;
    void code_rows(const RowSource& source, std::size_t first, std::span<Draft> drafts,
                   Scratch& scratch) const;
    void code_rows_in_place(const RowSource& source, std::size_t first, std::span<Draft> drafts,
                            Scratch& scratch) const;
    RowCode finished(const Draft& draft) const noexcept;

    Isa isa_;
    const CodingKernel& kernel_;
    std::size_t dims_;
    std::size_t groups_;
    std::unique_ptr<Rotation> rotation_;
    float pad_;
};

// Whether a rotation tightens the codes of these rows enough to pay, judged from a fixed sample.
bool rotation_pays(Isa isa, const RowSource& source);

}  // namespace gnomon::detail
