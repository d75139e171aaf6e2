// screen.hpp on AVX-512 with VNNI: one vpdpbusd multiplies 4 dimensions of 16 rows with one query.
//
// Accumulators are local variables of one function, of the type that the instruction has (16 x
// int32): GCC 12 keeps __m512i ones (8 x int64) twice and spills, which halves the speed. Blocks
// with few queries split the dimensions over several accumulators, so that enough are in flight.
#include "cosine/screen.hpp"

#if GNOMON_X86
#include <immintrin.h>

#include <cstring>

namespace gnomon::detail {

GNOMON_TARGET_AVX512_BEGIN
namespace {

using i32x16 = int __attribute__((vector_size(64)));

inline __m512i broadcast_4_codes(const std::int8_t* codes) noexcept {
    std::int32_t bits;
    std::memcpy(&bits, codes, sizeof(bits));
    return _mm512_set1_epi32(bits);
}

inline i32x16 add_dots(i32x16 sum, __m512i doc_u8, __m512i query_i8) noexcept {
    return (i32x16)_mm512_dpbusd_epi32((__m512i)sum, doc_u8, query_i8);
}

// With many queries to a load, the hardware sees the stream too late to fetch it ahead; with few it
// does better alone.
template <int Queries>
constexpr std::size_t kPrefetchBytes = Queries >= 12 ? 4096 : 0;

// sums[q] += the dots of one tile; `Chains` partial sums a query.
template <int Queries, int Chains>
__attribute__((always_inline)) inline void add_tile(const std::uint8_t* codes, std::size_t groups,
                                                    const std::int8_t* query_codes,
                                                    i32x16 (&sums)[Queries]) noexcept {
    i32x16 parts[Queries * Chains];
#pragma GCC unroll 24
    for (int i = 0; i < Queries * Chains; ++i) {
        parts[i] = i < Queries ? sums[i] : (i32x16)_mm512_setzero_si512();
    }
    std::size_t g = 0;
    for (; g + Chains <= groups; g += Chains) {
#pragma GCC unroll 8
        for (int c = 0; c < Chains; ++c) {
            const __m512i doc_u8 = _mm512_load_si512(codes + c * 64);
            if (kPrefetchBytes<Queries> > 0) {
                __builtin_prefetch(codes + c * 64 + kPrefetchBytes<Queries>);
            }
#pragma GCC unroll 24
            for (int q = 0; q < Queries; ++q) {
                parts[c * Queries + q] =
                    add_dots(parts[c * Queries + q], doc_u8,
                             broadcast_4_codes(query_codes + 4 * (c * Queries + q)));
            }
        }
        codes += Chains * kTileGroupBytes;
        query_codes += Chains * kGroupDims * Queries;
    }
    for (; Chains > 1 && g < groups; ++g) {
        const __m512i doc_u8 = _mm512_load_si512(codes);
#pragma GCC unroll 24
        for (int q = 0; q < Queries; ++q) {
            parts[q] = add_dots(parts[q], doc_u8, broadcast_4_codes(query_codes + 4 * q));
        }
        codes += kTileGroupBytes;
        query_codes += kGroupDims * Queries;
    }
#pragma GCC unroll 24
    for (int q = 0; q < Queries; ++q) {
        sums[q] = parts[q];
#pragma GCC unroll 8
        for (int c = 1; c < Chains; ++c) {
            sums[q] += parts[c * Queries + q];
        }
    }
}

template <int Queries, int Chains>
std::size_t screen_block(const CodeTiles& tiles, std::size_t first, std::size_t end,
                         const QueryBlock& block, Survivors* out) noexcept {
    const std::size_t tile_bytes = tiles.groups * kTileGroupBytes;
    const Survivors* const begin = out;
    for (std::size_t t = first; t < end; ++t) {
        i32x16 sums[Queries];
#pragma GCC unroll 24
        for (int q = 0; q < Queries; ++q) {
            sums[q] = (i32x16)_mm512_set1_epi32(block.start[q]);
        }
        add_tile<Queries, Chains>(tiles.codes + t * tile_bytes, tiles.groups, block.codes, sums);
        const __m512 scale_f32x16 = _mm512_loadu_ps(tiles.scale + t * kTileRows);
        const __m512 slack_f32x16 = _mm512_loadu_ps(tiles.slack + t * kTileRows);
#pragma GCC unroll 24
        for (int q = 0; q < Queries; ++q) {
            const __m512 bound_f32x16 =
                _mm512_fmadd_ps(_mm512_cvtepi32_ps((__m512i)sums[q]), scale_f32x16,
                                _mm512_mul_ps(slack_f32x16, _mm512_set1_ps(block.gain[q])));
            const unsigned rows =
                _mm512_cmp_ps_mask(bound_f32x16, _mm512_set1_ps(block.floor[q]), _CMP_NLT_UQ);
            if (__builtin_expect(rows != 0, 0)) {
                out->tile = static_cast<std::uint32_t>(t);
                out->query = static_cast<std::uint16_t>(q);
                out->rows = static_cast<std::uint16_t>(rows);
                _mm512_storeu_ps(out->bound, bound_f32x16);
                ++out;
            }
        }
    }
    return static_cast<std::size_t>(out - begin);
}

std::size_t screen_avx512(const CodeTiles& tiles, std::size_t first, std::size_t end,
                          const QueryBlock& block, Survivors* out) noexcept {
    switch (block.queries) {
    case 1: return screen_block<1, 4>(tiles, first, end, block, out);
    case 2: return screen_block<2, 4>(tiles, first, end, block, out);
    case 3: return screen_block<3, 2>(tiles, first, end, block, out);
    case 4: return screen_block<4, 2>(tiles, first, end, block, out);
    case 6: return screen_block<6, 1>(tiles, first, end, block, out);
    case 8: return screen_block<8, 1>(tiles, first, end, block, out);
    case 12: return screen_block<12, 1>(tiles, first, end, block, out);
    case 16: return screen_block<16, 1>(tiles, first, end, block, out);
    case 20: return screen_block<20, 1>(tiles, first, end, block, out);
    default: return screen_block<24, 1>(tiles, first, end, block, out);
    }
}

// Only rows of more than 65,536 dimensions come here: one query at a time is good enough.
void tile_dots_avx512(const std::uint8_t* codes, std::size_t groups, const std::int8_t* query_codes,
                      std::size_t queries, std::int32_t* dots) noexcept {
    for (std::size_t q = 0; q < queries; ++q) {
        auto sum = (i32x16)_mm512_setzero_si512();
        for (std::size_t g = 0; g < groups; ++g) {
            sum = add_dots(sum, _mm512_load_si512(codes + g * kTileGroupBytes),
                           broadcast_4_codes(query_codes + (g * queries + q) * kGroupDims));
        }
        _mm512_storeu_si512(dots + q * kTileRows, (__m512i)sum);
    }
}

}  // namespace
GNOMON_TARGET_END

constinit const ScreenKernel kScreenAvx512{screen_avx512, tile_dots_avx512};

}  // namespace gnomon::detail
#endif
