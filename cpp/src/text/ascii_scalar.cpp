#include <array>

#include "text/ascii.hpp"

namespace gnomon::detail {

namespace {

constexpr bool between(unsigned byte, char first, char last) noexcept {
    return byte >= static_cast<unsigned char>(first) && byte <= static_cast<unsigned char>(last);
}

// The lower case of letters and digits, 0 for any other ASCII byte.
constexpr auto kWordByte = [] {
    std::array<unsigned char, 128> table{};
    for (unsigned byte = 0; byte < table.size(); ++byte) {
        const bool upper = between(byte, 'A', 'Z');
        if (upper || between(byte, 'a', 'z') || between(byte, '0', '9')) {
            table[byte] = static_cast<unsigned char>(upper ? byte + ('a' - 'A') : byte);
        }
    }
    return table;
}();

}  // namespace

std::size_t fold_ascii_scalar(const char* text, std::size_t n, char* out,
                              std::uint64_t* words) noexcept {
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte >= 0x80U) {
            words[i / kAsciiBlock] = mask;
            return i;
        }
        const unsigned char folded = kWordByte[byte];
        mask |= std::uint64_t{folded != 0} << (i % kAsciiBlock);
        out[i] = static_cast<char>(folded);
        if (i % kAsciiBlock == kAsciiBlock - 1) {
            words[i / kAsciiBlock] = mask;
            mask = 0;
        }
    }
    if (n % kAsciiBlock != 0) {
        words[n / kAsciiBlock] = mask;
    }
    return n;
}

}  // namespace gnomon::detail
