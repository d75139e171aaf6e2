// Ctrl-C within one large piece of work: every kernel asks in proportion to its work, whatever the
// shape of its input, and stops at the first answer.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gnomon/bm25.hpp"
#include "gnomon/linear.hpp"
#include "gnomon/mmr.hpp"
#include "gnomon/ranking.hpp"
#include "gnomon/resample.hpp"
#include "gnomon/rrf.hpp"
#include "gnomon/steps.hpp"
#include "gnomon/text.hpp"
#include "support.hpp"

namespace {

using namespace gnomon;

using Call = std::function<void(const Interrupted&)>;

constexpr std::size_t kMany = 3 * detail::kStep;

std::size_t looks_of(const Call& call) {
    std::size_t looks = 0;
    call([&] {
        ++looks;
        return false;
    });
    return looks;
}

// The call asks at least so often, and not again once it was told to stop.
void check_looks(const Call& call, std::size_t least) {
    const std::size_t all = looks_of(call);
    CHECK(all >= least);
    for (const std::size_t last : {std::size_t{1}, (all + 1) / 2}) {
        std::size_t looks = 0;
        CHECK_THROWS_AS(call([&] { return ++looks == last; }), Interruption);
        CHECK(looks == last);
    }
}

// For functions that take no Interrupted.
Call in_scope(std::function<void()> work) {
    return [work = std::move(work)](const Interrupted& interrupted) {
        const Interruptible scope(interrupted);
        work();
    };
}

std::vector<std::int64_t> shuffled(std::size_t n) {
    std::vector<std::int64_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(n));
    return numbers;
}

std::vector<double> values_of(std::span<const std::int64_t> numbers) {
    return {numbers.begin(), numbers.end()};
}

std::string repeated(std::string_view text, std::size_t bytes) {
    std::string all;
    while (all.size() < bytes) {
        all += text;
    }
    return all;
}

}  // namespace

TEST_CASE("steps cover everything once, in order") {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, kMany, kMany + 1}) {
        std::size_t covered = 0;
        for (const auto [begin, end] : detail::steps(n, 8)) {
            CHECK(begin == covered);
            CHECK(end > begin);
            CHECK(end - begin <= detail::kStep / 8);
            covered = end;
        }
        CHECK(covered == n);
    }
}

TEST_CASE("what is done in steps is what is done at once") {
    std::vector<std::int64_t> sorted = shuffled(kMany);
    detail::sort_in_steps(sorted.begin(), sorted.end(), std::less<>());
    CHECK(std::is_sorted(sorted.begin(), sorted.end()));
    std::vector<int> values(7, 1);
    detail::resize_in_steps(values, kMany, 2);
    CHECK(values.size() == kMany);
    CHECK(std::count(values.begin(), values.end(), 1) == 7);
    detail::assign_in_steps(values, kMany + 1, 3);
    CHECK(values == std::vector<int>(kMany + 1, 3));
    detail::fill_in_steps(std::span(values), 4);
    CHECK(values == std::vector<int>(kMany + 1, 4));
}

TEST_CASE("fusion asks within one query") {
    const auto one = shuffled(kMany);
    const std::vector<std::int64_t> other(one.rbegin(), one.rend());
    const std::vector<std::int64_t> offsets{0, std::ssize(one)};
    const std::vector<RankedLists> lists{{one, offsets}, {other, offsets}};
    for (const double second : {1.0, 0.7}) {
        const std::vector<double> weights{1.0, second};
        check_looks([&](const Interrupted& stop) { rrf({lists, weights, 60.0}, 1, stop); }, 20);
    }
}

TEST_CASE("ranks and metrics ask within one query") {
    const auto ids = shuffled(kMany);
    const auto scores = values_of(ids);
    const std::vector<std::int64_t> offsets{0, std::ssize(ids)};
    std::vector<std::int64_t> first(kMany);
    std::vector<std::int64_t> last(kMany);
    check_looks(
        [&](const Interrupted& stop) {
            ranks_in_lists({ids, offsets}, {ids, offsets}, first, 1, stop);
        },
        40);
    check_looks(
        [&](const Interrupted& stop) {
            tied_ranks_in_lists(first, offsets, {scores, offsets}, first, last, 1, stop);
        },
        6);
    check_looks(
        [&](const Interrupted& stop) {
            tied_ranks_by_score({scores, offsets}, {scores, offsets}, first, last, 1, stop);
        },
        40);
    const std::vector<double> discounts(kMany, 0.5);
    const std::vector<Measure> measures{{Metric::ndcg, std::ssize(ids)},
                                        {Metric::average_precision, 10}};
    std::vector<double> values(2);
    std::vector<std::int64_t> counts(2);
    check_looks(
        [&](const Interrupted& stop) {
            ranking_metrics(first, {scores, offsets}, measures, discounts, values,
                            std::span(counts).first(1), std::span(counts).last(1), 1, stop);
        },
        20);
    check_looks(in_scope([&] { exact_sum(scores); }), 3);
}

TEST_CASE("draws and resamples ask within one draw") {
    std::vector<std::uint64_t> keys(kMany);
    check_looks(in_scope([&] { draw_keys(1, 2, keys); }), 2);
    check_looks(in_scope([&] { draw_rows(1, 2, kMany, kMany / 2); }), 10);
    const std::vector<double> values(kMany, 1.0);
    std::vector<double> sums(1);
    check_looks(
        [&](const Interrupted& stop) { bootstrap_sums(values, kMany, 1, 1, 1, sums, 1, stop); },
        20);
}

