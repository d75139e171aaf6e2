// One register of 64 bytes a block; comparisons give the masks.
#include "text/ascii.hpp"

#if GNOMON_X86
#include <immintrin.h>

namespace gnomon::detail {

GNOMON_TARGET_AVX512_BEGIN
namespace {

// Bytes from `first` to `last`: one unsigned comparison of the distance from `first`.
inline __mmask64 between(__m512i bytes, char first, char last) noexcept {
    const __m512i distance = _mm512_sub_epi8(bytes, _mm512_set1_epi8(first));
    return _mm512_cmple_epu8_mask(distance, _mm512_set1_epi8(static_cast<char>(last - first)));
}

// One block; returns the bits of the bytes that aren't ASCII.
inline std::uint64_t fold_block(__m512i bytes, char* out, std::uint64_t* words) noexcept {
    const __mmask64 upper = between(bytes, 'A', 'Z');
    const __m512i lower = _mm512_mask_add_epi8(bytes, upper, bytes, _mm512_set1_epi8(0x20));
    _mm512_storeu_si512(out, lower);
    *words = between(lower, 'a', 'z') | between(lower, '0', '9');
    return _mm512_movepi8_mask(bytes);
}

std::size_t fold_ascii_in_blocks(const char* text, std::size_t n, char* out,
                                 std::uint64_t* words) noexcept {
    for (std::size_t at = 0; at < n; at += kAsciiBlock) {
        const std::size_t left = n - at;
        const __mmask64 valid = left < kAsciiBlock ? (__mmask64{1} << left) - 1U : ~__mmask64{0};
        const __m512i bytes = _mm512_maskz_loadu_epi8(valid, text + at);
        const std::uint64_t beyond = fold_block(bytes, out + at, words++);
        if (beyond != 0) {
            return at + static_cast<std::size_t>(__builtin_ctzll(beyond));
        }
    }
    return n;
}

}  // namespace
GNOMON_TARGET_END

std::size_t fold_ascii_avx512(const char* text, std::size_t n, char* out,
                              std::uint64_t* words) noexcept {
    return fold_ascii_in_blocks(text, n, out, words);
}

}  // namespace gnomon::detail
#endif
