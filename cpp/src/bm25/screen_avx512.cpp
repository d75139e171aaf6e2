#include "isa/target_region.hpp"

#if GNOMON_X86

#include <immintrin.h>

#include "bm25/bound.hpp"
#include "bm25/screen_kernels.hpp"

GNOMON_TARGET_AVX512_BEGIN

namespace gnomon::detail::bm25 {

namespace {

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
        for (std::size_t j = 0; j < kStep; ++j) {
            sums[at[j]] = static_cast<std::uint16_t>(sums[at[j]] + units[j]);
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

}  // namespace

const ScreenKernels kAvx512Screen{add, sweep};

}  // namespace gnomon::detail::bm25

GNOMON_TARGET_END

#endif
