#include "cosine/index_layout.hpp"

#include <cstring>
#include <string>

#include "cosine/tiles.hpp"
#include "gnomon/index_file.hpp"

namespace gnomon::detail {

namespace {

constexpr FileKind kKind{"gnomonVI", "gnomon index", 1};

// The u64 fields, in their order in the header.
enum Field : std::uint8_t {
    kRows,
    kCols,
    kDtype,
    kRotated,
    kZeroRows,
    kFileSize,
    kChecksums,
    kFields
};

// Multiplies and adds as long as nothing overflows 63 bits.
class CheckedSize {
  public:
    explicit CheckedSize(std::uint64_t value) noexcept : value_(value) {}

    CheckedSize& times(std::uint64_t factor) noexcept {
        ok_ &= !__builtin_mul_overflow(value_, factor, &value_);
        return *this;
    }
    CheckedSize& plus(std::uint64_t more) noexcept {
        ok_ &= !__builtin_add_overflow(value_, more, &value_);
        return *this;
    }
    CheckedSize& up_to_page() noexcept {
        plus(kPage - 1);
        value_ -= value_ % kPage;
        return *this;
    }
    std::uint64_t value() const noexcept { return value_; }
    bool ok() const noexcept { return ok_ && value_ <= INT64_MAX; }

  private:
    std::uint64_t value_;
    bool ok_ = true;
};

// Lays parts one after the other, each on a page of its own.
class Placement {
  public:
    explicit Placement(std::uint64_t offset) noexcept : end_(offset) {}

    FilePart place(std::uint64_t count, std::uint64_t item) noexcept {
        CheckedSize size(count);
        size.times(item);
        const FilePart part{end_.value(), size.value()};
        end_.plus(size.value()).up_to_page();
        ok_ &= size.ok() && end_.ok();
        return part;
    }
    std::uint64_t end() const noexcept { return end_.value(); }
    bool ok() const noexcept { return ok_; }

  private:
    CheckedSize end_;
    bool ok_ = true;
};

std::uint64_t field(const unsigned char* page, Field which) noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, page + kHeaderFieldsAt + which * sizeof(value), sizeof(value));
    return value;
}

[[noreturn]] void refuse(const std::string& why) { throw IndexFileError(why); }

}  // namespace

std::optional<IndexLayout> layout_of(const IndexShape& shape) noexcept {
    if (shape.rows > INT64_MAX || shape.cols > INT64_MAX) {
        return std::nullopt;
    }
    const std::uint64_t tiles = tiles_of(shape.rows);
    IndexLayout layout;
    // The data's size decides how many checksums stand before it, so it is laid out twice.
    for (int round = 0; round < 2; ++round) {
        Placement placement(layout.data_offset);
        layout.scale = placement.place(tiles, kTileRows * sizeof(float));
        layout.slack = placement.place(tiles, kTileRows * sizeof(float));
        layout.norms = placement.place(shape.rows, sizeof(double));
        CheckedSize tile_bytes(groups_of(shape.cols));
        tile_bytes.times(kTileGroupBytes);
        layout.codes = placement.place(tiles, tile_bytes.value());
        CheckedSize row_bytes(shape.cols);
        row_bytes.times(item_size(shape.dtype));
        layout.rows = placement.place(shape.rows, row_bytes.value());
        layout.file_size = placement.end();
        if (!placement.ok() || !tile_bytes.ok() || !row_bytes.ok()) {
            return std::nullopt;
        }
        if (round == 0) {
            const std::uint64_t blocks = (layout.file_size + kChecksumBlock - 1) / kChecksumBlock;
            Placement front(kPage);
            layout.checksums = front.place(blocks, sizeof(std::uint64_t));
            layout.data_offset = front.end();
        }
    }
    return layout;
}

void write_header(const IndexShape& shape, const IndexLayout& layout,
                  std::uint64_t checksums_checksum, unsigned char* page) noexcept {
    std::memset(page, 0, kPage);
    std::uint64_t fields[kFields];
    fields[kRows] = shape.rows;
    fields[kCols] = shape.cols;
    fields[kDtype] = static_cast<std::uint64_t>(shape.dtype);
    fields[kRotated] = shape.rotated ? 1 : 0;
    fields[kZeroRows] = shape.zero_rows;
    fields[kFileSize] = layout.file_size;
    fields[kChecksums] = checksums_checksum;
    std::memcpy(page + kHeaderFieldsAt, fields, sizeof(fields));
    seal_header(kKind, page);
}

IndexHeader read_header(const unsigned char* page, std::uint64_t file_size) {
    check_header(kKind, page);
    const std::uint64_t dtype = field(page, kDtype);
    if (dtype > static_cast<std::uint64_t>(Dtype::u8) ||
        dtype == static_cast<std::uint64_t>(Dtype::f64)) {
        refuse("is damaged: it has no known element type");
    }
    IndexHeader header;
    header.shape = {field(page, kRows), field(page, kCols), static_cast<Dtype>(dtype),
                    field(page, kRotated) != 0, field(page, kZeroRows)};
    header.checksums_checksum = field(page, kChecksums);
    const auto layout = layout_of(header.shape);
    if (!layout || layout->file_size != field(page, kFileSize) ||
        header.shape.zero_rows > header.shape.rows || field(page, kRotated) > 1) {
        refuse("is damaged: the sizes in its header contradict each other");
    }
    header.layout = *layout;
    if (header.layout.file_size != file_size) {
        refuse("has " + std::to_string(file_size) + " bytes, but its header says " +
               std::to_string(header.layout.file_size) + "; it was cut short or written over");
    }
    return header;
}

}  // namespace gnomon::detail
