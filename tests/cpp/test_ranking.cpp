#include <algorithm>
#include <cfenv>
#include <cmath>
#include <numeric>

#include "gnomon/ranking.hpp"
#include "ranking/rank_table.hpp"
#include "support.hpp"

using gnomon::exact_sum;
using gnomon::Measure;
using gnomon::Metric;
using gnomon::PerQuery;
using gnomon::testing::kThreadCounts;
using gnomon::testing::same_bits;

namespace {

// Lists of random lengths in CSR form.
template <typename T>
struct Lists {
    std::vector<T> entries;
    std::vector<std::int64_t> offsets = {0};

    void add(const std::vector<T>& own) {
        entries.insert(entries.end(), own.begin(), own.end());
        offsets.push_back(static_cast<std::int64_t>(entries.size()));
    }
    PerQuery<T> view() const { return {entries, offsets}; }
};

std::vector<std::int64_t> some_of(std::size_t n, std::size_t size, std::mt19937_64& generator) {
    std::vector<std::int64_t> rows(n);
    std::iota(rows.begin(), rows.end(), -static_cast<std::int64_t>(n / 2));
    std::shuffle(rows.begin(), rows.end(), generator);
    rows.resize(size);
    return rows;
}

std::vector<double> log2_discounts(std::size_t n) {
    std::vector<double> discounts(n);
    for (std::size_t i = 0; i < n; ++i) {
        discounts[i] = 1.0 / std::log2(static_cast<double>(i) + 2.0);
    }
    return discounts;
}

}  // namespace

TEST_CASE("a sum is rounded once, in any order") {
    std::mt19937_64 generator(3);
    std::uniform_int_distribution<int> exponent(-900, 900);
    std::normal_distribution<double> normal;
    for (int round = 0; round < 200; ++round) {
        // Pairs that cancel leave the one term that stands alone.
        std::vector<double> terms = {std::ldexp(normal(generator), exponent(generator))};
        const double alone = terms[0];
        for (int i = 0; i < 40; ++i) {
            const double term = std::ldexp(normal(generator), exponent(generator));
            terms.insert(terms.end(), {term, -term});
        }
        std::shuffle(terms.begin(), terms.end(), generator);
        CHECK(exact_sum(terms) == alone);
    }
    CHECK(exact_sum({}) == 0.0);
}

TEST_CASE("a table serves queries of any length after each other") {
    std::mt19937_64 generator(5);
    gnomon::detail::RankTable table;
    table.reserve(3000);
    std::size_t query = 0;
    for (const std::size_t size : {0U, 1U, 300U, 512U, 513U, 3000U, 512U, 2U}) {
        const auto ids = some_of(4000, size, generator);
        table.begin(query++, size);
        for (std::size_t i = 0; i < size; ++i) {
            CHECK(table.add(ids[i], i + 1));
        }
        for (std::size_t i = 0; i < size; ++i) {
            CHECK(table.judge(ids[i]) == static_cast<std::int64_t>(i) + 1);
            CHECK(table.judge(ids[i]) == -1);
            CHECK_FALSE(table.add(ids[i], 1));
        }
    }
}

TEST_CASE("ranks are places in the list, at any thread count") {
    std::mt19937_64 generator(7);
    Lists<std::int64_t> lists;
    Lists<std::int64_t> judged;
    std::vector<std::int64_t> expected;
    for (int query = 0; query < 5000; ++query) {
        const auto own = some_of(200, generator() % 80, generator);
        const auto docs = some_of(200, generator() % 9, generator);
        lists.add(own);
        judged.add(docs);
        for (const std::int64_t doc : docs) {
            const auto at = std::find(own.begin(), own.end(), doc);
            expected.push_back(at == own.end() ? 0 : at - own.begin() + 1);
        }
    }
    for (const int threads : kThreadCounts) {
        std::vector<std::int64_t> ranks(expected.size(), -7);
        CHECK_FALSE(gnomon::ranks_in_lists(lists.view(), judged.view(), ranks, threads, {}));
        CHECK(ranks == expected);
    }
}

