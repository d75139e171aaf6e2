// The first page of every index file: kind, version and byte order, then fields of the kind's own,
// and at its end a checksum of the page. What is read is verified before a field is believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gnomon/index_file.hpp"

namespace gnomon::detail {

inline constexpr std::size_t kHeaderPage = 4096;
inline constexpr std::size_t kHeaderFieldsAt = 16;

struct FileKind {
    std::string_view magic;  // eight characters that the file begins with
    std::string_view name;   // as in "is no ...", for messages
    std::uint32_t version;
};

// Completes a page whose fields stand in place: what goes before them, and the checksum.
void seal_header(const FileKind& kind, unsigned char* page) noexcept;

// Throws IndexFileError unless the page is whole and of this kind, version and byte order.
void check_header(const FileKind& kind, const unsigned char* page);

// What `make` returns; the reason of a file that it refuses comes after the file's name.
template <typename Make>
auto named(const std::string& name, Make make) {
    try {
        return make();
    } catch (const IndexFileError& error) {
        throw IndexFileError(name + " " + error.what());
    }
}

}  // namespace gnomon::detail
