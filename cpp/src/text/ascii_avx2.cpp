// Two registers of 32 bytes a block.
#include "text/ascii.hpp"

#if GNOMON_X86
#include <immintrin.h>

#include <cstring>

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN
namespace {

// Bytes from `first` to `last`, both ASCII; a byte that isn't ASCII is negative and never between.
inline __m256i between(__m256i bytes, char first, char last) noexcept {
    const __m256i below = _mm256_cmpgt_epi8(_mm256_set1_epi8(first), bytes);
    const __m256i above = _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(last));
    return _mm256_andnot_si256(_mm256_or_si256(below, above), _mm256_set1_epi8(-1));
}

// Lower-cases 32 bytes into `out`; returns their bits of a mask of words.
inline std::uint32_t fold_half(__m256i bytes, char* out) noexcept {
    const __m256i upper = between(bytes, 'A', 'Z');
    const __m256i lower = _mm256_or_si256(bytes, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), lower);
    const __m256i word = _mm256_or_si256(between(lower, 'a', 'z'), between(lower, '0', '9'));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(word));
}

// One block; returns the bits of the bytes that aren't ASCII.
inline std::uint64_t fold_block(const char* text, char* out, std::uint64_t* words) noexcept {
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
    const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32));
    const std::uint64_t low = fold_half(first, out);
    const std::uint64_t high = fold_half(second, out + 32);
    *words = low | high << 32U;
    const auto low_beyond = static_cast<std::uint32_t>(_mm256_movemask_epi8(first));
    const auto high_beyond = static_cast<std::uint32_t>(_mm256_movemask_epi8(second));
    return low_beyond | std::uint64_t{high_beyond} << 32U;
}

std::size_t fold_ascii_in_blocks(const char* text, std::size_t n, char* out,
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

}  // namespace
GNOMON_TARGET_END

std::size_t fold_ascii_avx2(const char* text, std::size_t n, char* out,
                            std::uint64_t* words) noexcept {
    return fold_ascii_in_blocks(text, n, out, words);
}

}  // namespace gnomon::detail
#endif