TEST_CASE("one text is left within its words, whatever they are") {
    for (const std::string_view part : {"word ", ".", "a", "z\xC3\xBCrich ", "\xE6\x9D\xB1"}) {
        CAPTURE(part);
        const std::string text = repeated(part, kMany);
        TokenStream stream;
        const auto read = [&] { for_each_token(stream, text, [](std::string_view) {}); };
        check_looks(in_scope(read), 10);
        check_looks(in_scope([&] { nfkc_casefold(text); }), 3);
    }
    // Marks that have to be sorted: one piece for the normalisation.
    const std::string marks = "a" + repeated("\xCC\x81\xCC\xA3", 2 * kMany);
    TokenStream stream;
    check_looks(in_scope([&] { for_each_token(stream, marks, [](std::string_view) {}); }), 20);
    check_looks(in_scope([&] { nfkc_casefold(marks); }), 20);
}

TEST_CASE("a stream that was stopped reads the next text as a new one") {
    TokenStream stream;
    const std::string text = repeated("first ", kMany);
    const Call read = in_scope([&] { for_each_token(stream, text, [](std::string_view) {}); });
    CHECK_THROWS_AS(read([] { return true; }), Interruption);
    std::vector<std::string> words;
    for_each_token(stream, "second text", [&](std::string_view word) { words.emplace_back(word); });
    CHECK(words == std::vector<std::string>{"second", "text"});
}

TEST_CASE("an index is left within one document, and its builder says that it is of no more use") {
    std::string text;
    for (std::size_t i = 0; i < detail::kStep / 2; ++i) {
        text += std::to_string(i) + ' ';
    }
    const auto text_of = [&](std::size_t, std::string&) { return std::string_view(text); };
    check_looks([&](const Interrupted& stop) { BM25Builder({}).add_texts(1, text_of, 1, stop); },
                10);
    check_looks(
        [&](const Interrupted& stop) {
            BM25Builder builder({});
            builder.add_texts(1, text_of, 1, {});
            builder.finish({}, 1, stop);
        },
        10);
    BM25Builder builder({});
    CHECK_THROWS_AS(builder.add_texts(1, text_of, 1, [] { return true; }), Interruption);
    CHECK_THROWS_AS(builder.add_texts(1, text_of, 1, {}), std::logic_error);
    CHECK_THROWS_AS(builder.finish({}, 1, {}), std::logic_error);
}

TEST_CASE("a search is left within one query of many terms or many hits") {
    constexpr std::size_t kDocs = detail::kStep / 2;
    std::vector<std::string_view> tokens(kDocs, "word");
    std::vector<std::uint64_t> offsets(kDocs + 1);
    std::iota(offsets.begin(), offsets.end(), 0U);
    const BM25Index index = BM25Index::build({tokens, offsets}, {}, 1);
    const std::vector<std::string_view> query(kMany, "word");
    const std::vector<std::uint64_t> ends{0, query.size()};
    const std::vector<std::uint64_t> one{0, 1};
    const auto search = [&](const TokenLists& queries, std::size_t k) {
        return [&index, queries, k](const Interrupted& stop) {
            index.search({queries, k, {}, {}, {}}, {BM25Strategy::automatic, 1, stop});
        };
    };
    check_looks(search({query, ends}, 1), 100);
    check_looks(search({std::span(query).first(1), one}, kDocs), 8);
    std::vector<float> scores(kDocs);
    check_looks([&](const Interrupted& stop) { index.scores(query, scores, stop); }, 100);
}

TEST_CASE("a map, a clustering and sums ask within one block") {
    const std::size_t d = 16;
    const std::size_t outputs = kMany / d;
    const std::vector<float> vectors(outputs * d, 1.0F);
    for (const std::size_t rows : {std::size_t{1}, std::size_t{16}}) {
        const MatrixView x = testing::view_of(vectors, rows, d);
        std::vector<float> out(rows * outputs);
        check_looks(
            [&](const Interrupted& stop) { affine_map(x, vectors, {}, outputs, out, 1, stop); },
            rows / 2);
        std::vector<std::int64_t> labels(rows);
        check_looks(
            [&](const Interrupted& stop) {
                nearest(x, testing::view_of(vectors, outputs, d), labels,
                        std::span(out).first(rows), 1, stop);
            },
            3);
    }
    const std::vector<std::int64_t> labels(kMany, 0);
    const MatrixView column = testing::view_of(vectors, kMany, 1);
    std::vector<double> sums(kMany);
    std::vector<std::int64_t> counts(kMany);
    check_looks([&](const Interrupted& stop) { group_sums(column, labels, sums, counts, 1, stop); },
                10);
}

TEST_CASE("a walk whose picks need no similarities asks between them") {
    constexpr std::size_t kRows = 20'000;
    std::vector<float> pool(kRows);
    std::iota(pool.begin(), pool.end(), 1.0F);
    const MatrixView view = testing::view_of(pool, kRows, 1);
    const std::vector<double> lambdas{1.0};
    const std::size_t k = 1'000;
    check_looks(
        [&](const Interrupted& stop) {
            mmr({testing::view_of(pool, 1, 1), {&view, 1}, {}, {}, lambdas, k}, 1, stop);
        },
        kRows * k / detail::kStep);
}
