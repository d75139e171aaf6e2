// A borrowed matrix of any element type and any strides.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gnomon {

enum class Dtype : std::uint8_t { f32, f16, f64, bf16, i8, u8 };

constexpr std::size_t item_size(Dtype dtype) noexcept {
    switch (dtype) {
    case Dtype::f64: return 8;
    case Dtype::f32: return 4;
    case Dtype::f16:
    case Dtype::bf16: return 2;
    default: return 1;
    }
}

// Strides are in bytes and may be negative or 0; the data may be unaligned. Never written to.
struct MatrixView {
    const void* data = nullptr;
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t col_stride = 0;
    Dtype dtype = Dtype::f32;
};

}  // namespace gnomon
