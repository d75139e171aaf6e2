// Rows of a matrix, all of them or those that a subset names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gnomon/matrix.hpp"

namespace gnomon::detail {

// Rows that are contiguous, aligned float32 need no conversion.
inline bool stands_as_floats(const MatrixView& x) noexcept {
    constexpr auto kItem = static_cast<std::ptrdiff_t>(sizeof(float));
    return x.dtype == Dtype::f32 && (x.cols <= 1 || x.col_stride == kItem) &&
           x.row_stride % kItem == 0 &&
           reinterpret_cast<std::uintptr_t>(x.data) % sizeof(float) == 0;
}

struct RowSource {
    MatrixView matrix;
    const std::int64_t* rows = nullptr;  // positions to rows of the matrix; null: they are the same
    std::size_t size = 0;

    explicit RowSource(const MatrixView& view) noexcept : matrix(view), size(view.rows) {}
    RowSource(const MatrixView& view, std::span<const std::int64_t> subset) noexcept
        : matrix(view), rows(subset.data()), size(subset.size()) {}

    std::size_t row(std::size_t position) const noexcept {
        return rows == nullptr ? position : static_cast<std::size_t>(rows[position]);
    }

    const void* start_of(std::size_t position) const noexcept {
        return static_cast<const char*>(matrix.data) +
               static_cast<std::ptrdiff_t>(row(position)) * matrix.row_stride;
    }
};

}  // namespace gnomon::detail
