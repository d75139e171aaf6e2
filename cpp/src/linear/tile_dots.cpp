#include "linear/tile_dots.hpp"

namespace gnomon::detail {

namespace {

constexpr std::size_t kPackedBytes = std::size_t{384} << 10U;

// Writes `values` as row or vector `member` of a tile of `members` (see affine_tile.hpp).
template <std::size_t Width>
void pack_member(const float* values, std::size_t d, std::size_t steps, std::size_t member,
                 std::size_t members, double* tile) noexcept {
    for (std::size_t group = 0; group < kLanes / Width; ++group) {
        double* target = tile + (group * steps * members + member) * Width;
        for (std::size_t step = 0; step < steps; ++step, target += members * Width) {
            const std::size_t first = step * kLanes + group * Width;
            if (first + Width <= d) {
                for (std::size_t lane = 0; lane < Width; ++lane) {
                    target[lane] = static_cast<double>(values[first + lane]);
                }
                continue;
            }
            for (std::size_t lane = 0; lane < Width; ++lane) {
                target[lane] = first + lane < d ? static_cast<double>(values[first + lane]) : 0.0;
            }
        }
    }
}

using PackMember = void (*)(const float*, std::size_t, std::size_t, std::size_t, std::size_t,
                            double*) noexcept;

PackMember pack_member_of(const AffineTile& tile) noexcept {
    switch (tile.lanes) {
    case 8: return pack_member<8>;
    case 4: return pack_member<4>;
    default: return pack_member<2>;
    }
}

}  // namespace

std::size_t rows_per_tile_block(const DotCall& call) noexcept {
    const std::size_t row_bytes = std::max<std::size_t>(1, call.steps() * kLanes * sizeof(double));
    const std::size_t fitting = std::clamp<std::size_t>(kPackedBytes / row_bytes, 16, 256);
    return fitting - fitting % kTileRows;
}

AlignedBuffer packed_vectors(const DotCall& call, const AffineTile& tile) {
    const std::size_t tiles = (call.count + tile.outputs - 1) / tile.outputs;
    const std::size_t tile_size = call.steps() * kLanes * tile.outputs;
    AlignedBuffer packed(tiles * tile_size);
    const PackMember pack = pack_member_of(tile);
    Meter meter;
    for (std::size_t number = 0; number < call.count; ++number) {
        meter.add(call.x.cols);
        pack(call.vector(number), call.x.cols, call.steps(), number % tile.outputs, tile.outputs,
             packed.data() + number / tile.outputs * tile_size);
    }
    return packed;
}

void pack_rows(const DotCall& call, const AffineTile& tile, std::size_t begin, std::size_t end,
               float* scratch, AlignedBuffer& packed) {
    const std::size_t row_tile = call.steps() * kLanes * kTileRows;
    const PackMember pack = pack_member_of(tile);
    Meter meter;
    for (std::size_t row = begin; row < end; ++row) {
        meter.add(call.x.cols);
        const std::size_t place = row - begin;
        pack(row_f32(call.x, row, scratch, call.isa), call.x.cols, call.steps(), place % kTileRows,
             kTileRows, packed.data() + place / kTileRows * row_tile);
    }
}

}  // namespace gnomon::detail
