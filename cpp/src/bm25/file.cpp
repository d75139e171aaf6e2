#include "bm25/file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "bm25/formula.hpp"
#include "cosine/checksum.hpp"
#include "gnomon/index_file.hpp"
#include "gnomon/steps.hpp"

namespace gnomon::detail::bm25 {

namespace {

constexpr FileKind kKind{"gnomonBM", "BM25 index of gnomon", 1};
constexpr std::uint64_t kAlignment = 64;

// docs, tokens, terms, term bytes, slots, short and long postings, long terms, exceptions, note
// bytes, the bits of top part, the variant, the bits of k1, b and delta, the file's size, the
// checksum of the checksums
using Fields = std::array<std::uint64_t, 17>;

[[noreturn]] void refuse(const std::string& why) { throw IndexFileError(why); }

std::uint64_t data_offset(std::uint64_t data_bytes) noexcept {
    const std::uint64_t checksums = checksum_blocks(data_bytes) * sizeof(std::uint64_t);
    return kHeaderBytes + (checksums + kAlignment - 1) / kAlignment * kAlignment;
}

Fields fields_of(const IndexShape& s, std::uint64_t file_size, std::uint64_t checksums) noexcept {
    return {s.docs,
            s.tokens,
            s.terms,
            s.term_bytes,
            s.slots,
            s.short_postings,
            s.long_postings,
            s.long_terms,
            s.exceptions,
            s.note_bytes,
            std::bit_cast<std::uint64_t>(s.top_part),
            static_cast<std::uint64_t>(s.settings.variant),
            std::bit_cast<std::uint64_t>(s.settings.k1),
            std::bit_cast<std::uint64_t>(s.settings.b),
            std::bit_cast<std::uint64_t>(s.settings.delta),
            file_size,
            checksums};
}

IndexShape shape_of(const Fields& f) noexcept {
    IndexShape s;
    s.docs = f[0];
    s.tokens = f[1];
    s.terms = f[2];
    s.term_bytes = f[3];
    s.slots = f[4];
    s.short_postings = f[5];
    s.long_postings = f[6];
    s.long_terms = f[7];
    s.exceptions = f[8];
    s.note_bytes = f[9];
    s.top_part = std::bit_cast<double>(f[10]);
    s.settings.variant = static_cast<BM25Variant>(f[11]);
    s.settings.k1 = std::bit_cast<double>(f[12]);
    s.settings.b = std::bit_cast<double>(f[13]);
    s.settings.delta = std::bit_cast<double>(f[14]);
    return s;
}

bool plausible(const Fields& fields, const IndexShape& shape) {
    if (fields[11] > static_cast<std::uint64_t>(BM25Variant::bm25_l)) {
        return false;
    }
    try {
        check_settings(shape.settings);
    } catch (const std::invalid_argument&) {
        return false;
    }
    return shape.top_part >= 0.0 && shape.top_part < 1e13 && std::has_single_bit(shape.slots) &&
           shape.slots > shape.terms;
}

}  // namespace

std::vector<unsigned char> front_of(const IndexView& view) {
    const std::uint64_t data_bytes = view.parts.size;
    std::vector<unsigned char> front(data_offset(data_bytes));
    unsigned char* checksums = front.data() + kHeaderBytes;
    Meter meter;
    for (std::uint64_t block = 0; block < checksum_blocks(data_bytes); ++block) {
        meter.add(kChecksumBlock);
        const std::uint64_t begin = block * kChecksumBlock;
        const std::uint64_t sum = checksum(
            view.data + begin, std::min<std::uint64_t>(kChecksumBlock, data_bytes - begin));
        std::memcpy(checksums + block * sizeof(sum), &sum, sizeof(sum));
    }
    unsigned char* page = front.data();
    const Fields fields = fields_of(view.shape, front.size() + data_bytes,
                                    checksum(checksums, front.size() - kHeaderBytes));
    std::memcpy(page + kHeaderFieldsAt, fields.data(), sizeof(fields));
    seal_header(kKind, page);
    return front;
}

IndexView view_of_file(const unsigned char* file, std::uint64_t file_size) {
    if (file_size < kHeaderBytes) {
        refuse("is no BM25 index of gnomon: it has only " + std::to_string(file_size) + " bytes");
    }
    check_header(kKind, file);
    Fields fields;
    std::memcpy(fields.data(), file + kHeaderFieldsAt, sizeof(fields));
    IndexView view;
    view.shape = shape_of(fields);
    const auto parts = parts_of(view.shape);
    if (!plausible(fields, view.shape) || !parts) {
        refuse("is damaged: the sizes in its header contradict each other");
    }
    const std::uint64_t offset = data_offset(parts->size);
    if (offset + parts->size != file_size) {
        refuse("has " + std::to_string(file_size) + " bytes, but its header says " +
               std::to_string(offset + parts->size) + "; it was cut short or written over");
    }
    if (checksum(file + kHeaderBytes, offset - kHeaderBytes) != fields.back()) {
        refuse("is damaged: its list of checksums doesn't fit its own");
    }
    view.parts = *parts;
    view.data = file + offset;
    return view;
}

const std::uint64_t* checksums_of(const unsigned char* file) noexcept {
    return reinterpret_cast<const std::uint64_t*>(file + kHeaderBytes);
}

}  // namespace gnomon::detail::bm25
