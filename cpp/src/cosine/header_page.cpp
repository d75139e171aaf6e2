#include "cosine/header_page.hpp"

#include <bit>
#include <cstring>

#include "cosine/checksum.hpp"

namespace gnomon::detail {

namespace {

static_assert(std::endian::native == std::endian::little,
              "an index file is little-endian and is used where it stands");

constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::uint32_t kForeignByteOrder = 0x04030201;
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kByteOrderAt = 12;
constexpr std::size_t kChecksumAt = kHeaderPage - sizeof(std::uint64_t);

template <typename Word>
Word read(const unsigned char* at) noexcept {
    Word word;
    std::memcpy(&word, at, sizeof(word));
    return word;
}

template <typename Word>
void write(Word word, unsigned char* at) noexcept {
    std::memcpy(at, &word, sizeof(word));
}

}  // namespace

void seal_header(const FileKind& kind, unsigned char* page) noexcept {
    std::memcpy(page, kind.magic.data(), kind.magic.size());
    write(kind.version, page + kVersionAt);
    write(kByteOrder, page + kByteOrderAt);
    write(checksum(page, kChecksumAt), page + kChecksumAt);
}

void check_header(const FileKind& kind, const unsigned char* page) {
    if (std::memcmp(page, kind.magic.data(), kind.magic.size()) != 0) {
        throw IndexFileError("is no " + std::string(kind.name) + ": it doesn't begin with \"" +
                             std::string(kind.magic) + "\"");
    }
    const auto order = read<std::uint32_t>(page + kByteOrderAt);
    if (order == kForeignByteOrder) {
        throw IndexFileError(
            "was written with the other byte order; build the index again on this machine");
    }
    const auto version = read<std::uint32_t>(page + kVersionAt);
    if (version != kind.version) {
        throw IndexFileError("has format version " + std::to_string(version) + ", expected " +
                             std::to_string(kind.version) + "; build the index again");
    }
    if (order != kByteOrder ||
        read<std::uint64_t>(page + kChecksumAt) != checksum(page, kChecksumAt)) {
        throw IndexFileError("is damaged: its header's checksum doesn't fit");
    }
}

}  // namespace gnomon::detail
