// screen.hpp in plain C++: the definition.
#include "cosine/screen.hpp"

namespace gnomon::detail {

namespace {

void tile_dots_scalar(const std::uint8_t* codes, std::size_t groups, const std::int8_t* query_codes,
                      std::size_t queries, std::int32_t* dots) noexcept {
    for (std::size_t q = 0; q < queries; ++q) {
        std::int32_t* row_dots = dots + q * kTileRows;
        for (std::size_t j = 0; j < kTileRows; ++j) {
            row_dots[j] = 0;
        }
        for (std::size_t g = 0; g < groups; ++g) {
            const std::uint8_t* group = codes + g * kTileGroupBytes;
            const std::int8_t* query = query_codes + (g * queries + q) * kGroupDims;
            for (std::size_t j = 0; j < kTileRows; ++j) {
                for (std::size_t c = 0; c < kGroupDims; ++c) {
                    row_dots[j] += std::int32_t{group[j * kGroupDims + c]} * query[c];
                }
            }
        }
    }
}

std::size_t screen_scalar(const CodeTiles& tiles, std::size_t first, std::size_t end,
                          const QueryBlock& block, Survivors* out) noexcept {
    std::int32_t dots[kBlockQueries * kTileRows];
    std::size_t written = 0;
    for (std::size_t t = first; t < end; ++t) {
        tile_dots_scalar(tiles.codes + t * tiles.groups * kTileGroupBytes, tiles.groups,
                         block.codes, block.queries, dots);
        for (std::size_t q = 0; q < block.queries; ++q) {
            Survivors& found = out[written];
            unsigned rows = 0;
            for (std::size_t j = 0; j < kTileRows; ++j) {
                const auto dot = static_cast<float>(dots[q * kTileRows + j] + block.start[q]);
                const std::size_t row = t * kTileRows + j;
                found.bound[j] = dot * tiles.scale[row] + tiles.slack[row] * block.gain[q];
                // Not "at least the floor": a bound that is NaN survives.
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

}  // namespace

constinit const ScreenKernel kScreenScalar{screen_scalar, tile_dots_scalar};

}  // namespace gnomon::detail
