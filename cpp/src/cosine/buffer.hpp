// Memory for codes: on cache lines, and on huge pages when it is large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace gnomon::detail {

// A linear scan of codes reads half again as fast from huge pages. Contents are undefined.
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::size_t bytes);
    ~Buffer();
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    std::uint8_t* data() noexcept { return data_; }
    const std::uint8_t* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }

  private:
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(mapping_, other.mapping_);
        std::swap(mapped_bytes_, other.mapped_bytes_);
    }

    std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
    void* mapping_ = nullptr;  // null when the memory came from operator new
    std::size_t mapped_bytes_ = 0;
};

}  // namespace gnomon::detail
