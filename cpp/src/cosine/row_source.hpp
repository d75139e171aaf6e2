// Rows of a matrix, all of them or those that a subset names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gnomon/matrix.hpp"

namespace gnomon::detail {

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
};

}  // namespace gnomon::detail
