// Fuzzing of the BM25 index reader: damaged and forged files.
//
// The bytes choose a small index and then patch, cut or lengthen its file. In half of the cases all
// checksums are made right again, as someone who wants to do harm would. Whatever comes of it:
// opening, searching, scoring and verifying throw IndexFileError or give rows that exist and scores
// that are no NaN; what verify() passes without an error searches without one; an untouched file
// answers like the index that wrote it.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bm25/file.hpp"
#include "bm25_problem.hpp"
#include "cosine/checksum.hpp"

namespace {

using namespace gnomon::testing;
using Bytes = std::vector<unsigned char>;
using gnomon::detail::bm25::checksum_blocks;
using gnomon::detail::bm25::kChecksumBlock;
using gnomon::detail::bm25::kHeaderBytes;

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

std::uint64_t word_at(const Bytes& file, std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, file.data() + at, sizeof(word));
    return word;
}

void put_word(Bytes& file, std::size_t at, std::uint64_t word) {
    std::memcpy(file.data() + at, &word, sizeof(word));
}

// Where the data begins, and where the header keeps the checksum of the checksums.
struct Places {
    std::size_t data = 0;
    std::size_t blocks = 0;
    std::size_t checksums_checksum = 0;
};

Places places_in(const Bytes& good) {
    Places found;
    for (std::size_t padding = 0; padding < 4096; padding += 8) {
        for (found.blocks = 0; found.blocks < 64; ++found.blocks) {
            found.data = kHeaderBytes + found.blocks * 8 + padding;
            if (found.data <= good.size() &&
                checksum_blocks(good.size() - found.data) == found.blocks) {
                break;
            }
        }
        const std::size_t first = std::min(kChecksumBlock, good.size() - found.data);
        if (found.blocks == 0 || word_at(good, kHeaderBytes) ==
                                     gnomon::detail::checksum(good.data() + found.data, first)) {
            break;
        }
    }
    for (const std::size_t length : {found.blocks * 8, found.data - kHeaderBytes}) {
        const std::uint64_t wanted = gnomon::detail::checksum(good.data() + kHeaderBytes, length);
        for (std::size_t at = 16; at + 16 <= kHeaderBytes; at += 8) {
            if (word_at(good, at) == wanted) {
                found.checksums_checksum = at;
                return found;
            }
        }
    }
    fail("the header doesn't hold the checksum of the checksums");
}

void repair_checksums(Bytes& file, const Bytes& good, const Places& places) {
    for (std::size_t block = 0; block < places.blocks; ++block) {
        const std::size_t begin = places.data + block * kChecksumBlock;
        if (begin < file.size()) {
            const std::size_t size = std::min(kChecksumBlock, file.size() - begin);
            put_word(file, kHeaderBytes + block * 8,
                     gnomon::detail::checksum(file.data() + begin, size));
        }
    }
    const bool padded = word_at(good, places.checksums_checksum) !=
                        gnomon::detail::checksum(good.data() + kHeaderBytes, places.blocks * 8);
    const std::size_t length = padded ? places.data - kHeaderBytes : places.blocks * 8;
    put_word(file, places.checksums_checksum,
             gnomon::detail::checksum(file.data() + kHeaderBytes, length));
    put_word(file, kHeaderBytes - 8, gnomon::detail::checksum(file.data(), kHeaderBytes - 8));
}

Bytes damaged(const Bytes& good, FuzzedDataProvider& bytes) {
    Bytes file = good;
    const Places places = places_in(good);
    const auto patches = bytes.ConsumeIntegralInRange<std::size_t>(0, 5);
    const bool forged = bytes.ConsumeBool();
    for (std::size_t i = 0; i < patches; ++i) {
        const auto area = bytes.ConsumeIntegralInRange<int>(0, 3);
        const std::size_t begin = area == 0 ? 0 : places.data;
        const std::size_t end = area == 0 ? 160 : file.size();
        if (begin == end) {
            continue;
        }
        const auto at = bytes.ConsumeIntegralInRange<std::size_t>(begin, end - 1);
        const auto width = std::size_t{1} << bytes.ConsumeIntegralInRange<unsigned>(0, 3);
        auto value = bytes.ConsumeIntegral<std::uint64_t>();
        if (area == 3) {  // beside what was there
            value = at + 8 <= file.size() ? word_at(file, at) + value % 5 - 2 : value;
        }
        std::memcpy(file.data() + at, &value, std::min(width, file.size() - at));
    }
    if (forged) {
        repair_checksums(file, good, places);
        if (patches == 0 && file != good) {
            fail("the checksums of an untouched file were not right");
        }
    }
    if (bytes.ConsumeIntegral<std::uint8_t>() == 1) {
        file.resize(bytes.ConsumeIntegralInRange<std::size_t>(0, file.size() + kHeaderBytes));
    }
    return file;
}

