// The dots of every row of a matrix with the same few vectors, in register tiles where the CPU has
// them, else one row after the other. Whoever asks says what becomes of each dot.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "gnomon/matrix.hpp"
#include "gnomon/steps.hpp"
#include "gnomon/threads.hpp"
#include "linear/affine_tile.hpp"
#include "linear/aligned_buffer.hpp"
#include "linear/row_blocks.hpp"
#include "score/rows.hpp"
#include "score/score.hpp"

namespace gnomon::detail {

// Fewer rows than this don't pay for packing the vectors.
inline constexpr std::size_t kFewRows = 8;

// Fewer products than this, some 50 microseconds of work, don't pay for starting threads.
inline constexpr std::size_t kFewProducts = std::size_t{1} << 20U;

// `vectors` holds `count` rows of x.cols values.
struct DotCall {
    const MatrixView& x;
    std::span<const float> vectors;
    std::size_t count;
    Isa isa;

    std::size_t steps() const noexcept { return (x.cols + kLanes - 1) / kLanes; }
    const float* vector(std::size_t number) const noexcept {
        return vectors.data() + number * x.cols;
    }
};

// How many rows a block has: what stays in the second-level cache while all vectors pass by.
std::size_t rows_per_tile_block(const DotCall& call) noexcept;

// All vectors in the order of affine_tile.hpp.
AlignedBuffer packed_vectors(const DotCall& call, const AffineTile& tile);

// Rows [begin, end) in the same order. The rows of a last, incomplete tile keep what an earlier
// block left there: finite or not, it stays in sums that nobody reads.
void pack_rows(const DotCall& call, const AffineTile& tile, std::size_t begin, std::size_t end,
               float* scratch, AlignedBuffer& packed);

// sink(row, number, dot) for rows [begin, end) and all vectors; the numbers of a row rise.
template <typename Sink>
void sink_block(const DotCall& call, const AffineTile& tile, const AlignedBuffer& vectors,
                const AlignedBuffer& rows, std::size_t begin, std::size_t end, Sink& sink) {
    const std::size_t steps = call.steps();
    const std::size_t row_tile = steps * kLanes * kTileRows;
    const std::size_t vector_tile = steps * kLanes * tile.outputs;
    double dots[kTileRows * kMostTileOutputs];
    Meter meter;
    for (std::size_t first = 0; first < call.count; first += tile.outputs) {
        const double* tile_vectors = vectors.data() + first / tile.outputs * vector_tile;
        const std::size_t outputs = std::min(tile.outputs, call.count - first);
        for (std::size_t row = begin; row < end; row += kTileRows) {
            tile.dots(rows.data() + (row - begin) / kTileRows * row_tile, tile_vectors, steps,
                      dots);
            meter.add(steps * kLanes);
            for (std::size_t r = 0; r < std::min(kTileRows, end - row); ++r) {
                for (std::size_t o = 0; o < outputs; ++o) {
                    sink(row + r, first + o, dots[r * tile.outputs + o]);
                }
            }
        }
    }
}

// sink(row, number, dot) for all vectors and one row that is float32 already.
template <typename Sink>
void sink_row(const DotCall& call, const ScoreKernel& kernel, std::size_t row, const float* values,
              Sink& sink) {
    std::size_t number = 0;
    Meter meter;
    for (; number + 4 <= call.count; number += 4) {
        const float* const four[4] = {call.vector(number), call.vector(number + 1),
                                      call.vector(number + 2), call.vector(number + 3)};
        double dots[4];
        kernel.dot4(values, four, call.x.cols, dots);
        meter.add(4 + call.x.cols);
        for (std::size_t o = 0; o < 4; ++o) {
            sink(row, number + o, dots[o]);
        }
    }
    for (; number < call.count; ++number) {
        sink(row, number, kernel.dot(values, call.vector(number), call.x.cols));
    }
}

// sink(row, number, dot) for every row and vector. One worker sees all numbers of a row, rising.
template <typename Sink>
void for_each_dot(const DotCall& call, int threads, const Interrupted& interrupted, Sink sink) {
    RowScratch scratch(call.x, threads);
    const AffineTile* tile = affine_tile(call.isa);
    if (tile == nullptr || call.x.rows < kFewRows) {
        const ScoreKernel& kernel = score_kernel(call.isa);
        const bool few = call.x.rows * call.vectors.size() < kFewProducts;
        parallel_for(call.x.rows, few ? std::min(threads, 1) : threads, interrupted,
                     [&](std::size_t row, int worker) {
                         sink_row(call, kernel, row,
                                  row_f32(call.x, row, scratch.of(worker), call.isa), sink);
                     });
        return;
    }
    const AlignedBuffer vectors = packed_vectors(call, *tile);
    const std::size_t step = rows_per_tile_block(call);
    std::vector<AlignedBuffer> packed_rows(static_cast<std::size_t>(threads));
    parallel_for((call.x.rows + step - 1) / step, threads, interrupted,
                 [&](std::size_t block, int worker) {
                     AlignedBuffer& packed = packed_rows[static_cast<std::size_t>(worker)];
                     if (packed.size() == 0) {
                         packed = AlignedBuffer(step * call.steps() * kLanes);
                     }
                     const std::size_t begin = block * step;
                     const std::size_t end = std::min(call.x.rows, begin + step);
                     pack_rows(call, *tile, begin, end, scratch.of(worker), packed);
                     sink_block(call, *tile, vectors, packed, begin, end, sink);
                 });
}

}  // namespace gnomon::detail
