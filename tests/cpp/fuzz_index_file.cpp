// Fuzzing of the index reader: damaged and forged files.
//
// The bytes choose a small index, write it, and then patch, cut or lengthen the file. In half of
// the cases the checksums are made right again, as someone who wants to do harm would. Whatever
// comes of it, opening, searching and verifying either throw IndexFileError or answer with rows
// that exist and scores that are cosines; an untouched file answers exactly like the array it was
// made from.
#include <fuzzer/FuzzedDataProvider.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cosine/checksum.hpp"
#include "gnomon/cosine.hpp"
#include "gnomon/index_file.hpp"

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kBlock = 65536;

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

// A file in memory that lives as long as this object.
class MemoryFile {
  public:
    MemoryFile() : descriptor_(memfd_create("index", 0)) {
        if (descriptor_ < 0) {
            fail("no memory file");
        }
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { close(descriptor_); }

    int descriptor() const { return descriptor_; }

    Bytes content() const {
        Bytes read(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)));
        if (pread(descriptor_, read.data(), read.size(), 0) != static_cast<ssize_t>(read.size())) {
            fail("the file can't be read");
        }
        return read;
    }

    void replace(const Bytes& bytes) const {
        if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, bytes.data(), bytes.size(), 0) !=
                                                  static_cast<ssize_t>(bytes.size())) {
            fail("the file can't be written");
        }
    }

  private:
    int descriptor_;
};

struct Documents {
    gnomon::Dtype dtype = gnomon::Dtype::f32;
    std::size_t rows = 0;
    std::size_t cols = 1;
    Bytes bytes;

    gnomon::MatrixView view() const {
        const std::size_t item = gnomon::item_size(dtype);
        return {bytes.data(),
                rows,
                cols,
                static_cast<std::ptrdiff_t>(cols * item),
                static_cast<std::ptrdiff_t>(item),
                dtype};
    }
};

// Small integers as any type: their float16 and bfloat16 patterns are few enough to write down.
void put(gnomon::Dtype dtype, int value, unsigned char* at) {
    const auto narrow = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    constexpr std::array<std::uint16_t, 5> kHalves{0xC000, 0xBC00, 0x0000, 0x3C00, 0x4000};
    const auto bf16 = static_cast<std::uint16_t>(narrow >> 16U);
    const auto f64 = static_cast<double>(value);
    const auto i8 = static_cast<std::int8_t>(value);
    const auto u8 = static_cast<std::uint8_t>(value + 2);
    switch (dtype) {
    case gnomon::Dtype::f32: std::memcpy(at, &narrow, 4); break;
    case gnomon::Dtype::f64: std::memcpy(at, &f64, 8); break;
    case gnomon::Dtype::f16:
        std::memcpy(at, &kHalves.at(static_cast<std::size_t>(value + 2)), 2);
        break;
    case gnomon::Dtype::bf16: std::memcpy(at, &bf16, 2); break;
    case gnomon::Dtype::i8: std::memcpy(at, &i8, 1); break;
    case gnomon::Dtype::u8: std::memcpy(at, &u8, 1); break;
    }
}

Documents drawn_documents(FuzzedDataProvider& bytes) {
    constexpr std::array kTypes{gnomon::Dtype::f32,  gnomon::Dtype::f16, gnomon::Dtype::f64,
                                gnomon::Dtype::bf16, gnomon::Dtype::i8,  gnomon::Dtype::u8};
    Documents made;
    made.dtype = kTypes.at(bytes.ConsumeIntegralInRange<std::size_t>(0, kTypes.size() - 1));
    made.rows = bytes.ConsumeIntegralInRange<std::size_t>(0, 70);
    made.cols = bytes.ConsumeIntegralInRange<std::size_t>(1, 300);
    const std::size_t item = gnomon::item_size(made.dtype);
    made.bytes.resize(made.rows * made.cols * item);
    std::uint32_t state = bytes.ConsumeIntegral<std::uint32_t>() | 1U;
    for (std::size_t i = 0; i < made.rows * made.cols; ++i) {
        state = state * 1664525U + 1013904223U;
        put(made.dtype, static_cast<int>((state >> 24U) % 5U) - 2, made.bytes.data() + i * item);
    }
    return made;
}

std::uint64_t word_at(const Bytes& file, std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, file.data() + at, sizeof(word));
    return word;
}

void put_word(Bytes& file, std::size_t at, std::uint64_t word) {
    std::memcpy(file.data() + at, &word, sizeof(word));
}

// Finds the header's copy of the checksums' own checksum, so that it can be made right again later.
std::size_t place_of_checksums_checksum(const Bytes& file, std::size_t data) {
    const std::uint64_t wanted = gnomon::detail::checksum(file.data() + kPage, data - kPage);
    for (std::size_t at = 16; at + 16 <= kPage; at += 8) {
        if (word_at(file, at) == wanted) {
            return at;
        }
    }
    fail("the header doesn't hold the checksum of the checksums");
}

