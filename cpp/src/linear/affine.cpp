#include <algorithm>
#include <vector>

#include "gnomon/linear.hpp"
#include "linear/affine_tile.hpp"
#include "linear/aligned_buffer.hpp"
#include "linear/row_blocks.hpp"
#include "score/rows.hpp"
#include "score/score.hpp"

namespace gnomon {

namespace {

using detail::AffineTile;
using detail::AlignedBuffer;
using detail::kLanes;
using detail::kTileRows;

// Packed rows that stay in the second-level cache while all weights pass by.
constexpr std::size_t kPackedBytes = std::size_t{384} << 10U;

// Fewer rows than this don't pay for packing the weights.
constexpr std::size_t kFewRows = 8;

// Fewer products than this, some 50 microseconds of work, don't pay for starting threads.
constexpr std::size_t kFewProducts = std::size_t{1} << 20U;

struct AffineCall {
    const MatrixView& x;
    std::span<const float> weights;
    std::span<const float> bias;
    std::size_t d_out;
    std::span<float> out;
    Isa isa;

    std::size_t steps() const noexcept { return (x.cols + kLanes - 1) / kLanes; }
    const float* weights_of(std::size_t output) const noexcept {
        return weights.data() + output * x.cols;
    }

    void store(std::size_t row, std::size_t output, double dot) const noexcept {
        const double shifted = bias.empty() ? dot : dot + static_cast<double>(bias[output]);
        out[row * d_out + output] = static_cast<float>(shifted);
    }
};

// Writes `values` as row or output `member` of a tile of `members` (see affine_tile.hpp).
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

AlignedBuffer packed_weights(const AffineCall& call, const AffineTile& tile) {
    const std::size_t tiles = (call.d_out + tile.outputs - 1) / tile.outputs;
    const std::size_t tile_size = call.steps() * kLanes * tile.outputs;
    AlignedBuffer packed(tiles * tile_size);
    const PackMember pack = pack_member_of(tile);
    for (std::size_t output = 0; output < call.d_out; ++output) {
        pack(call.weights_of(output), call.x.cols, call.steps(), output % tile.outputs,
             tile.outputs, packed.data() + output / tile.outputs * tile_size);
    }
    return packed;
}

// Rows [begin, end) against all weights. The rows of a last, incomplete tile keep what an earlier
// block left there: finite or not, it stays in sums that nobody reads.
void map_block(const AffineCall& call, const AffineTile& tile, const AlignedBuffer& weights,
               std::size_t begin, std::size_t end, float* scratch, AlignedBuffer& packed_rows) {
    const std::size_t steps = call.steps();
    const std::size_t row_tile = steps * kLanes * kTileRows;
    const std::size_t weight_tile = steps * kLanes * tile.outputs;
    const PackMember pack = pack_member_of(tile);
    for (std::size_t row = begin; row < end; ++row) {
        const std::size_t place = row - begin;
        pack(row_f32(call.x, row, scratch, call.isa), call.x.cols, steps, place % kTileRows,
             kTileRows, packed_rows.data() + place / kTileRows * row_tile);
    }
    double dots[kTileRows * detail::kMostTileOutputs];
    for (std::size_t output = 0; output < call.d_out; output += tile.outputs) {
        const double* tile_weights = weights.data() + output / tile.outputs * weight_tile;
        const std::size_t outputs = std::min(tile.outputs, call.d_out - output);
        for (std::size_t row = begin; row < end; row += kTileRows) {
            tile.dots(packed_rows.data() + (row - begin) / kTileRows * row_tile, tile_weights,
                      steps, dots);
            for (std::size_t r = 0; r < std::min(kTileRows, end - row); ++r) {
                for (std::size_t o = 0; o < outputs; ++o) {
                    call.store(row + r, output + o, dots[r * tile.outputs + o]);
                }
            }
        }
    }
}

void map_in_tiles(const AffineCall& call, const AffineTile& tile, int threads,
                  const Interrupted& interrupted) {
    const AlignedBuffer weights = packed_weights(call, tile);
    const std::size_t row_bytes = std::max<std::size_t>(1, call.steps() * kLanes * sizeof(double));
    const std::size_t fitting = std::clamp<std::size_t>(kPackedBytes / row_bytes, 16, 256);
    const std::size_t step = fitting - fitting % kTileRows;
    const std::size_t blocks = (call.x.rows + step - 1) / step;
    detail::RowScratch scratch(call.x, threads);
    std::vector<AlignedBuffer> packed_rows(static_cast<std::size_t>(threads));
    parallel_for(blocks, threads, interrupted, [&](std::size_t block, int worker) {
        AlignedBuffer& packed = packed_rows[static_cast<std::size_t>(worker)];
        if (packed.size() == 0) {
            packed = AlignedBuffer(step * call.steps() * kLanes);
        }
        const std::size_t begin = block * step;
        map_block(call, tile, weights, begin, std::min(call.x.rows, begin + step),
                  scratch.of(worker), packed);
    });
}

void map_row_by_row(const AffineCall& call, int threads, const Interrupted& interrupted) {
    const detail::ScoreKernel& kernel = detail::score_kernel(call.isa);
    detail::RowScratch scratch(call.x, threads);
    const bool few = call.x.rows * call.weights.size() < kFewProducts;
    const int workers = few ? std::min(threads, 1) : threads;
    parallel_for(call.x.rows, workers, interrupted, [&](std::size_t row, int worker) {
        const float* values = row_f32(call.x, row, scratch.of(worker), call.isa);
        std::size_t output = 0;
        for (; output + 4 <= call.d_out; output += 4) {
            const float* const four[4] = {call.weights_of(output), call.weights_of(output + 1),
                                          call.weights_of(output + 2), call.weights_of(output + 3)};
            double dots[4];
            kernel.dot4(values, four, call.x.cols, dots);
            for (std::size_t o = 0; o < 4; ++o) {
                call.store(row, output + o, dots[o]);
            }
        }
        for (; output < call.d_out; ++output) {
            call.store(row, output, kernel.dot(values, call.weights_of(output), call.x.cols));
        }
    });
}

}  // namespace

void affine_map(const MatrixView& x, std::span<const float> weights, std::span<const float> bias,
                std::size_t d_out, std::span<float> out, int threads,
                const Interrupted& interrupted) {
    detail::expect_size("affine_map", "weights", weights.size(), d_out * x.cols);
    detail::expect_size("affine_map", "out", out.size(), x.rows * d_out);
    if (!bias.empty()) {
        detail::expect_size("affine_map", "bias", bias.size(), d_out);
    }
    const AffineCall call{x, weights, bias, d_out, out, chosen_isa()};
    const AffineTile* tile = detail::affine_tile(call.isa);
    if (tile == nullptr || x.rows < kFewRows) {
        map_row_by_row(call, threads, interrupted);
    } else {
        map_in_tiles(call, *tile, threads, interrupted);
    }
}

}  // namespace gnomon
