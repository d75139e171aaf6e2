// How an index lies in memory and, byte for byte, in its file: format 1.
//
// Little-endian. The header is one page of 4,096 bytes: magic "gnomonBM", version (u32), byte-order
// mark 0x01020304 (u32), the u64 fields of IndexShape, zeros, and in the last 8 bytes the checksum
// of all before. Then come the checksums (u64 for each block of 65,536 bytes of the data, the last
// one may be shorter) and the data: the parts in the order of IndexParts, each on a multiple of 64
// bytes, the gaps zeros. The checksum is XXH64 with seed 0.
//
// Rows are cut into windows of 8,192. A list of postings is long when it holds at least
// max(128, number of windows) documents: then a posting is a u16, 8 x (row within its window) +
// count, and a directory says where each window ends and its largest part. A short list has its
// rows as u32 and a byte for the count. In both a count of 0 stands for one that doesn't fit, which
// is among the exceptions. Beside each posting stands its part, the bound that the screen adds up
// (bound.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gnomon/bm25.hpp"

namespace gnomon::detail::bm25 {

inline constexpr std::size_t kWindowBits = 13;
inline constexpr std::size_t kWindowRows = std::size_t{1} << kWindowBits;
inline constexpr std::size_t kCountBits = 3;
inline constexpr std::uint32_t kLongCounts = 1U << kCountBits;  // counts below fit a long posting
inline constexpr std::uint32_t kShortCounts = 256;              // and a short one
inline constexpr std::uint32_t kFreeSlot = UINT32_MAX;
inline constexpr std::array<std::size_t, 3> kBestRanks{10, 100, 1000};

// A term's list. Its postings are entries [start, start + frequency) of the long or short arrays.
struct TermEntry {
    std::uint64_t start;
    std::uint32_t frequency;
    std::uint32_t directory;                // which rows of the directory, for a long list
    std::uint16_t top;                      // its largest part
    std::uint16_t best[kBestRanks.size()];  // its 10th, 100th and 1000th largest part, or 0
};
static_assert(sizeof(TermEntry) == 24);

// What the header says; where everything lies follows from it.
struct IndexShape {
    std::uint64_t docs = 0;
    std::uint64_t tokens = 0;
    std::uint64_t terms = 0;
    std::uint64_t term_bytes = 0;
    std::uint64_t slots = 0;
    std::uint64_t short_postings = 0;
    std::uint64_t long_postings = 0;
    std::uint64_t long_terms = 0;
    std::uint64_t exceptions = 0;
    std::uint64_t note_bytes = 0;
    double top_part = 0.0;  // no posting's part is larger
    BM25Settings settings;

    std::uint64_t windows() const noexcept { return (docs + kWindowRows - 1) >> kWindowBits; }
    bool is_long(std::uint64_t frequency) const noexcept {
        return frequency >= 128 && frequency >= windows();
    }
};

struct FilePart {
    std::uint64_t offset = 0;  // from the start of the data
    std::uint64_t size = 0;
};

struct IndexParts {
    FilePart note;              // bytes
    FilePart lengths;           // u32 a document
    FilePart term_offsets;      // u64, terms + 1
    FilePart term_bytes;        // ascending
    FilePart slots;             // u32: term numbers by hash, open addressing
    FilePart terms;             // TermEntry
    FilePart short_rows;        // u32
    FilePart short_parts;       // u16
    FilePart short_counts;      // u8
    FilePart long_places;       // u16
    FilePart long_parts;        // u16
    FilePart window_ends;       // u32, long terms x windows
    FilePart window_tops;       // u16, likewise
    FilePart exception_places;  // u64: the short postings first, then the long ones
    FilePart exception_counts;  // u32
    std::uint64_t size = 0;
};

// Nothing when a size doesn't fit in 63 bits.
std::optional<IndexParts> parts_of(const IndexShape& shape) noexcept;

// Where to read everything.
struct IndexView {
    IndexShape shape;
    IndexParts parts;
    const unsigned char* data = nullptr;

    template <typename T>
    const T* at(const FilePart& part) const noexcept {
        return reinterpret_cast<const T*>(data + part.offset);
    }
    const char* note() const noexcept { return at<char>(parts.note); }
    const std::uint32_t* lengths() const noexcept { return at<std::uint32_t>(parts.lengths); }
    const std::uint64_t* term_offsets() const noexcept {
        return at<std::uint64_t>(parts.term_offsets);
    }
    const char* term_bytes() const noexcept { return at<char>(parts.term_bytes); }
    const std::uint32_t* slots() const noexcept { return at<std::uint32_t>(parts.slots); }
    const TermEntry* terms() const noexcept { return at<TermEntry>(parts.terms); }
    const std::uint32_t* short_rows() const noexcept { return at<std::uint32_t>(parts.short_rows); }
    const std::uint16_t* short_parts() const noexcept {
        return at<std::uint16_t>(parts.short_parts);
    }
    const std::uint8_t* short_counts() const noexcept {
        return at<std::uint8_t>(parts.short_counts);
    }
    const std::uint16_t* long_places() const noexcept {
        return at<std::uint16_t>(parts.long_places);
    }
    const std::uint16_t* long_parts() const noexcept { return at<std::uint16_t>(parts.long_parts); }
    const std::uint32_t* window_ends() const noexcept {
        return at<std::uint32_t>(parts.window_ends);
    }
    const std::uint16_t* window_tops() const noexcept {
        return at<std::uint16_t>(parts.window_tops);
    }
    const std::uint64_t* exception_places() const noexcept {
        return at<std::uint64_t>(parts.exception_places);
    }
    const std::uint32_t* exception_counts() const noexcept {
        return at<std::uint32_t>(parts.exception_counts);
    }

    std::string_view spelling(std::size_t term) const noexcept {
        const std::uint64_t begin = term_offsets()[term];
        return {term_bytes() + begin, static_cast<std::size_t>(term_offsets()[term + 1] - begin)};
    }

    // The count behind posting `place`, which is an exception; 0 when it isn't among them.
    std::uint32_t exception(std::uint64_t place) const noexcept;
};

}  // namespace gnomon::detail::bm25
