// Rank fusion on every thread count against its sentence.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "gnomon/rrf.hpp"
#include "support.hpp"

namespace {

using namespace gnomon;
using gnomon::testing::on_every_isa_and_thread_count;
using gnomon::testing::same_bits;

struct Lists {
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> offsets{0};
};

HitLists fused_by_definition(const std::vector<Lists>& lists, const std::vector<double>& weights,
                             double k, std::size_t top) {
    HitLists out;
    out.offsets.assign(1, 0);
    for (std::size_t q = 0; q + 1 < lists[0].offsets.size(); ++q) {
        std::map<std::int64_t, std::vector<double>> terms;
        std::map<std::int64_t, std::size_t> best;
        for (std::size_t l = 0; l < lists.size(); ++l) {
            std::vector<std::int64_t> distinct;
            for (auto i = lists[l].offsets[q]; i < lists[l].offsets[q + 1]; ++i) {
                const std::int64_t id = lists[l].ids[static_cast<std::size_t>(i)];
                if (weights[l] == 0.0 ||
                    std::find(distinct.begin(), distinct.end(), id) != distinct.end()) {
                    continue;
                }
                distinct.push_back(id);
                terms[id].push_back(weights[l] / (k + static_cast<double>(distinct.size())));
                const auto known = best.emplace(id, distinct.size()).first;
                known->second = std::min(known->second, distinct.size());
            }
        }
        std::vector<std::tuple<float, std::size_t, std::int64_t>> order;
        for (auto& [id, parts] : terms) {
            std::sort(parts.begin(), parts.end(), std::greater<>());
            double sum = 0.0;
            for (const double part : parts) {
                sum += part;
            }
            order.emplace_back(-static_cast<float>(sum), best[id], id);
        }
        std::sort(order.begin(), order.end());
        order.resize(std::min(order.size(), top));
        for (const auto& [score, rank, id] : order) {
            out.ids.push_back(id);
            out.scores.push_back(-score);
        }
        out.offsets.push_back(static_cast<std::int64_t>(out.ids.size()));
    }
    return out;
}

std::vector<RankedLists> views_of(const std::vector<Lists>& lists) {
    std::vector<RankedLists> views;
    for (const Lists& list : lists) {
        views.push_back({list.ids, list.offsets});
    }
    return views;
}

std::vector<Lists> random_lists(std::size_t n, std::size_t queries, std::int64_t ids,
                                std::size_t longest, unsigned seed) {
    std::mt19937_64 generator(seed);
    std::vector<Lists> lists(n);
    for (Lists& list : lists) {
        for (std::size_t q = 0; q < queries; ++q) {
            for (std::size_t i = generator() % (longest + 1); i > 0; --i) {
                list.ids.push_back(
                    static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(ids)) -
                    ids / 2);
            }
            list.offsets.push_back(static_cast<std::int64_t>(list.ids.size()));
        }
    }
    return lists;
}

void check_everywhere(const std::vector<Lists>& lists, const std::vector<double>& weights, double k,
                      std::size_t top) {
    const HitLists expected = fused_by_definition(lists, weights, k, top);
    const std::vector<RankedLists> views = views_of(lists);
    on_every_isa_and_thread_count([&](Isa isa, int threads) {
        const HitLists found = rrf({views, weights, k, top}, isa, threads, {});
        CHECK(found.offsets == expected.offsets);
        CHECK(found.ids == expected.ids);
        CHECK(same_bits(found.scores, expected.scores));
    });
}

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

}  // namespace

TEST_CASE("fusion is the definition for equal and different weights") {
    for (const double k : {0.0, 1.0, 60.0, 1e7}) {
        CAPTURE(k);
        check_everywhere(random_lists(1, 5, 50, 30, 1), {2.0}, k, kAll);
        check_everywhere(random_lists(2, 60, 200, 120, 2), {1.0, 1.0}, k, kAll);
        check_everywhere(random_lists(3, 40, 300, 200, 3), {1.0, 2.0, 0.5}, k, kAll);
        check_everywhere(random_lists(5, 30, 40, 60, 4), {0.3, 0.0, 0.3, 1e-9, 0.1}, k, 7);
        check_everywhere(random_lists(90, 3, 40, 60, 5), std::vector<double>(90, 0.01), k, kAll);
    }
}

