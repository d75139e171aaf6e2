// Where the rows of a pool are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "gnomon/matrix.hpp"

namespace gnomon::detail {

// Which rows of a matrix a query may pick.
struct PoolSource {
    const MatrixView* matrix;
    std::span<const std::int64_t> rows;
    bool all_rows;

    std::size_t size() const noexcept { return all_rows ? matrix->rows : rows.size(); }
    std::int64_t id(std::size_t member) const noexcept {
        return all_rows ? static_cast<std::int64_t>(member) : rows[member];
    }
};

// The lowest row of the source that isn't finite.
std::optional<std::size_t> first_nonfinite_row(const PoolSource& source);

}  // namespace gnomon::detail
