// screen.hpp on AVX2: pmaddwd, after the codes of a group have been widened to 16 bits.
//
// pmaddubsw would take bytes, but it saturates at 16 bits and the dots would no longer be exact.
// A register of 8 rows x 4 codes gives two of 16-bit values by masking and shifting: dimensions 0
// and 2, and dimensions 1 and 3; the query's codes are split the same way.
#include "cosine/screen.hpp"

#if GNOMON_X86
#include <immintrin.h>

#include <cstring>

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN
namespace {

using i32x8 = int __attribute__((vector_size(32)));

struct WidePair {
    __m256i even;  // dimensions 0 and 2 of each row, 16 bits each
    __m256i odd;   // dimensions 1 and 3
};

inline WidePair widen_docs(const std::uint8_t* codes) noexcept {
    const __m256i bytes_u8 = _mm256_load_si256(reinterpret_cast<const __m256i*>(codes));
    return {_mm256_and_si256(bytes_u8, _mm256_set1_epi32(0x00FF00FF)),
            _mm256_srli_epi16(bytes_u8, 8)};
}

inline WidePair widen_query(const std::int8_t* codes) noexcept {
    std::int32_t bits;
    std::memcpy(&bits, codes, sizeof(bits));
    const __m256i bytes_i8 = _mm256_set1_epi32(bits);
    return {_mm256_srai_epi16(_mm256_slli_epi16(bytes_i8, 8), 8), _mm256_srai_epi16(bytes_i8, 8)};
}

inline i32x8 add_dots(i32x8 sum, const WidePair& doc, const WidePair& query) noexcept {
    return sum + (i32x8)_mm256_madd_epi16(doc.even, query.even) +
           (i32x8)_mm256_madd_epi16(doc.odd, query.odd);
}

// sums[2 q] are rows 0 to 7 of the tile, sums[2 q + 1] rows 8 to 15.
template <int Queries>
__attribute__((always_inline)) inline void
add_tile(const std::uint8_t* codes, std::size_t groups, const std::int8_t* query_codes,
         std::size_t query_stride, i32x8 (&sums)[2 * Queries]) noexcept {
    for (std::size_t g = 0; g < groups; ++g) {
        const WidePair low = widen_docs(codes);
        const WidePair high = widen_docs(codes + 32);
#pragma GCC unroll 4
        for (int q = 0; q < Queries; ++q) {
            const WidePair query = widen_query(query_codes + 4 * q);
            sums[2 * q] = add_dots(sums[2 * q], low, query);
            sums[2 * q + 1] = add_dots(sums[2 * q + 1], high, query);
        }
        codes += kTileGroupBytes;
        query_codes += query_stride;
    }
}

inline __m256 bound_of(i32x8 dots, const float* scale, const float* slack, float gain) noexcept {
    return _mm256_fmadd_ps(_mm256_cvtepi32_ps((__m256i)dots), _mm256_loadu_ps(scale),
                           _mm256_mul_ps(_mm256_loadu_ps(slack), _mm256_set1_ps(gain)));
}

template <int Queries>
__attribute__((always_inline)) inline std::size_t
screen_tile(const CodeTiles& tiles, std::size_t t, const QueryBlock& block, std::size_t first_query,
            Survivors* out) noexcept {
    i32x8 sums[2 * Queries];
#pragma GCC unroll 4
    for (int q = 0; q < Queries; ++q) {
        sums[2 * q] = sums[2 * q + 1] =
            (i32x8)_mm256_set1_epi32(block.start[first_query + static_cast<std::size_t>(q)]);
    }
    add_tile<Queries>(tiles.codes + t * tiles.groups * kTileGroupBytes, tiles.groups,
                      block.codes + kGroupDims * first_query, kGroupDims * block.queries, sums);
    const float* scale = tiles.scale + t * kTileRows;
    const float* slack = tiles.slack + t * kTileRows;
    std::size_t written = 0;
#pragma GCC unroll 4
    for (int i = 0; i < Queries; ++i) {
        const std::size_t q = first_query + static_cast<std::size_t>(i);
        const __m256 low_f32x8 = bound_of(sums[2 * i], scale, slack, block.gain[q]);
        const __m256 high_f32x8 = bound_of(sums[2 * i + 1], scale + 8, slack + 8, block.gain[q]);
        const __m256 floor_f32x8 = _mm256_set1_ps(block.floor[q]);
        const int low = _mm256_movemask_ps(_mm256_cmp_ps(low_f32x8, floor_f32x8, _CMP_NLT_UQ));
        const int high = _mm256_movemask_ps(_mm256_cmp_ps(high_f32x8, floor_f32x8, _CMP_NLT_UQ));
        if (__builtin_expect((low | high) != 0, 0)) {
            Survivors& found = out[written++];
            found.tile = static_cast<std::uint32_t>(t);
            found.query = static_cast<std::uint16_t>(q);
            found.rows = static_cast<std::uint16_t>(low | (high << 8));
            _mm256_storeu_ps(found.bound, low_f32x8);
            _mm256_storeu_ps(found.bound + 8, high_f32x8);
        }
    }
    return written;
}

std::size_t screen_avx2(const CodeTiles& tiles, std::size_t first, std::size_t end,
                        const QueryBlock& block, Survivors* out) noexcept {
    std::size_t written = 0;
    for (std::size_t t = first; t < end; ++t) {
        std::size_t q = 0;
        for (; q + 4 <= block.queries; q += 4) {
            written += screen_tile<4>(tiles, t, block, q, out + written);
        }
        switch (block.queries - q) {
        case 1: written += screen_tile<1>(tiles, t, block, q, out + written); break;
        case 2: written += screen_tile<2>(tiles, t, block, q, out + written); break;
        case 3: written += screen_tile<3>(tiles, t, block, q, out + written); break;
        default: break;
        }
    }
    return written;
}

// Only rows of more than 65,536 dimensions come here: one query at a time is good enough.
void tile_dots_avx2(const std::uint8_t* codes, std::size_t groups, const std::int8_t* query_codes,
                    std::size_t queries, std::int32_t* dots) noexcept {
    for (std::size_t q = 0; q < queries; ++q) {
        i32x8 sums[2] = {(i32x8)_mm256_setzero_si256(), (i32x8)_mm256_setzero_si256()};
        add_tile<1>(codes, groups, query_codes + kGroupDims * q, kGroupDims * queries, sums);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(dots + q * kTileRows), (__m256i)sums[0]);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(dots + q * kTileRows + 8), (__m256i)sums[1]);
    }
}

}  // namespace
GNOMON_TARGET_END

constinit const ScreenKernel kScreenAvx2{screen_avx2, tile_dots_avx2};

}  // namespace gnomon::detail
#endif
