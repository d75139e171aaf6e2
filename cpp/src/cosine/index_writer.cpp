#include "cosine/index_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <stdexcept>
#include <system_error>

#include "cosine/checksum.hpp"
#include "score/rows.hpp"

namespace gnomon::detail {

namespace {

void write_at(int descriptor, const void* data, std::size_t size, std::uint64_t offset) {
    const auto* at = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t written = pwrite(descriptor, at, size, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            throw std::system_error(errno, std::generic_category(), "writing the index");
        }
        at += written;
        size -= static_cast<std::size_t>(written);
        offset += static_cast<std::uint64_t>(written);
    }
}

// Collects the data part block by block and keeps each block's checksum.
class DataWriter {
  public:
    DataWriter(int descriptor, std::uint64_t offset, const Interrupted& interrupted)
        : descriptor_(descriptor), offset_(offset), interrupted_(interrupted),
          block_(kChecksumBlock) {}

    void append(const void* data, std::size_t size) {
        const auto* at = static_cast<const unsigned char*>(data);
        while (size > 0) {
            const std::size_t part = std::min(size, kChecksumBlock - filled_);
            std::memcpy(block_.data() + filled_, at, part);
            filled_ += part;
            at += part;
            size -= part;
            if (filled_ == kChecksumBlock) {
                flush();
            }
        }
    }

    void fill_page() {
        static constexpr unsigned char kZeros[kPage] = {};
        append(kZeros, (kPage - filled_ % kPage) % kPage);
    }

    std::span<const std::uint64_t> finish() {
        if (filled_ > 0) {
            flush();
        }
        return checksums_;
    }

  private:
    void flush() {
        if (interrupted_ && interrupted_()) {
            throw Interruption();
        }
        checksums_.push_back(checksum(block_.data(), filled_));
        write_at(descriptor_, block_.data(), filled_, offset_);
        offset_ += filled_;
        filled_ = 0;
    }

    int descriptor_;
    std::uint64_t offset_;
    const Interrupted& interrupted_;
    std::vector<unsigned char> block_;
    std::size_t filled_ = 0;
    std::vector<std::uint64_t> checksums_;
};

template <typename T>
void append_part(DataWriter& data, const T* values, std::uint64_t size) {
    data.append(values, size);
    data.fill_page();
}

void append_rows(DataWriter& data, const MatrixView& docs, Dtype stored) {
    const std::size_t item = item_size(stored);
    std::vector<float> scratch(docs.cols);
    std::vector<char> packed(docs.cols * item);
    for (std::size_t row = 0; row < docs.rows; ++row) {
        if (stored != docs.dtype || stored == Dtype::f32) {
            data.append(row_f32(docs, row, scratch.data()), docs.cols * item);
            continue;
        }
        const char* start = static_cast<const char*>(docs.data) +
                            static_cast<std::ptrdiff_t>(row) * docs.row_stride;
        for (std::size_t i = 0; i < docs.cols; ++i) {
            std::memcpy(packed.data() + i * item,
                        start + static_cast<std::ptrdiff_t>(i) * docs.col_stride, item);
        }
        data.append(packed.data(), packed.size());
    }
    data.fill_page();
}

}  // namespace

void write_index(int descriptor, const PreparedRows& prepared, std::size_t zero_rows,
                 const Interrupted& interrupted) {
    const MatrixView& docs = prepared.docs;
    const Dtype stored = docs.dtype == Dtype::f64 ? Dtype::f32 : docs.dtype;
    const IndexShape shape{docs.rows, docs.cols, stored, prepared.rotated, zero_rows};
    const auto layout = layout_of(shape);
    if (!layout) {
        throw std::invalid_argument("write_index: the file would exceed 2^63 bytes");
    }
    DataWriter data(descriptor, layout->data_offset, interrupted);
    append_part(data, prepared.tiles.scale, layout->scale.size);
    append_part(data, prepared.tiles.slack, layout->slack.size);
    append_part(data, prepared.norms, layout->norms.size);
    append_part(data, prepared.tiles.codes, layout->codes.size);
    append_rows(data, docs, stored);
    const auto checksums = data.finish();

    std::vector<unsigned char> front(layout->data_offset, 0);
    std::copy_n(reinterpret_cast<const unsigned char*>(checksums.data()), checksums.size_bytes(),
                front.data() + kPage);
    write_header(shape, *layout, checksum(front.data() + kPage, front.size() - kPage),
                 front.data());
    write_at(descriptor, front.data(), front.size(), 0);
}

}  // namespace gnomon::detail
