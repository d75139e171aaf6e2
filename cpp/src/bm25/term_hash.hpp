// The hash of a term's bytes; part of the file format.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace gnomon::detail {

namespace hashing {

inline std::uint64_t load(const char* at, std::size_t bytes) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, bytes);
    return word;
}

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace hashing

// Words of 8 bytes, the last one overlapping the one before it, each folded by a 128-bit product.
inline std::uint64_t term_hash(std::string_view term) noexcept {
    constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15U;
    constexpr std::uint64_t kSecond = 0xD1B54A32D192ED03U;
    const char* at = term.data();
    const std::size_t size = term.size();
    std::uint64_t sum = kFirst ^ size;
    if (size >= 8) {
        std::size_t done = 0;
        for (; done + 8 <= size; done += 8) {
            sum = hashing::fold(sum ^ hashing::load(at + done, 8), kSecond);
        }
        sum = hashing::fold(sum ^ hashing::load(at + size - 8, 8), kFirst);
    } else if (size >= 4) {
        const std::uint64_t ends = hashing::load(at, 4) | hashing::load(at + size - 4, 4) << 32U;
        sum = hashing::fold(sum ^ ends, kSecond);
    } else if (size > 0) {
        const auto byte = [at](std::size_t i) {
            return static_cast<std::uint64_t>(static_cast<unsigned char>(at[i]));
        };
        sum =
            hashing::fold(sum ^ (byte(0) | byte(size / 2) << 8U | byte(size - 1) << 16U), kSecond);
    }
    return hashing::fold(sum, kFirst);
}

}  // namespace gnomon::detail
