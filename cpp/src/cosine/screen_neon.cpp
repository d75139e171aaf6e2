// screen.hpp on arm64 with the dot-product extension: one sdot multiplies 4 dimensions of 4 rows.
//
// sdot takes signed bytes on both sides, so the documents' bias is flipped away (x ^ 0x80 = x -
// 128) and the block's start, which corrects for the bias, is not used.
#include "cosine/screen.hpp"

#if GNOMON_ARM64
#include <arm_neon.h>

#include <cstring>

namespace gnomon::detail {

namespace {

#define GNOMON_DOTPROD __attribute__((target("arch=armv8.2-a+dotprod")))

GNOMON_DOTPROD inline int8x16_t broadcast_4_codes(const std::int8_t* codes) noexcept {
    std::int32_t bits;
    std::memcpy(&bits, codes, sizeof(bits));
    return vreinterpretq_s8_s32(vdupq_n_s32(bits));
}

GNOMON_DOTPROD inline int8x16_t signed_docs(const std::uint8_t* codes) noexcept {
    return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(codes), vdupq_n_u8(0x80)));
}

// sums[4 q + part] are rows 4 part to 4 part + 3 of the tile.
template <int Queries>
GNOMON_DOTPROD inline void add_tile(const std::uint8_t* codes, std::size_t groups,
                                    const std::int8_t* query_codes, std::size_t query_stride,
                                    int32x4_t (&sums)[4 * Queries]) noexcept {
    for (std::size_t g = 0; g < groups; ++g) {
        const int8x16_t docs[4] = {signed_docs(codes), signed_docs(codes + 16),
                                   signed_docs(codes + 32), signed_docs(codes + 48)};
#pragma GCC unroll 4
        for (int q = 0; q < Queries; ++q) {
            const int8x16_t query = broadcast_4_codes(query_codes + 4 * q);
#pragma GCC unroll 4
            for (int part = 0; part < 4; ++part) {
                sums[4 * q + part] = vdotq_s32(sums[4 * q + part], docs[part], query);
            }
        }
        codes += kTileGroupBytes;
        query_codes += query_stride;
    }
}

template <int Queries>
GNOMON_DOTPROD std::size_t screen_tile(const CodeTiles& tiles, std::size_t t,
                                       const QueryBlock& block, std::size_t first_query,
                                       Survivors* out) noexcept {
    int32x4_t sums[4 * Queries];
    for (auto& sum : sums) {
        sum = vdupq_n_s32(0);
    }
    add_tile<Queries>(tiles.codes + t * tiles.groups * kTileGroupBytes, tiles.groups,
                      block.codes + kGroupDims * first_query, kGroupDims * block.queries, sums);
    std::size_t written = 0;
    for (int i = 0; i < Queries; ++i) {
        const std::size_t q = first_query + static_cast<std::size_t>(i);
        Survivors& found = out[written];
        unsigned rows = 0;
        for (unsigned part = 0; part < 4; ++part) {
            const std::size_t row = t * kTileRows + 4 * part;
            const float32x4_t spread =
                vmulq_f32(vld1q_f32(tiles.slack + row), vdupq_n_f32(block.gain[q]));
            const float32x4_t bound_f32x4 =
                vfmaq_f32(spread, vcvtq_f32_s32(sums[4 * static_cast<unsigned>(i) + part]),
                          vld1q_f32(tiles.scale + row));
            vst1q_f32(found.bound + 4 * part, bound_f32x4);
            for (unsigned j = 0; j < 4; ++j) {
                rows |= found.bound[4 * part + j] < block.floor[q] ? 0U : 1U << (4 * part + j);
            }
        }
        if (rows != 0) {
            found.tile = static_cast<std::uint32_t>(t);
            found.query = static_cast<std::uint16_t>(q);
            found.rows = static_cast<std::uint16_t>(rows);
            ++written;
        }
    }
    return written;
}

GNOMON_DOTPROD std::size_t screen_neon(const CodeTiles& tiles, std::size_t first, std::size_t end,
                                       const QueryBlock& block, Survivors* out) noexcept {
    std::size_t written = 0;
    for (std::size_t t = first; t < end; ++t) {
        std::size_t q = 0;
        for (; q + 4 <= block.queries; q += 4) {
            written += screen_tile<4>(tiles, t, block, q, out + written);
        }
        for (; q < block.queries; ++q) {
            written += screen_tile<1>(tiles, t, block, q, out + written);
        }
    }
    return written;
}

GNOMON_DOTPROD void tile_dots_neon(const std::uint8_t* codes, std::size_t groups,
                                   const std::int8_t* query_codes, std::size_t queries,
                                   std::int32_t* dots) noexcept {
    for (std::size_t q = 0; q < queries; ++q) {
        int32x4_t sums[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
        add_tile<1>(codes, groups, query_codes + kGroupDims * q, kGroupDims * queries, sums);
        std::int32_t bias = 0;  // tile_dots counts every document code as code + 128
        for (std::size_t g = 0; g < groups; ++g) {
            for (std::size_t c = 0; c < kGroupDims; ++c) {
                bias += std::int32_t{kCodeBias} * query_codes[(g * queries + q) * kGroupDims + c];
            }
        }
        for (std::size_t part = 0; part < 4; ++part) {
            vst1q_s32(dots + q * kTileRows + 4 * part, vaddq_s32(sums[part], vdupq_n_s32(bias)));
        }
    }
}

}  // namespace

constinit const ScreenKernel kScreenNeon{screen_neon, tile_dots_neon};

}  // namespace gnomon::detail
#endif
