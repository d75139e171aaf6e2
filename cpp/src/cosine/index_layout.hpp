// Where the parts of an index file lie; include/gnomon/index_file.hpp describes the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cosine/header_page.hpp"
#include "gnomon/matrix.hpp"

namespace gnomon::detail {

inline constexpr std::size_t kPage = kHeaderPage;
inline constexpr std::size_t kChecksumBlock = 65536;

struct FilePart {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// What the header says of the documents; everything else follows from it.
struct IndexShape {
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    Dtype dtype = Dtype::f32;
    bool rotated = false;
    std::uint64_t zero_rows = 0;
};

struct IndexLayout {
    FilePart checksums;
    FilePart scale;
    FilePart slack;
    FilePart norms;
    FilePart codes;
    FilePart rows;
    std::uint64_t data_offset = 0;
    std::uint64_t file_size = 0;
};

// Nothing when a size doesn't fit in 63 bits.
std::optional<IndexLayout> layout_of(const IndexShape& shape) noexcept;

// The first page of a file. checksums_checksum is that of the part that holds the blocks'
// checksums.
void write_header(const IndexShape& shape, const IndexLayout& layout,
                  std::uint64_t checksums_checksum, unsigned char* page) noexcept;

struct IndexHeader {
    IndexShape shape;
    IndexLayout layout;
    std::uint64_t checksums_checksum = 0;
};

// Throws IndexFileError, without the file's name, unless the page is a header of this version that
// fits a file of `file_size` bytes.
IndexHeader read_header(const unsigned char* page, std::uint64_t file_size);

}  // namespace gnomon::detail