TEST_CASE("terms that differ but round to one score are ordered by rank, then id") {
    std::vector<Lists> lists(2);
    for (std::int64_t i = 0; i < 400; ++i) {
        lists[0].ids.push_back(1000 - i);
        lists[1].ids.push_back(3000 - i);
    }
    lists[0].offsets.push_back(400);
    lists[1].offsets.push_back(400);
    check_everywhere(lists, {1.0, 1.0 + 1e-15}, 1e12, kAll);
    check_everywhere(lists, {1.0, 2.0}, 60.0, kAll);
}

TEST_CASE("the order of the lists changes nothing") {
    std::vector<Lists> lists = random_lists(4, 20, 60, 50, 6);
    std::vector<double> weights{0.1, 0.7, 0.3, 0.1};
    const HitLists first = rrf({views_of(lists), weights, 60.0, kAll}, 1, {});
    std::reverse(lists.begin(), lists.end());
    std::reverse(weights.begin(), weights.end());
    const HitLists second = rrf({views_of(lists), weights, 60.0, kAll}, 1, {});
    CHECK(first.ids == second.ids);
    CHECK(same_bits(first.scores, second.scores));
}

TEST_CASE("extreme ids are ids like any other") {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::vector<Lists> lists{{{kMost, kLeast, 0, -1}, {0, 4}}, {{-1, kLeast}, {0, 2}}};
    check_everywhere(lists, {1.0, 1.0}, 60.0, kAll);
    check_everywhere({{{kMost}, {0, 1}}}, {1.0}, 60.0, kAll);
}

TEST_CASE("lists without queries and queries without ids give no hits") {
    CHECK(rrf({views_of({Lists{}}), std::vector<double>{1.0}}, 1, {}).offsets ==
          std::vector<std::int64_t>{0});
    const std::vector<Lists> empty{{{}, {0, 0, 0}}, {{}, {0, 0, 0}}};
    CHECK(rrf({views_of(empty), std::vector<double>{1.0, 1.0}}, 2, {}).offsets ==
          std::vector<std::int64_t>{0, 0, 0});
}

TEST_CASE("requests that don't fit are refused") {
    const std::vector<Lists> lists{{{1, 2}, {0, 1, 2}}, {{3}, {0, 0, 1}}};
    const std::vector<Lists> short_list{{{1, 2}, {0, 1, 2}}, {{3}, {0, 1}}};
    const std::vector<Lists> falling{{{1, 2}, {0, 2, 1}}, {{3}, {0, 0, 1}}};
    const auto call = [](const std::vector<Lists>& given, std::vector<double> weights, double k) {
        return rrf({views_of(given), weights, k, kAll}, 1, {});
    };
    const double nan = std::nan("");
    CHECK_NOTHROW(call(lists, {1.0, 0.0}, 60.0));
    CHECK_THROWS_AS(call({}, {}, 60.0), std::invalid_argument);
    CHECK_THROWS_AS(call(short_list, {1.0, 1.0}, 60.0), std::invalid_argument);
    CHECK_THROWS_AS(call(falling, {1.0, 1.0}, 60.0), std::invalid_argument);
    CHECK_THROWS_AS(call(lists, {1.0}, 60.0), std::invalid_argument);
    CHECK_THROWS_AS(call(lists, {0.0, 0.0}, 60.0), std::invalid_argument);
    CHECK_THROWS_AS(call(lists, {1.0, -1.0}, 60.0), std::invalid_argument);
    CHECK_THROWS_AS(call(lists, {1.0, nan}, 60.0), std::invalid_argument);
    CHECK_THROWS_AS(call(lists, {1.0, 1e300}, 60.0), std::invalid_argument);
    CHECK_THROWS_AS(call(lists, {1.0, 1.0}, -1.0), std::invalid_argument);
    CHECK_THROWS_AS(call(lists, {1.0, 1.0}, nan), std::invalid_argument);
}