// The data begins on the page behind the checksums, of which there is one a block of 64 KiB.
struct Places {
    std::size_t data = 0;
    std::size_t checksums_size = 0;
    std::size_t checksums_checksum = 0;
};

Places places_in(const Bytes& file) {
    Places found;
    for (std::size_t blocks = 0;; ++blocks) {
        found.checksums_size = blocks * 8;
        found.data = kPage + (found.checksums_size + kPage - 1) / kPage * kPage;
        if (found.data + blocks * kBlock >= file.size()) {
            break;
        }
    }
    found.checksums_checksum = place_of_checksums_checksum(file, found.data);
    return found;
}

void repair_checksums(Bytes& file, const Places& places) {
    for (std::size_t block = 0; block * 8 < places.checksums_size; ++block) {
        const std::size_t begin = places.data + block * kBlock;
        const std::size_t slot = kPage + block * 8;
        if (begin < file.size() && slot + 8 <= file.size()) {
            const std::size_t size = std::min(kBlock, file.size() - begin);
            put_word(file, slot, gnomon::detail::checksum(file.data() + begin, size));
        }
    }
    put_word(file, places.checksums_checksum,
             gnomon::detail::checksum(file.data() + kPage, places.data - kPage));
    put_word(file, kPage - 8, gnomon::detail::checksum(file.data(), kPage - 8));
}

Bytes damaged(const Bytes& good, FuzzedDataProvider& bytes) {
    Bytes file = good;
    const Places places = places_in(good);
    const auto patches = bytes.ConsumeIntegralInRange<std::size_t>(0, 6);
    const bool forged = bytes.ConsumeBool();
    for (std::size_t i = 0; i < patches; ++i) {
        const std::size_t area = bytes.ConsumeBool() ? 128 : file.size();
        const auto at = bytes.ConsumeIntegralInRange<std::size_t>(0, area - 1);
        const auto width = std::size_t{1} << bytes.ConsumeIntegralInRange<unsigned>(0, 3);
        const auto value = bytes.ConsumeIntegral<std::uint64_t>();
        std::memcpy(file.data() + at, &value, std::min(width, file.size() - at));
    }
    if (forged) {
        repair_checksums(file, places);
    }
    if (bytes.ConsumeIntegral<std::uint8_t>() == 1) {
        file.resize(bytes.ConsumeIntegralInRange<std::size_t>(0, file.size() + kPage));
    }
    return file;
}

gnomon::HitLists search(const gnomon::VectorIndex& index, std::size_t queries, int threads) {
    std::vector<float> values(queries * index.cols());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 7) - 3.0F;
    }
    gnomon::SearchRequest request;
    const auto stride = static_cast<std::ptrdiff_t>(index.cols() * sizeof(float));
    request.queries = {values.data(), queries,       index.cols(),
                       stride,        sizeof(float), gnomon::Dtype::f32};
    request.k = 5;
    gnomon::SearchOptions options;
    options.threads = threads;
    return std::move(index.search(std::array{request}, options).lists.at(0));
}

void demand_sane(const gnomon::HitLists& found, const gnomon::VectorIndex& index) {
    for (std::size_t i = 0; i < found.ids.size(); ++i) {
        if (found.ids[i] < 0 || static_cast<std::uint64_t>(found.ids[i]) >= index.rows()) {
            fail("a hit is no row of the index");
        }
        if (!(std::fabs(found.scores[i]) <= 1.0F)) {
            fail("a score is no cosine");
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider bytes(data, size);
    const Documents docs = drawn_documents(bytes);
    const gnomon::VectorIndex built(docs.view(), 1, {});
    const MemoryFile file;
    built.save(file.descriptor(), {});
    const Bytes good = file.content();
    const Bytes bad = damaged(good, bytes);
    file.replace(bad);

    const std::size_t queries = bytes.ConsumeBool() ? 1 : 9;
    const int threads = bytes.ConsumeBool() ? 1 : 2;
    try {
        const auto opened = gnomon::VectorIndex::open(file.descriptor(), "fuzzed");
        if (opened.cols() > 100'000) {
            return 0;  // an honest file of huge empty rows; queries that wide only cost time
        }
        const auto found = search(opened, queries, threads);
        demand_sane(found, opened);
        opened.verify(threads, {});
        if (bad == good) {
            const auto expected = search(built, queries, threads);
            if (found.ids != expected.ids || found.scores != expected.scores) {
                fail("an untouched file answers differently");
            }
        }
    } catch (const gnomon::IndexFileError&) {
        if (bad == good) {
            fail("an untouched file is refused");
        }
    } catch (const gnomon::NonFiniteError&) {
        if (bad == good) {
            fail("an untouched file has rows that aren't finite");
        }
    }
    return 0;
}
