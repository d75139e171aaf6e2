#include "cosine/index_reader.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "cosine/checksum.hpp"
#include "cosine/tiles.hpp"
#include "gnomon/index_file.hpp"

namespace gnomon::detail {

namespace {

struct stat status_of(int descriptor) {
    struct stat status{};
    if (fstat(descriptor, &status) != 0) {
        throw std::system_error(errno, std::generic_category(), "looking at the index");
    }
    return status;
}

}  // namespace

MappedFile::MappedFile(int descriptor) {
    const struct stat status = status_of(descriptor);
    if (!S_ISREG(status.st_mode)) {
        throw IndexFileError("is not a regular file");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
    if (size_ < kPage) {
        throw IndexFileError("is no gnomon index: it has only " + std::to_string(size_) + " bytes");
    }
    void* mapped = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(), "mapping the index");
    }
    descriptor_ = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) {
        const int error = errno;
        munmap(mapped, size_);
        throw std::system_error(error, std::generic_category(), "keeping the index open");
    }
    data_ = static_cast<const unsigned char*>(mapped);
}

MappedFile::~MappedFile() {
    munmap(const_cast<unsigned char*>(data_), size_);
    close(descriptor_);
}

std::uint64_t MappedFile::size_now() const {
    return static_cast<std::uint64_t>(status_of(descriptor_).st_size);
}

IndexReader::IndexReader(int descriptor, std::string name)
    : name_(std::move(name)), file_(named(name_, [&] { return MappedFile(descriptor); })),
      header_(named(name_, [&] { return read_header(file_.data(), file_.size()); })) {
    const IndexLayout& layout = header_.layout;
    const unsigned char* base = file_.data();
    if (checksum(base + kPage, layout.data_offset - kPage) != header_.checksums_checksum) {
        throw IndexFileError(name_ + " is damaged: its list of checksums doesn't fit its own");
    }
    const IndexShape& shape = header_.shape;
    const auto row_bytes = static_cast<std::ptrdiff_t>(shape.cols * item_size(shape.dtype));
    prepared_.docs = {base + layout.rows.offset,
                      shape.rows,
                      shape.cols,
                      row_bytes,
                      static_cast<std::ptrdiff_t>(item_size(shape.dtype)),
                      shape.dtype};
    prepared_.tiles = {base + layout.codes.offset,
                       reinterpret_cast<const float*>(base + layout.scale.offset),
                       reinterpret_cast<const float*>(base + layout.slack.offset),
                       tiles_of(shape.rows), groups_of(shape.cols)};
    prepared_.norms = reinterpret_cast<const double*>(base + layout.norms.offset);
    prepared_.rotated = shape.rotated;
    prepared_.guard = this;
    checked_ = std::vector<std::atomic<bool>>(blocks());
}

std::uint64_t IndexReader::blocks() const noexcept {
    const std::uint64_t data = header_.layout.file_size - header_.layout.data_offset;
    return (data + kChecksumBlock - 1) / kChecksumBlock;
}

void IndexReader::touch_tiles(std::size_t first, std::size_t end) {
    const IndexLayout& layout = header_.layout;
    const std::uint64_t tile_bytes = prepared_.tiles.groups * kTileGroupBytes;
    constexpr std::uint64_t kTileFloats = kTileRows * sizeof(float);
    touch(layout.codes, first * tile_bytes, end * tile_bytes);
    touch(layout.scale, first * kTileFloats, end * kTileFloats);
    touch(layout.slack, first * kTileFloats, end * kTileFloats);
}

void IndexReader::touch_row(std::size_t row) {
    const IndexLayout& layout = header_.layout;
    const auto row_bytes = static_cast<std::uint64_t>(prepared_.docs.row_stride);
    touch(layout.rows, row * row_bytes, (row + 1) * row_bytes);
    touch(layout.norms, row * sizeof(double), (row + 1) * sizeof(double));
}

void IndexReader::check_size() const {
    const std::uint64_t now = file_.size_now();
    if (now < file_.size()) {
        throw IndexFileError(name_ + " was cut short while it was open: " + std::to_string(now) +
                             " of " + std::to_string(file_.size()) +
                             " bytes are left; build the index again");
    }
}

void IndexReader::refuse_bounds() const {
    throw IndexFileError(name_ + " is damaged: its codes contradict its rows; build it again");
}

void IndexReader::touch(const FilePart& part, std::uint64_t begin, std::uint64_t end) {
    if (begin == end) {
        return;
    }
    const std::uint64_t start = part.offset - header_.layout.data_offset;
    const std::uint64_t last = (start + end - 1) / kChecksumBlock;
    for (std::uint64_t block = (start + begin) / kChecksumBlock; block <= last; ++block) {
        if (!checked_[block].load(std::memory_order_relaxed)) {
            check_block(block);
            checked_[block].store(true, std::memory_order_relaxed);
        }
    }
}

void IndexReader::check_block(std::uint64_t block) const {
    check_size();
    const std::uint64_t begin = header_.layout.data_offset + block * kChecksumBlock;
    const std::uint64_t size = std::min<std::uint64_t>(kChecksumBlock, file_.size() - begin);
    std::uint64_t expected = 0;
    std::memcpy(&expected, file_.data() + kPage + block * sizeof(expected), sizeof(expected));
    if (checksum(file_.data() + begin, size) != expected) {
        throw IndexFileError(name_ + " is damaged: the checksum of bytes " + std::to_string(begin) +
                             " to " + std::to_string(begin + size - 1) +
                             " doesn't fit; build the index again");
    }
}

void IndexReader::verify(int threads, const Interrupted& interrupted) const {
    parallel_for(blocks(), threads, interrupted,
                 [this](std::size_t block, int) { check_block(block); });
}

}  // namespace gnomon::detail
