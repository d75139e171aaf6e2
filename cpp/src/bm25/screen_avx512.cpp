#include "isa/target_region.hpp"

#if GNOMON_X86

#include <immintrin.h>

#include <cstring>

#include "bm25/bound.hpp"
#include "bm25/screen_kernels.hpp"

GNOMON_TARGET_AVX512_BEGIN

namespace gnomon::detail::bm25 {

namespace {

// The places of a list differ, so that the four don't wait for each other.
inline void add_four(const std::uint16_t* at, const std::uint16_t* units,
                     std::uint16_t* sums) noexcept {
    std::uint64_t a;
    std::uint64_t u;
    std::memcpy(&a, at, sizeof(a));
    std::memcpy(&u, units, sizeof(u));
    for (int j = 0; j < 4; ++j) {
        std::uint16_t& sum = sums[(a >> 16 * j) & 0xFFFFU];
        sum = static_cast<std::uint16_t>(sum + (u >> 16 * j));
    }
}

// Contributions and places are made 32 at a time; only adding them goes one by one.
void add(const std::uint16_t* places, const std::uint16_t* parts, std::size_t n,
         std::uint32_t multiplier, std::uint16_t* sums) noexcept {
    constexpr std::size_t kStep = 32;
    const __m512i factor = _mm512_set1_epi16(static_cast<short>(multiplier));
    const __m512i one = _mm512_set1_epi16(1);
    alignas(64) std::uint16_t at[kStep];
    alignas(64) std::uint16_t units[kStep];
    std::size_t i = 0;
    for (; i + kStep <= n; i += kStep) {
        const __m512i part = _mm512_loadu_si512(parts + i);
        const __m512i place = _mm512_loadu_si512(places + i);
        _mm512_store_si512(units, _mm512_add_epi16(_mm512_mulhi_epu16(part, factor), one));
        _mm512_store_si512(at, _mm512_srli_epi16(place, kCountBits));
        for (std::size_t j = 0; j < kStep; j += 4) {
            add_four(at + j, units + j, sums);
        }
    }
    for (; i < n; ++i) {
        sums[places[i] >> kCountBits] = static_cast<std::uint16_t>(
            sums[places[i] >> kCountBits] + contribution(parts[i], multiplier));
    }
}

std::size_t sweep(std::uint16_t* sums, std::uint16_t least, std::uint16_t* places,
                  std::uint16_t* found) noexcept {
    const __m512i bar = _mm512_set1_epi16(static_cast<short>(least));
    const __m512i zero = _mm512_setzero_si512();
    std::size_t n = 0;
    for (std::size_t i = 0; i < kWindowRows; i += 64) {
        const __m512i low = _mm512_load_si512(sums + i);
        const __m512i high = _mm512_load_si512(sums + i + 32);
        auto hits = static_cast<std::uint64_t>(_mm512_cmpge_epu16_mask(low, bar)) |
                    static_cast<std::uint64_t>(_mm512_cmpge_epu16_mask(high, bar)) << 32U;
        for (; hits != 0; hits &= hits - 1) {
            const std::size_t place = i + static_cast<std::size_t>(__builtin_ctzll(hits));
            places[n] = static_cast<std::uint16_t>(place);
            found[n++] = sums[place];
        }
        _mm512_store_si512(sums + i, zero);
        _mm512_store_si512(sums + i + 32, zero);
    }
    return n;
}

void rank(const std::uint64_t* keys, std::size_t n, std::uint32_t* ranks) noexcept {
    constexpr std::size_t kStep = 8;
    const std::size_t whole = n - n % kStep;
    const auto rest = static_cast<__mmask8>((1U << (n % kStep)) - 1);
    const __m512i last = _mm512_maskz_loadu_epi64(rest, keys + whole);
    for (std::size_t i = 0; i < n; ++i) {
        const __m512i key = _mm512_set1_epi64(static_cast<long long>(keys[i]));
        auto below = static_cast<std::uint32_t>(
            __builtin_popcount(_mm512_mask_cmplt_epu64_mask(rest, last, key)));
        __m512i counts = _mm512_setzero_si512();
        for (std::size_t j = 0; j < whole; j += kStep) {
            const __mmask8 less = _mm512_cmplt_epu64_mask(_mm512_loadu_si512(keys + j), key);
            counts = _mm512_mask_add_epi64(counts, less, counts, _mm512_set1_epi64(1));
        }
        below += static_cast<std::uint32_t>(_mm512_reduce_add_epi64(counts));
        ranks[i] = below;
    }
}

}  // namespace

const ScreenKernels kAvx512Screen{add, sweep, rank};

}  // namespace gnomon::detail::bm25

GNOMON_TARGET_END

#endif
