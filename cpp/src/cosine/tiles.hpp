// How int8 codes lie in memory.
//
// Documents come in tiles of 16 rows, interleaved by 4 dimensions: byte 64 g + 4 j + c of a tile
// holds dimension 4 g + c of its row j, as code + 128. One 64-byte load is then the unsigned
// operand of one vpdpbusd, whose 16 lanes are the 16 rows, and the tiles of a corpus are one linear
// stream. Queries come in blocks of up to kBlockQueries, interleaved likewise: byte 4 (g n + i) + c
// of a block of n queries holds dimension 4 g + c of query i, signed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gnomon::detail {

inline constexpr std::size_t kTileRows = 16;
inline constexpr std::size_t kGroupDims = 4;
inline constexpr std::size_t kTileGroupBytes = kTileRows * kGroupDims;
inline constexpr std::size_t kBlockQueries = 24;
// The sizes that a block may have; the kernels have code for exactly these.
inline constexpr std::size_t kBlockSizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 20, 24};
inline constexpr std::uint8_t kCodeBias = 128;

// 255 * 127 * 65,536 < 2^31: that many dimensions of unsigned codes times signed ones fit in int32.
inline constexpr std::size_t kGroupsInInt32 = 65536 / kGroupDims;

constexpr std::size_t groups_of(std::size_t dims) noexcept {
    return (dims + kGroupDims - 1) / kGroupDims;
}
constexpr std::size_t tiles_of(std::size_t rows) noexcept {
    return (rows + kTileRows - 1) / kTileRows;
}

// Consecutive tiles. Rows that only fill up the last tile have slack minus infinity.
struct CodeTiles {
    const std::uint8_t* codes = nullptr;  // 64-byte aligned
    const float* scale = nullptr;         // s / |x| of every row
    const float* slack = nullptr;         // r / |x| of every row, rounded up
    std::size_t tiles = 0;
    std::size_t groups = 0;
};

struct QueryBlock {
    const std::int8_t* codes = nullptr;
    std::size_t queries = 0;
    const std::int32_t* start =
        nullptr;                   // -128 * sum of codes: takes the documents' bias out again
    const float* gain = nullptr;   // (1 + r/|u|) / (s/|u|), rounded up
    const float* floor = nullptr;  // rows whose bound lies below it are skipped
};

// Rows of one tile that a query can't skip. bound = dot * scale + slack * gain, in units of s/|u|.
struct Survivors {
    std::uint32_t tile;
    std::uint16_t query;  // within its block
    std::uint16_t rows;   // one bit a row
    float bound[kTileRows];
};

}  // namespace gnomon::detail
