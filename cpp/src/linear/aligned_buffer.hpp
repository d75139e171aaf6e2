// Float64 storage that starts on a cache line, so that no vector load straddles two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace gnomon::detail {

class AlignedBuffer {
  public:
    AlignedBuffer() = default;
    explicit AlignedBuffer(std::size_t size)
        : values_(static_cast<double*>(::operator new(size * sizeof(double), kLine))), size_(size) {
        std::fill_n(values_.get(), size, 0.0);
    }

    double* data() noexcept { return values_.get(); }
    const double* data() const noexcept { return values_.get(); }
    std::size_t size() const noexcept { return size_; }

  private:
    static constexpr std::align_val_t kLine{64};

    struct Release {
        void operator()(double* values) const noexcept { ::operator delete(values, kLine); }
    };

    std::unique_ptr<double, Release> values_;
    std::size_t size_ = 0;
};

}  // namespace gnomon::detail
