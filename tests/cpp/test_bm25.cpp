// The BM25 index: the logarithm, values by hand, all ways to search, bytes, damaged files.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bm25/bound.hpp"
#include "bm25/logarithm.hpp"
#include "bm25/screen_kernels.hpp"
#include "gnomon/bm25.hpp"
#include "gnomon/isa.hpp"

namespace {

using namespace gnomon;

// Lists of words that own their bytes.
struct Words {
    std::vector<std::string> spelled;
    std::vector<std::string_view> tokens;
    std::vector<std::uint64_t> offsets{0};

    void add(const std::vector<std::string>& list) {
        spelled.insert(spelled.end(), list.begin(), list.end());
        offsets.push_back(spelled.size());
    }
    TokenLists lists() {
        tokens.assign(spelled.begin(), spelled.end());
        return {tokens, offsets};
    }
};

// Words as uneven as those of real text.
Words zipf(std::size_t docs, unsigned seed, unsigned longest = 30) {
    std::mt19937 random(seed);
    Words words;
    for (std::size_t doc = 0; doc < docs; ++doc) {
        std::vector<std::string> list(random() % longest);
        for (std::string& word : list) {
            const unsigned spread = 1U << (random() % 10);
            word = "w" + std::to_string(random() % spread);
        }
        words.add(list);
    }
    return words;
}

HitLists found(const BM25Index& index, const TokenLists& queries, std::size_t k,
               BM25Strategy strategy, int threads = 1) {
    BM25Request request;
    request.queries = queries;
    request.k = k;
    return index.search(request, {strategy, threads, {}});
}

void check_same(const HitLists& a, const HitLists& b) {
    CHECK(a.offsets == b.offsets);
    CHECK(a.ids == b.ids);
    REQUIRE(a.scores.size() == b.scores.size());
    CHECK(std::memcmp(a.scores.data(), b.scores.data(), a.scores.size() * sizeof(float)) == 0);
}

}  // namespace

TEST_CASE("the logarithm is that of the standard library within 2 units in the last place") {
    CHECK(detail::natural_logarithm(1.0) == 0.0);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> exponent(-40.0, 40.0);
    for (int i = 0; i < 100000; ++i) {
        const double x =
            i % 2 == 0 ? std::exp(exponent(random)) : 1.0 + std::exp(-std::fabs(exponent(random)));
        const auto expected = static_cast<double>(std::log(static_cast<long double>(x)));
        const double unit = std::nextafter(std::fabs(expected), 1e300) - std::fabs(expected);
        CHECK(std::fabs(detail::natural_logarithm(x) - expected) <= 2 * unit);
    }
}

TEST_CASE("a contribution bounds what it stands for, from both sides") {
    using namespace detail::bm25;
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int i = 0; i < 200000; ++i) {
        const std::size_t terms = 1 + random() % 4096;
        const double units = 65535.0 - 4.0 * (static_cast<double>(terms) + 2.0);
        const double share = terms == 1 ? 1.0 : std::pow(uniform(random), 3.0);
        const double top = 0.1 + uniform(random);
        const double part = i % 3 == 0 ? top : top * uniform(random);
        const double exact = units * share * (part / top);
        const double bound =
            contribution(quantised(part, quantum_scale(top)), multiplier(share, 1.0, terms));
        CHECK(bound >= exact);
        CHECK(bound < exact + 3.01);
    }
}

TEST_CASE("no sum of contributions leaves 16 bits") {
    using namespace detail::bm25;
    for (std::size_t terms = 1; terms <= kMostScreenedTerms; terms = terms * 3 / 2 + 1) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < terms; ++i) {
            sum += contribution(65535, multiplier(1.0, static_cast<double>(terms), terms));
        }
        CHECK(sum < 65536);
    }
}

TEST_CASE("every instruction set screens alike") {
    using namespace detail::bm25;
    std::mt19937 random(3);
    for (const Isa isa : runnable_isas()) {
        const ScreenKernels& kernels = screen_kernels(isa);
        for (const std::size_t n : {0U, 1U, 15U, 16U, 33U, 500U, 8192U}) {
            std::vector<std::uint16_t> places(kWindowRows);
            for (std::size_t i = 0; i < kWindowRows; ++i) {
                places[i] = static_cast<std::uint16_t>(i << kCountBits | (random() % 8));
            }
            std::shuffle(places.begin(), places.end(), random);
            std::vector<std::uint16_t> parts(n);
            for (auto& part : parts) {
                part = static_cast<std::uint16_t>(random());
            }
            alignas(64) std::uint16_t sums[2][kWindowRows] = {};
            std::vector<std::uint16_t> at[2] = {places, places};
            std::vector<std::uint16_t> values[2] = {places, places};
            std::size_t kept[2];
            for (int which = 0; which < 2; ++which) {
                const ScreenKernels& used = which == 0 ? kScalarScreen : kernels;
                used.add(places.data(), parts.data(), n, 40000, sums[which]);
                used.add(places.data(), parts.data(), n / 2, 9, sums[which]);
                kept[which] =
                    used.sweep(sums[which], 20000, at[which].data(), values[which].data());
            }
            REQUIRE(kept[0] == kept[1]);
            CHECK(
                std::equal(at[0].begin(), at[0].begin() + std::ptrdiff_t(kept[0]), at[1].begin()));
            CHECK(std::equal(values[0].begin(), values[0].begin() + std::ptrdiff_t(kept[0]),
                             values[1].begin()));
            CHECK(std::all_of(sums[1], sums[1] + kWindowRows, [](auto sum) { return sum == 0; }));
        }
        for (std::size_t n = 0; n <= kMostRanked; n += 7) {
            std::vector<std::uint64_t> keys(n);
            for (std::size_t i = 0; i < n; ++i) {
                keys[i] = (std::uint64_t{random()} << 31U | i) & INT64_MAX;
            }
            std::vector<std::uint32_t> expected(n);
            std::vector<std::uint32_t> ranks(n);
            kScalarScreen.rank(keys.data(), n, expected.data());
            kernels.rank(keys.data(), n, ranks.data());
            CHECK(ranks == expected);
        }
    }
}