TEST_CASE("the first query with a repeated id is named at any thread count") {
    Lists<std::int64_t> lists;
    Lists<std::int64_t> judged;
    for (int query = 0; query < 20000; ++query) {
        lists.add({1, 2, query >= 11000 ? 1 : 3});
        judged.add(query >= 12000 ? std::vector<std::int64_t>{4, 4} : std::vector<std::int64_t>{});
    }
    std::vector<std::int64_t> ranks(judged.entries.size());
    for (const int threads : kThreadCounts) {
        const auto found = gnomon::ranks_in_lists(lists.view(), judged.view(), ranks, threads, {});
        REQUIRE(found.has_value());
        CHECK(found->query == 11000);
        CHECK(found->id == 1);
        CHECK_FALSE(found->judged);
    }
}

TEST_CASE("metrics follow their formulas") {
    // Relevant at ranks 2 and 5 of four relevant documents, one irrelevant at rank 1.
    const std::vector<std::int64_t> ranks = {5, 0, 1, 2, 0};
    const std::vector<double> gains = {3.0, 1.0, 0.0, 1.0, 2.0};
    const std::vector<std::int64_t> offsets = {0, 5};
    const auto discounts = log2_discounts(8);
    const auto d = [&](int rank) { return discounts[static_cast<std::size_t>(rank) - 1]; };
    const std::vector<Measure> measures = {{Metric::recall, 5},
                                           {Metric::recall, 4},
                                           {Metric::capped_recall, 3},
                                           {Metric::precision, 8},
                                           {Metric::reciprocal_rank, 1},
                                           {Metric::reciprocal_rank, 9},
                                           {Metric::average_precision, 5},
                                           {Metric::average_precision, 4},
                                           {Metric::ndcg, 8},
                                           {Metric::ndcg, 2}};
    const std::vector<double> expected = {0.5,
                                          0.25,
                                          1.0 / 3.0,
                                          0.25,
                                          0.0,
                                          0.5,
                                          (1.0 / 2 + 2.0 / 5) / 4,
                                          (1.0 / 2) / 4,
                                          (1.0 * d(2) + 3.0 * d(5)) /
                                              (3.0 * d(1) + 2.0 * d(2) + 1.0 * d(3) + 1.0 * d(4)),
                                          (1.0 * d(2)) / (3.0 * d(1) + 2.0 * d(2))};
    std::vector<double> values(measures.size());
    std::vector<std::int64_t> relevant(1);
    std::vector<std::int64_t> retrieved(1);
    gnomon::ranking_metrics(ranks, {gains, offsets}, measures, discounts, values, relevant,
                            retrieved, 1, {});
    for (std::size_t m = 0; m < measures.size(); ++m) {
        CAPTURE(m);
        CHECK(values[m] == doctest::Approx(expected[m]).epsilon(1e-15));
    }
    CHECK(relevant[0] == 4);
    CHECK(retrieved[0] == 2);
}

TEST_CASE("metrics and ties have the same bits at any thread count") {
    std::mt19937_64 generator(11);
    Lists<double> gains;
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> last;
    for (int query = 0; query < 9000; ++query) {
        std::vector<double> own(generator() % 30);
        for (double& gain : own) {
            gain = static_cast<double>(generator() % 4);
            const auto rank = static_cast<std::int64_t>(generator() % 50);
            first.push_back(rank);
            last.push_back(rank == 0 ? 0 : rank + 40);
        }
        gains.add(own);
    }
    const std::vector<Measure> measures = {{Metric::ndcg, 20}, {Metric::average_precision, 100}};
    const auto discounts = log2_discounts(100);
    const std::size_t cells = measures.size() * gains.view().queries();
    std::vector<double> values(cells);
    std::vector<std::uint8_t> tied(cells);
    for (const int threads : kThreadCounts) {
        std::vector<double> found(cells, -1.0);
        std::vector<std::uint8_t> marked(cells, 9);
        std::vector<std::int64_t> counts(gains.view().queries());
        std::vector<std::int64_t> ranked(counts);
        gnomon::ranking_metrics(first, gains.view(), measures, discounts, found, counts, ranked,
                                threads, {});
        gnomon::decided_by_ties(first, last, gains.view(), measures, discounts, marked, threads,
                                {});
        if (threads == 1) {
            values = found;
            tied = marked;
        }
        CHECK(same_bits(found, values));
        CHECK(marked == tied);
    }
    CHECK(std::count(tied.begin(), tied.end(), 1) > 0);
}

