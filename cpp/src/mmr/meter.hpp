// Ctrl-C inside one long piece of work, such as a pool of millions of rows.
#pragma once

#include <cstddef>

#include "gnomon/threads.hpp"

namespace gnomon::detail {

class Meter {
  public:
    // Only the calling thread may ask; the meters of others ask nobody.
    Meter(const Interrupted& interrupted, int worker) noexcept
        : interrupted_(interrupted), asks_(worker == 0) {}

    // Throws Interruption.
    void add(std::size_t elements) {
        done_ += elements;
        if (done_ >= kElementsBetweenLooks) {
            done_ = 0;
            if (asks_ && interrupted_ && interrupted_()) {
                throw Interruption();
            }
        }
    }

  private:
    static constexpr std::size_t kElementsBetweenLooks = std::size_t{1} << 24U;

    const Interrupted& interrupted_;
    bool asks_;
    std::size_t done_ = 0;
};

}  // namespace gnomon::detail
