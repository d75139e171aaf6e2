// What a prepared index hands to a search.
#pragma once

#include <cstddef>

#include "cosine/tiles.hpp"
#include "gnomon/matrix.hpp"

namespace gnomon::detail {

// Told before parts of a memory-mapped index are read, so that it can verify them at first touch.
// Called from several threads at once; throws IndexFileError.
class TouchGuard {
  public:
    virtual ~TouchGuard() = default;
    virtual void touch_tiles(std::size_t first, std::size_t end) = 0;
    virtual void touch_row(std::size_t row) = 0;
    // Before every pass and every block of it: is the file still there as a whole?
    virtual void check_size() const = 0;
    // The rows and the bounds that were read contradict each other.
    [[noreturn]] virtual void refuse_bounds() const = 0;
};

struct PreparedRows {
    MatrixView docs;
    CodeTiles tiles;
    const double* norms = nullptr;
    bool rotated = false;
    TouchGuard* guard = nullptr;  // null: the rows are in memory
};

}  // namespace gnomon::detail