TEST_CASE("the rounding direction of the host reaches no result") {
    std::mt19937_64 generator(13);
    std::vector<std::int64_t> ranks(200);
    std::vector<double> gains(200);
    std::vector<std::int64_t> offsets;
    for (std::int64_t at = 0; at <= 200; at += 20) {
        offsets.push_back(at);
    }
    for (std::size_t j = 0; j < ranks.size(); ++j) {
        ranks[j] = static_cast<std::int64_t>(j % 20 + 1);
        gains[j] = j < 100 ? 1.0 : static_cast<double>(1 + generator() % 4);
    }
    const auto discounts = log2_discounts(32);
    const std::vector<Measure> measures = {{Metric::ndcg, 7}, {Metric::average_precision, 9}};
    const auto evaluated = [&] {
        std::vector<double> values(20);
        std::vector<std::int64_t> counts(10);
        gnomon::ranking_metrics(ranks, {gains, offsets}, measures, discounts, values, counts,
                                counts, 1, {});
        values.push_back(gnomon::exact_sum(discounts));
        values.push_back(gnomon::exact_mean(discounts));
        return values;
    };
    const auto expected = evaluated();
    for (const int direction : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(direction);
        const auto found = evaluated();
        std::fesetround(FE_TONEAREST);
        CHECK(same_bits(found, expected));
    }
}

TEST_CASE("arguments that don't fit are refused") {
    const std::vector<std::int64_t> ranks = {3};
    const std::vector<double> gains = {1.0};
    const std::vector<std::int64_t> offsets = {0, 1};
    std::vector<double> value(1);
    std::vector<std::int64_t> count(1);
    const auto run = [&](std::vector<std::int64_t> edges, Measure measure,
                         const std::vector<double>& discounts) {
        const std::vector<Measure> measures = {measure};
        gnomon::ranking_metrics(ranks, {gains, edges}, measures, discounts, value, count, count, 1,
                                {});
    };
    CHECK_NOTHROW(run({0, 1}, {Metric::ndcg, 2}, {1.0, 0.5}));
    CHECK_THROWS_AS(run({0, 1}, {Metric::ndcg, 3}, {1.0, 0.5}), std::invalid_argument);
    CHECK_THROWS_AS(run({0, 1}, {Metric::recall, 0}, {}), std::invalid_argument);
    CHECK_THROWS_AS(run({0, 2}, {Metric::recall, 1}, {}), std::invalid_argument);
    CHECK_THROWS_AS(run({1, 1}, {Metric::recall, 1}, {}), std::invalid_argument);
    // Two relevant documents can't share one place.
    const std::vector<std::int64_t> one = {1, 1};
    const std::vector<std::int64_t> two = {1, 2};
    const std::vector<double> both = {1.0, 1.0};
    const std::vector<std::int64_t> edges = {0, 2};
    const std::vector<Measure> recall = {{Metric::recall, 1}};
    std::vector<std::uint8_t> tied(1);
    CHECK_NOTHROW(gnomon::decided_by_ties(one, two, {both, edges}, recall, {}, tied, 1, {}));
    const std::vector<double> three = {1.0, 1.0, 1.0};
    const std::vector<std::int64_t> firsts = {1, 1, 1};
    const std::vector<std::int64_t> lasts = {2, 2, 2};
    const std::vector<std::int64_t> wide = {0, 3};
    CHECK_THROWS_AS(gnomon::decided_by_ties(firsts, lasts, {three, wide}, recall, {}, tied, 1, {}),
                    std::invalid_argument);
}
