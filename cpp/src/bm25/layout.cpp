#include "bm25/layout.hpp"

#include <algorithm>
#include <bit>

namespace gnomon::detail::bm25 {

static_assert(std::endian::native == std::endian::little,
              "the index file is little-endian and is used where it stands");

namespace {

constexpr std::uint64_t kAlignment = 64;

// Lays parts one after the other as long as nothing overflows 63 bits.
class Placement {
  public:
    FilePart place(std::uint64_t count, std::uint64_t item) noexcept {
        FilePart part{end_, 0};
        ok_ &= !__builtin_mul_overflow(count, item, &part.size);
        ok_ &= !__builtin_add_overflow(end_, part.size, &end_);
        ok_ &= !__builtin_add_overflow(end_, kAlignment - 1, &end_);
        end_ -= end_ % kAlignment;
        ok_ &= end_ <= INT64_MAX / 2;
        return part;
    }
    std::uint64_t end() const noexcept { return end_; }
    bool ok() const noexcept { return ok_; }

  private:
    std::uint64_t end_ = 0;
    bool ok_ = true;
};

}  // namespace

std::optional<IndexParts> parts_of(const IndexShape& shape) noexcept {
    // With these, no sum or product of two counts overflows.
    if (shape.docs > UINT32_MAX || shape.terms > UINT32_MAX - 1 || shape.long_terms > shape.terms) {
        return std::nullopt;
    }
    Placement placement;
    IndexParts parts;
    parts.note = placement.place(shape.note_bytes, 1);
    parts.lengths = placement.place(shape.docs, sizeof(std::uint32_t));
    parts.term_offsets = placement.place(shape.terms + 1, sizeof(std::uint64_t));
    parts.term_bytes = placement.place(shape.term_bytes, 1);
    parts.slots = placement.place(shape.slots, sizeof(std::uint32_t));
    parts.terms = placement.place(shape.terms, sizeof(TermEntry));
    parts.short_rows = placement.place(shape.short_postings, sizeof(std::uint32_t));
    parts.short_parts = placement.place(shape.short_postings, sizeof(std::uint16_t));
    parts.short_counts = placement.place(shape.short_postings, 1);
    parts.long_places = placement.place(shape.long_postings, sizeof(std::uint16_t));
    parts.long_parts = placement.place(shape.long_postings, sizeof(std::uint16_t));
    const std::uint64_t directory = shape.long_terms * shape.windows();
    parts.window_ends = placement.place(directory, sizeof(std::uint32_t));
    parts.window_tops = placement.place(directory, sizeof(std::uint16_t));
    parts.exception_places = placement.place(shape.exceptions, sizeof(std::uint64_t));
    parts.exception_counts = placement.place(shape.exceptions, sizeof(std::uint32_t));
    parts.size = placement.end();
    if (!placement.ok()) {
        return std::nullopt;
    }
    return parts;
}

std::uint32_t IndexView::exception(std::uint64_t place) const noexcept {
    const std::uint64_t* first = exception_places();
    const std::uint64_t* last = first + shape.exceptions;
    const std::uint64_t* found = std::lower_bound(first, last, place);
    return found == last || *found != place ? 0 : exception_counts()[found - first];
}

}  // namespace gnomon::detail::bm25