TEST_CASE("a score is the formula's") {
    Words docs;
    docs.add({"a", "x"});
    docs.add({"b", "x"});
    docs.add({"c"});
    docs.add({});
    const BM25Index index = BM25Index::build(docs.lists(), {});
    std::vector<float> scores(4);
    const std::vector<std::string_view> query{"x", "nowhere"};
    index.scores(query, scores, {});
    const double norm = 1.2 * (0.25 + 0.75 * 2 / 1.25);
    const auto expected = static_cast<float>(std::log(1 + 2.5 / 2.5) / (1 + norm));
    CHECK(scores[0] == doctest::Approx(expected).epsilon(1e-7));
    CHECK(scores[0] == scores[1]);
    CHECK(scores[2] == 0.0F);
    CHECK(index.document_frequency(*index.term_id("x")) == 2);
    CHECK(!index.term_id("nowhere"));
    CHECK(index.document_length(3) == 0);
}

TEST_CASE("pruned search is exhaustive search, whatever the variant, k and threads") {
    for (const auto variant : {BM25Variant::lucene, BM25Variant::robertson, BM25Variant::atire,
                               BM25Variant::bm25_plus, BM25Variant::bm25_l}) {
        Words docs = zipf(20000, 4);
        Words queries = zipf(60, 5, 9);
        const BM25Index index = BM25Index::build(docs.lists(), {variant, 1.2, 0.75, 0.7}, 2);
        for (const std::size_t k : {1U, 10U, 100U, 1000U, 30000U}) {
            const HitLists expected = found(index, queries.lists(), k, BM25Strategy::exhaustive);
            check_same(found(index, queries.lists(), k, BM25Strategy::pruned), expected);
            check_same(found(index, queries.lists(), k, BM25Strategy::automatic, 3), expected);
        }
    }
}

TEST_CASE("bytes don't depend on threads, and an opened index answers alike") {
    Words docs = zipf(9000, 6);
    const TokenLists lists = docs.lists();
    const BM25Index one = BM25Index::build(lists, {}, 1);
    const std::vector<unsigned char> bytes = one.bytes();
    for (const int threads : {2, 7}) {
        CHECK(BM25Index::build(lists, {}, threads).bytes() == bytes);
    }
    const BM25Index opened = BM25Index::from_bytes(bytes, "bytes");
    opened.verify(2, {});
    CHECK(opened.bytes() == bytes);
    Words queries = zipf(20, 7, 6);
    check_same(found(opened, queries.lists(), 50, BM25Strategy::pruned),
               found(one, queries.lists(), 50, BM25Strategy::pruned));
}

TEST_CASE("a damaged file is refused or searched, never more") {
    Words docs = zipf(400, 8);
    const BM25Index index = BM25Index::build(docs.lists(), {});
    const std::vector<unsigned char> bytes = index.bytes();
    Words queries = zipf(4, 9, 6);
    std::mt19937 random(10);
    for (int i = 0; i < 400; ++i) {
        std::vector<unsigned char> changed = bytes;
        changed[random() % changed.size()] ^= static_cast<unsigned char>(1U << (random() % 8));
        CHECK_THROWS_AS(BM25Index::from_bytes(changed, "changed").verify(1, {}), IndexFileError);
        try {
            found(BM25Index::from_bytes(changed, "changed"), queries.lists(), 5,
                  BM25Strategy::automatic);
        } catch (const IndexFileError&) {
            continue;
        }
    }
    for (std::size_t size = 0; size < bytes.size(); size += 997) {
        const std::vector<unsigned char> cut(bytes.begin(), bytes.begin() + std::ptrdiff_t(size));
        CHECK_THROWS_AS(BM25Index::from_bytes(cut, "cut"), IndexFileError);
    }
}

TEST_CASE("requests that make no sense are refused") {
    Words docs = zipf(10, 11);
    const BM25Index index = BM25Index::build(docs.lists(), {});
    Words queries = zipf(2, 12);
    BM25Request request;
    request.queries = queries.lists();
    CHECK_THROWS_AS(index.search(request, {}), std::invalid_argument);
    request.k = 1;
    const std::vector<std::int64_t> outside{3, 10};
    request.subset = outside;
    CHECK_THROWS_AS(index.search(request, {}), std::invalid_argument);
    const std::vector<std::int64_t> falling{3, 2};
    request.subset = falling;
    CHECK_THROWS_AS(index.search(request, {}), std::invalid_argument);
    request.subset.reset();
    const std::vector<std::int64_t> offsets{0, 2};
    request.exclude_offsets = offsets;
    CHECK_THROWS_AS(index.search(request, {}), std::invalid_argument);
    CHECK_THROWS_AS(BM25Builder({BM25Variant::lucene, -1.0, 0.5, 0.0}), std::invalid_argument);
    CHECK_THROWS_AS(BM25Builder({BM25Variant::lucene, 1.0, NAN, 0.0}), std::invalid_argument);
}
