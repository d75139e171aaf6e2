#include "isa/target_region.hpp"

#if GNOMON_X86

#include <immintrin.h>

#include <cstring>

#include "bm25/bound.hpp"
#include "bm25/screen_kernels.hpp"

GNOMON_TARGET_AVX2_BEGIN

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

void add(const std::uint16_t* places, const std::uint16_t* parts, std::size_t n,
         std::uint32_t multiplier, std::uint16_t* sums) noexcept {
    constexpr std::size_t kStep = 16;
    const __m256i factor = _mm256_set1_epi16(static_cast<short>(multiplier));
    const __m256i one = _mm256_set1_epi16(1);
    alignas(32) std::uint16_t at[kStep];
    alignas(32) std::uint16_t units[kStep];
    std::size_t i = 0;
    for (; i + kStep <= n; i += kStep) {
        const __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(parts + i));
        const __m256i place = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(places + i));
        _mm256_store_si256(reinterpret_cast<__m256i*>(units),
                           _mm256_add_epi16(_mm256_mulhi_epu16(part, factor), one));
        _mm256_store_si256(reinterpret_cast<__m256i*>(at), _mm256_srli_epi16(place, kCountBits));
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
    const __m256i bar = _mm256_set1_epi16(static_cast<short>(least));
    const __m256i zero = _mm256_setzero_si256();
    std::size_t n = 0;
    for (std::size_t i = 0; i < kWindowRows; i += 32) {
        auto* low_at = reinterpret_cast<__m256i*>(sums + i);
        auto* high_at = reinterpret_cast<__m256i*>(sums + i + 16);
        const __m256i low = _mm256_load_si256(low_at);
        const __m256i high = _mm256_load_si256(high_at);
        // a >= b is max(a, b) == a; packing puts the halves of the two in turn.
        const __m256i low_hits = _mm256_cmpeq_epi16(_mm256_max_epu16(low, bar), low);
        const __m256i high_hits = _mm256_cmpeq_epi16(_mm256_max_epu16(high, bar), high);
        const __m256i packed =
            _mm256_permute4x64_epi64(_mm256_packs_epi16(low_hits, high_hits), 0xD8);
        auto hits = static_cast<std::uint32_t>(_mm256_movemask_epi8(packed));
        for (; hits != 0; hits &= hits - 1) {
            const std::size_t place = i + static_cast<std::size_t>(__builtin_ctz(hits));
            places[n] = static_cast<std::uint16_t>(place);
            found[n++] = sums[place];
        }
        _mm256_store_si256(low_at, zero);
        _mm256_store_si256(high_at, zero);
    }
    return n;
}

void rank(const std::uint64_t* keys, std::size_t n, std::uint32_t* ranks) noexcept {
    constexpr std::size_t kStep = 4;
    const std::size_t whole = n - n % kStep;
    for (std::size_t i = 0; i < n; ++i) {
        const __m256i key = _mm256_set1_epi64x(static_cast<long long>(keys[i]));
        __m256i counts = _mm256_setzero_si256();
        for (std::size_t j = 0; j < whole; j += kStep) {
            const __m256i others = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + j));
            counts = _mm256_sub_epi64(counts, _mm256_cmpgt_epi64(key, others));
        }
        alignas(32) std::uint64_t lanes[kStep];
        _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), counts);
        std::uint64_t below = lanes[0] + lanes[1] + lanes[2] + lanes[3];
        for (std::size_t j = whole; j < n; ++j) {
            below += keys[j] < keys[i] ? 1U : 0U;
        }
        ranks[i] = static_cast<std::uint32_t>(below);
    }
}

}  // namespace

const ScreenKernels kAvx2Screen{add, sweep, rank};

}  // namespace gnomon::detail::bm25

GNOMON_TARGET_END

#endif
