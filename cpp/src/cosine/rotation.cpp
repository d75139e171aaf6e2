#include "cosine/rotation.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace gnomon::detail {

namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every output bit depends on all of i.
std::uint64_t scramble(std::uint64_t i) noexcept {
    i += 0x9E3779B97F4A7C15U;
    i = (i ^ (i >> 30U)) * 0xBF58476D1CE4E5B9U;
    i = (i ^ (i >> 27U)) * 0x94D049BB133111EBU;
    return i ^ (i >> 31U);
}

void hadamard(float* x, std::size_t size) noexcept {
    for (std::size_t half = 1; half < size; half *= 2) {
        for (std::size_t begin = 0; begin < size; begin += 2 * half) {
            float* low = x + begin;
            float* high = low + half;
            for (std::size_t i = 0; i < half; ++i) {
                const float sum = low[i] + high[i];
                high[i] = low[i] - high[i];
                low[i] = sum;
            }
        }
    }
}

}  // namespace

Rotation::Rotation(std::size_t dims) : signed_scale_(dims) {
    for (std::size_t begin = 0; begin < dims;) {
        const std::size_t block = std::bit_floor(dims - begin);
        const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(block)));
        for (std::size_t i = begin; i < begin + block; ++i) {
            signed_scale_[i] = (scramble(i) & 1U) == 0 ? scale : -scale;
        }
        begin += block;
    }
    error_ = (static_cast<double>(std::bit_width(dims)) + 3.0) * 0x1p-24;
}

void Rotation::apply(const float* x, float* out) const noexcept {
    const std::size_t dims = signed_scale_.size();
    for (std::size_t i = 0; i < dims; ++i) {
        out[i] = x[i] * signed_scale_[i];
    }
    for (std::size_t begin = 0; begin < dims;) {
        const std::size_t block = std::bit_floor(dims - begin);
        hadamard(out + begin, block);
        begin += block;
    }
}

}  // namespace gnomon::detail
