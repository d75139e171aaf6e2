// Four registers of 16 bytes a block; pairwise additions of weighted bits make the masks.
#include "text/ascii.hpp"

#if GNOMON_ARM64
#include <arm_neon.h>

#include <cstring>

namespace gnomon::detail {

namespace {

inline uint8x16_t between(uint8x16_t bytes, unsigned char first, unsigned char last) noexcept {
    return vandq_u8(vcgeq_u8(bytes, vdupq_n_u8(first)), vcleq_u8(bytes, vdupq_n_u8(last)));
}

// The top bits of 64 bytes that are all ones or all zeros.
inline std::uint64_t mask_of(const uint8x16_t bytes[4]) noexcept {
    static const std::uint8_t kWeights[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                              1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t weights = vld1q_u8(kWeights);
    const uint8x16_t first = vpaddq_u8(vandq_u8(bytes[0], weights), vandq_u8(bytes[1], weights));
    const uint8x16_t second = vpaddq_u8(vandq_u8(bytes[2], weights), vandq_u8(bytes[3], weights));
    const uint8x16_t sums = vpaddq_u8(first, second);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

// One block; returns the bits of the bytes that aren't ASCII.
inline std::uint64_t fold_block(const char* text, char* out, std::uint64_t* words) noexcept {
    uint8x16_t word[4];
    uint8x16_t beyond[4];
    for (std::size_t i = 0; i < 4; ++i) {
        const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(text) + 16 * i);
        const uint8x16_t upper = between(bytes, 'A', 'Z');
        const uint8x16_t lower = vorrq_u8(bytes, vandq_u8(upper, vdupq_n_u8(0x20)));
        vst1q_u8(reinterpret_cast<std::uint8_t*>(out) + 16 * i, lower);
        word[i] = vorrq_u8(between(lower, 'a', 'z'), between(lower, '0', '9'));
        beyond[i] = vcgeq_u8(bytes, vdupq_n_u8(0x80));
    }
    *words = mask_of(word);
    return mask_of(beyond);
}

}  // namespace

std::size_t fold_ascii_neon(const char* text, std::size_t n, char* out,
                            std::uint64_t* words) noexcept {
    std::size_t at = 0;
    for (; at + kAsciiBlock <= n; at += kAsciiBlock) {
        const std::uint64_t beyond = fold_block(text + at, out + at, words++);
        if (beyond != 0) {
            return at + static_cast<std::size_t>(__builtin_ctzll(beyond));
        }
    }
    if (at < n) {
        char rest[kAsciiBlock] = {};
        std::memcpy(rest, text + at, n - at);
        const std::uint64_t beyond = fold_block(rest, out + at, words);
        return beyond != 0 ? at + static_cast<std::size_t>(__builtin_ctzll(beyond)) : n;
    }
    return n;
}

}  // namespace gnomon::detail
#endif