Bm25Problem problem_from(FuzzedDataProvider& bytes) {
    Bm25Problem made;
    Random random(bytes.ConsumeIntegral<std::uint32_t>());
    made.settings.variant =
        static_cast<gnomon::BM25Variant>(bytes.ConsumeIntegralInRange<int>(0, 4));
    const bool large = bytes.ConsumeIntegral<std::uint8_t>() < 8;
    const auto n = bytes.ConsumeIntegralInRange<std::size_t>(0, large ? 9000 : 400);
    Tokens words;
    for (std::size_t i = bytes.ConsumeIntegralInRange<std::size_t>(1, 30); i > 0; --i) {
        words.push_back(std::string(1 + i % 9, static_cast<char>('a' + i % 26)));
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t length = random.below(90) == 0 ? 300 : random.below(large ? 3 : 12);
        made.docs.push_back(drawn_tokens(length, words, random));
    }
    made.queries.assign(3, {});
    for (Tokens& query : made.queries) {
        query = drawn_tokens(1 + random.below(6), words, random);
    }
    made.k = 1 + random.below(20);
    return made;
}

gnomon::HitLists search(const gnomon::BM25Index& index, const Bm25Problem& problem,
                        gnomon::BM25Strategy strategy, int threads) {
    const Bm25Asked asked(problem);
    gnomon::BM25Options options;
    options.strategy = strategy;
    options.threads = threads;
    return index.search(asked.request, options);
}

void demand_sane(const gnomon::HitLists& found, const gnomon::BM25Index& index) {
    for (std::size_t i = 0; i < found.ids.size(); ++i) {
        if (found.ids[i] < 0 || static_cast<std::uint64_t>(found.ids[i]) >= index.docs()) {
            fail("a hit is no row of the index");
        }
        if (!(found.scores[i] > 0.0F)) {
            fail("a hit has no score above 0");
        }
    }
}

// Uses everything that an index offers.
void use(const gnomon::BM25Index& index, const Bm25Problem& problem, int threads) {
    for (const auto strategy : {gnomon::BM25Strategy::automatic, gnomon::BM25Strategy::pruned,
                                gnomon::BM25Strategy::exhaustive}) {
        demand_sane(search(index, problem, strategy, threads), index);
    }
    if (index.docs() < 100'000) {
        std::vector<float> scores(index.docs());
        const std::vector<std::string_view> query(problem.queries[0].begin(),
                                                  problem.queries[0].end());
        index.scores(query, scores, {});
        if (std::any_of(scores.begin(), scores.end(), [](float x) { return !(x >= 0.0F); })) {
            fail("a score is NaN or below 0");
        }
    }
    (void)index.note();
    for (std::size_t id = 0; id < std::min<std::size_t>(index.vocabulary_size(), 50); ++id) {
        (void)index.term_id(index.term(id));
        (void)index.document_frequency(id);
    }
    for (std::size_t row = 0; row < std::min<std::size_t>(index.docs(), 50); ++row) {
        (void)index.document_length(row);
    }
}

// Opens, uses and verifies; tells whether verify() passed.
bool survives(const Bytes& file, const Bm25Problem& problem, int threads) {
    try {
        const auto opened = gnomon::BM25Index::from_bytes(file, "fuzzed");
        use(opened, problem, threads);
        opened.verify(threads, {});
        return true;
    } catch (const gnomon::IndexFileError&) {
        return false;
    }
}

// What verify() has passed is used without an error.
bool verifies(const Bytes& file, const Bm25Problem& problem, int threads) {
    try {
        const auto opened = gnomon::BM25Index::from_bytes(file, "fuzzed");
        opened.verify(threads, {});
        try {
            use(opened, problem, threads);
        } catch (const gnomon::IndexFileError& error) {
            fail("verify() passed what a search refuses");
        }
        return true;
    } catch (const gnomon::IndexFileError&) {
        return false;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider bytes(data, size);
    const Bm25Problem problem = problem_from(bytes);
    const Lists docs(problem.docs);
    const auto built = gnomon::BM25Index::build(docs.view(), problem.settings, 1);
    const Bytes good = built.bytes();
    const Bytes bad = damaged(good, bytes);
    const int threads = bytes.ConsumeBool() ? 1 : 2;
    const bool used = survives(bad, problem, threads);
    const bool verified = verifies(bad, problem, threads);
    if (bad == good) {
        if (!used || !verified) {
            fail("an untouched file is refused");
        }
        const auto opened = gnomon::BM25Index::from_bytes(bad, "fuzzed");
        const auto automatic = gnomon::BM25Strategy::automatic;
        if (!difference(search(opened, problem, automatic, threads),
                        search(built, problem, automatic, 1))
                 .empty()) {
            fail("an untouched file answers differently");
        }
    }
    return 0;
}
