#include "cosine/checksum.hpp"

#include <bit>
#include <cstring>

namespace gnomon::detail {

namespace {

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87U;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FU;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9U;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63U;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5U;
constexpr std::size_t kStripe = 32;

template <typename Word>
std::uint64_t read(const unsigned char* at) noexcept {
    Word word;
    std::memcpy(&word, at, sizeof(word));
    return word;
}

constexpr std::uint64_t mix(std::uint64_t lane, std::uint64_t input) noexcept {
    return std::rotl(lane + input * kPrime2, 31) * kPrime1;
}

constexpr std::uint64_t fold(std::uint64_t sum, std::uint64_t lane) noexcept {
    return (sum ^ mix(0, lane)) * kPrime1 + kPrime4;
}

constexpr std::uint64_t avalanche(std::uint64_t sum) noexcept {
    sum = (sum ^ (sum >> 33U)) * kPrime2;
    sum = (sum ^ (sum >> 29U)) * kPrime3;
    return sum ^ (sum >> 32U);
}

}  // namespace

std::uint64_t checksum(const void* data, std::size_t size) noexcept {
    const auto* at = static_cast<const unsigned char*>(data);
    const auto* const end = at + size;
    std::uint64_t sum = kPrime5;
    if (size >= kStripe) {
        std::uint64_t lanes[4] = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
        for (; end - at >= static_cast<std::ptrdiff_t>(kStripe); at += kStripe) {
            for (std::size_t lane = 0; lane < 4; ++lane) {
                lanes[lane] = mix(lanes[lane], read<std::uint64_t>(at + 8 * lane));
            }
        }
        sum = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
              std::rotl(lanes[3], 18);
        for (const std::uint64_t lane : lanes) {
            sum = fold(sum, lane);
        }
    }
    sum += size;
    for (; end - at >= 8; at += 8) {
        sum = std::rotl(sum ^ mix(0, read<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
    }
    if (end - at >= 4) {
        sum = std::rotl(sum ^ read<std::uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
        at += 4;
    }
    for (; at < end; ++at) {
        sum = std::rotl(sum ^ *at * kPrime5, 11) * kPrime1;
    }
    return avalanche(sum);
}

}  // namespace gnomon::detail
