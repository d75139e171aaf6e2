// coding.hpp in plain C++: the definition.
#include "cosine/coding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cosine/tiles.hpp"

namespace gnomon::detail {

namespace {

std::uint32_t largest_bits_scalar(const float* x, std::size_t d) noexcept {
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < d; ++i) {
        largest = std::max(largest, std::bit_cast<std::uint32_t>(x[i]) & 0x7FFFFFFFU);
    }
    return largest;
}

float fold(float (&lanes)[kCodingLanes]) noexcept {
    for (std::size_t half = kCodingLanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            lanes[lane] += lanes[lane + half];
        }
    }
    return lanes[0];
}

CodingSums code_row_scalar(const float* x, std::size_t d, float inverse, float step,
                           const RowsAhead& ahead, std::uint8_t* codes) noexcept {
    CodingSums sums;
    sums.next_largest = ahead.next != nullptr ? largest_bits_scalar(ahead.next, d) : 0;
    for (std::size_t begin = 0; begin < d; begin += kCodingRun) {
        float values[kCodingLanes] = {};
        float residuals[kCodingLanes] = {};
        const std::size_t end = std::min(d, begin + kCodingRun);
        for (std::size_t i = begin; i < end; ++i) {
            const float shifted = std::fma(x[i], inverse, kCodingShift);
            const float code = shifted - kCodingShift;
            const float residual = std::fma(-code, step, x[i]);
            const std::size_t lane = i % kCodingLanes;
            values[lane] = std::fma(x[i], x[i], values[lane]);
            residuals[lane] = std::fma(residual, residual, residuals[lane]);
            codes[i] = static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(shifted));
        }
        sums.values += static_cast<double>(fold(values));
        sums.residuals += static_cast<double>(fold(residuals));
    }
    return sums;
}

void interleave_scalar(const std::uint8_t* rows, std::size_t groups, std::uint8_t* tile) noexcept {
    const std::size_t row_bytes = groups * kGroupDims;
    for (std::size_t g = 0; g < groups; ++g) {
        for (std::size_t j = 0; j < kTileRows; ++j) {
            for (std::size_t c = 0; c < kGroupDims; ++c) {
                tile[g * kTileGroupBytes + j * kGroupDims + c] =
                    rows[j * row_bytes + g * kGroupDims + c];
            }
        }
    }
}

}  // namespace

constinit const CodingKernel kCodingScalar{largest_bits_scalar, code_row_scalar, interleave_scalar};

}  // namespace gnomon::detail
