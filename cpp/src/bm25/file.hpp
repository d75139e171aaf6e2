// The front of an index file: header and checksums. layout.hpp describes the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bm25/layout.hpp"
#include "cosine/header_page.hpp"

namespace gnomon::detail::bm25 {

inline constexpr std::size_t kHeaderBytes = kHeaderPage;
inline constexpr std::size_t kChecksumBlock = 65536;

inline std::uint64_t checksum_blocks(std::uint64_t data_bytes) noexcept {
    return (data_bytes + kChecksumBlock - 1) / kChecksumBlock;
}

// All that stands before the data.
std::vector<unsigned char> front_of(const IndexView& view);

// The view of a file that lies in memory. Throws IndexFileError, without the file's name, unless
// the header is one of this version, its checksum and that of the checksums fit, and every size is
// the one that follows from the others.
IndexView view_of_file(const unsigned char* file, std::uint64_t file_size);

// The checksum of each block of the data, in the file.
const std::uint64_t* checksums_of(const unsigned char* file) noexcept;

}  // namespace gnomon::detail::bm25
