// UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gnomon::detail {

struct Decoded {
    char32_t cp;
    std::size_t length;  // in bytes; 0 where the bytes are no UTF-8
};

inline bool continues(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

inline char32_t low_six(char byte) noexcept { return static_cast<unsigned char>(byte) & 0x3FU; }

// The code point at the beginning of `n` > 0 bytes.
inline Decoded decode(const char* text, std::size_t n) noexcept {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80U) {
        return {lead, 1};
    }
    if (lead < 0xE0U) {
        if (lead >= 0xC2U && n >= 2 && continues(text[1])) {
            return {(lead & 0x1FU) << 6U | low_six(text[1]), 2};
        }
        return {0, 0};
    }
    if (lead < 0xF0U) {
        if (n >= 3 && continues(text[1]) && continues(text[2])) {
            const char32_t cp = (lead & 0x0FU) << 12U | low_six(text[1]) << 6U | low_six(text[2]);
            if (cp >= 0x800U && (cp < 0xD800U || cp > 0xDFFFU)) {
                return {cp, 3};
            }
        }
        return {0, 0};
    }
    if (lead < 0xF5U && n >= 4 && continues(text[1]) && continues(text[2]) && continues(text[3])) {
        const char32_t cp = (lead & 0x07U) << 18U | low_six(text[1]) << 12U |
                            low_six(text[2]) << 6U | low_six(text[3]);
        if (cp >= 0x10000U && cp <= 0x10FFFFU) {
            return {cp, 4};
        }
    }
    return {0, 0};
}

// The same within a text; throws std::invalid_argument that names the byte.
inline Decoded decode_at(std::string_view text, std::size_t at) {
    const Decoded decoded = decode(text.data() + at, text.size() - at);
    if (decoded.length == 0) {
        throw std::invalid_argument("the text is not UTF-8 at byte " + std::to_string(at));
    }
    return decoded;
}

// Writes a code point to `out`, which has room for 4 bytes, and returns how many it takes.
inline std::size_t encode(char32_t cp, char* out) noexcept {
    const auto byte = [](char32_t value) { return static_cast<char>(value); };
    if (cp < 0x80U) {
        out[0] = byte(cp);
        return 1;
    }
    if (cp < 0x800U) {
        out[0] = byte(0xC0U | cp >> 6U);
        out[1] = byte(0x80U | (cp & 0x3FU));
        return 2;
    }
    if (cp < 0x10000U) {
        out[0] = byte(0xE0U | cp >> 12U);
        out[1] = byte(0x80U | (cp >> 6U & 0x3FU));
        out[2] = byte(0x80U | (cp & 0x3FU));
        return 3;
    }
    out[0] = byte(0xF0U | cp >> 18U);
    out[1] = byte(0x80U | (cp >> 12U & 0x3FU));
    out[2] = byte(0x80U | (cp >> 6U & 0x3FU));
    out[3] = byte(0x80U | (cp & 0x3FU));
    return 4;
}

}  // namespace gnomon::detail
