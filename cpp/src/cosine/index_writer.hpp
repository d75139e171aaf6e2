// Writes an index file from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cosine/index_layout.hpp"
#include "cosine/prepared.hpp"
#include "gnomon/threads.hpp"

namespace gnomon::detail {

// Into the open file `descriptor`, which must be empty. Throws std::system_error and Interruption.
void write_index(int descriptor, const PreparedRows& prepared, std::size_t zero_rows,
                 const Interrupted& interrupted);

}  // namespace gnomon::detail
