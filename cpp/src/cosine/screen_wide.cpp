#include "cosine/screen_wide.hpp"

#include <algorithm>

#include "gnomon/steps.hpp"

namespace gnomon::detail {

namespace {

// sums[16 q + j] = the dot of row j and query q, both with their signs.
void tile_sums(const ScreenKernel& kernel, const std::uint8_t* codes, std::size_t groups,
               const QueryBlock& block, std::int64_t* sums) {
    std::int32_t dots[kBlockQueries * kTileRows];
    std::fill(sums, sums + block.queries * kTileRows, std::int64_t{0});
    Meter meter;
    for (std::size_t first = 0; first < groups; first += kGroupsInInt32) {
        const std::size_t part = std::min(kGroupsInInt32, groups - first);
        meter.add(part * kGroupDims * block.queries);
        const std::int8_t* query_codes = block.codes + first * block.queries * kGroupDims;
        kernel.tile_dots(codes + first * kTileGroupBytes, part, query_codes, block.queries, dots);
        for (std::size_t q = 0; q < block.queries; ++q) {
            std::int64_t bias = 0;
            for (std::size_t g = 0; g < part; ++g) {
                for (std::size_t c = 0; c < kGroupDims; ++c) {
                    bias += query_codes[(g * block.queries + q) * kGroupDims + c];
                }
            }
            for (std::size_t j = 0; j < kTileRows; ++j) {
                sums[q * kTileRows + j] += dots[q * kTileRows + j] - kCodeBias * bias;
            }
        }
    }
}

}  // namespace

std::size_t screen_wide(const ScreenKernel& kernel, const CodeTiles& tiles, std::size_t first,
                        std::size_t end, const QueryBlock& block, Survivors* out) {
    std::int64_t sums[kBlockQueries * kTileRows];
    std::size_t written = 0;
    for (std::size_t t = first; t < end; ++t) {
        tile_sums(kernel, tiles.codes + t * tiles.groups * kTileGroupBytes, tiles.groups, block,
                  sums);
        for (std::size_t q = 0; q < block.queries; ++q) {
            Survivors& found = out[written];
            unsigned rows = 0;
            for (std::size_t j = 0; j < kTileRows; ++j) {
                const std::size_t row = t * kTileRows + j;
                found.bound[j] = static_cast<float>(sums[q * kTileRows + j]) * tiles.scale[row] +
                                 tiles.slack[row] * block.gain[q];
                rows |= found.bound[j] < block.floor[q] ? 0U : 1U << j;
            }
            if (rows != 0) {
                found.tile = static_cast<std::uint32_t>(t);
                found.query = static_cast<std::uint16_t>(q);
                found.rows = static_cast<std::uint16_t>(rows);
                ++written;
            }
        }
    }
    return written;
}

}  // namespace gnomon::detail
