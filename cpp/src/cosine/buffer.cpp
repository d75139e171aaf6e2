#include "cosine/buffer.hpp"

#include <limits>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gnomon::detail {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;
constexpr std::align_val_t kCacheLine{64};

}  // namespace

Buffer::Buffer(std::size_t bytes) : size_(bytes) {
    if (bytes == 0) {
        return;
    }
    if (bytes > std::numeric_limits<std::size_t>::max() / 2) {
        throw std::bad_alloc();
    }
#if defined(__linux__)
    if (bytes >= 2 * kHugePage) {
        mapped_bytes_ = bytes + kHugePage;
        mapping_ = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                        -1, 0);
        if (mapping_ == MAP_FAILED) {
            mapping_ = nullptr;
            throw std::bad_alloc();
        }
        const std::size_t past_page = reinterpret_cast<std::uintptr_t>(mapping_) % kHugePage;
        data_ = static_cast<std::uint8_t*>(mapping_) + (kHugePage - past_page) % kHugePage;
        madvise(data_, bytes, MADV_HUGEPAGE);  // a wish: plain pages do as well
        return;
    }
#endif
    data_ = static_cast<std::uint8_t*>(::operator new(bytes, kCacheLine));
}

Buffer::~Buffer() {
#if defined(__linux__)
    if (mapping_ != nullptr) {
        munmap(mapping_, mapped_bytes_);
        return;
    }
#endif
    ::operator delete(data_, kCacheLine);
}

}  // namespace gnomon::detail
