// MMR on every instruction set and thread count against its sentence, with all cosines computed.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "gnomon/cosine.hpp"
#include "gnomon/mmr.hpp"
#include "mmr/cosine_row.hpp"
#include "mmr/matrix_walk.hpp"
#include "mmr/pool.hpp"
#include "score/score.hpp"
#include "support.hpp"

namespace {

using namespace gnomon;
using gnomon::testing::on_every_isa_and_thread_count;
using gnomon::testing::random_values;
using gnomon::testing::same_bits;
using gnomon::testing::view_of;

struct Problem {
    std::size_t d;
    std::vector<float> queries;
    std::vector<float> docs;
    std::vector<std::vector<std::int64_t>> pools;  // rows of docs, for each query
    std::vector<double> lambdas;
    std::size_t k;
};

float cosine_of(const float* a, const float* b, std::size_t d) {
    const auto dot = gnomon::testing::lane_dot;
    return detail::cosine(dot(a, b, d), std::sqrt(dot(a, a, d)), std::sqrt(dot(b, b, d)));
}

void pick_by_definition(const Problem& problem, std::size_t query, double lambda, HitLists& out) {
    const float* asked = &problem.queries[query * problem.d];
    const auto row = [&](std::int64_t id) {
        return &problem.docs[static_cast<std::size_t>(id) * problem.d];
    };
    std::vector<std::int64_t> left = problem.pools[query];
    std::sort(left.begin(), left.end());
    std::vector<std::int64_t> picked;
    while (picked.size() < problem.k && !left.empty()) {
        std::size_t best = 0;
        float best_rank = -2.0F;
        float best_score = 0.0F;
        for (std::size_t i = 0; i < left.size(); ++i) {
            const float relevance = cosine_of(asked, row(left[i]), problem.d);
            double score = lambda * static_cast<double>(relevance);
            float rank = relevance;
            if (!picked.empty()) {
                float penalty = -2.0F;
                for (const std::int64_t other : picked) {
                    penalty = std::max(penalty, cosine_of(row(left[i]), row(other), problem.d));
                }
                score -= (1.0 - lambda) * static_cast<double>(penalty);
                rank = static_cast<float>(score);
            }
            if (rank > best_rank) {
                best = i;
                best_rank = rank;
                best_score = static_cast<float>(score) + 0.0F;
            }
        }
        picked.push_back(left[best]);
        out.ids.push_back(left[best]);
        out.scores.push_back(best_score);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.ids.size()));
}

std::vector<HitLists> all_by_definition(const Problem& problem) {
    std::vector<HitLists> lists(problem.lambdas.size());
    for (std::size_t l = 0; l < lists.size(); ++l) {
        lists[l].offsets.assign(1, 0);
        for (std::size_t q = 0; q < problem.pools.size(); ++q) {
            pick_by_definition(problem, q, problem.lambdas[l], lists[l]);
        }
    }
    return lists;
}

std::vector<HitLists> run(const Problem& problem, const std::vector<double>& lambdas, Isa isa,
                          int threads) {
    std::vector<std::int64_t> offsets(1, 0);
    std::vector<std::int64_t> rows;
    for (const auto& pool : problem.pools) {
        rows.insert(rows.end(), pool.begin(), pool.end());
        offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
    const MatrixView docs = view_of(problem.docs, problem.docs.size() / problem.d, problem.d);
    const MmrRequest request{view_of(problem.queries, problem.pools.size(), problem.d),
                             {&docs, 1},
                             offsets,
                             rows,
                             lambdas,
                             problem.k};
    return mmr(request, isa, threads, {});
}

void check(const HitLists& found, const HitLists& expected) {
    CHECK(found.offsets == expected.offsets);
    CHECK(found.ids == expected.ids);
    CHECK(same_bits(found.scores, expected.scores));
}

void check_everywhere(const Problem& problem) {
    const std::vector<HitLists> expected = all_by_definition(problem);
    on_every_isa_and_thread_count([&](Isa isa, int threads) {
        const std::vector<HitLists> grid = run(problem, problem.lambdas, isa, threads);
        for (std::size_t l = 0; l < expected.size(); ++l) {
            CAPTURE(problem.lambdas[l]);
            check(grid[l], expected[l]);
            check(run(problem, {problem.lambdas[l]}, isa, threads)[0], expected[l]);
        }
    });
}

Problem problem_of(std::size_t queries, std::size_t docs, std::size_t d, std::size_t k,
                   unsigned seed) {
    Problem made{d, random_values(queries * d, seed), random_values(docs * d, seed + 1), {}, {}, k};
    made.lambdas = {0.0, 0.5, 0.7, 1.0};
    std::mt19937 generator(seed + 2);
    std::vector<std::int64_t> rows(docs);
    std::iota(rows.begin(), rows.end(), 0);
    for (std::size_t q = 0; q < queries; ++q) {
        std::shuffle(rows.begin(), rows.end(), generator);
        const auto size = static_cast<std::ptrdiff_t>(docs * q / queries);
        made.pools.emplace_back(rows.begin(), rows.begin() + size);
    }
    return made;
}

}  // namespace

TEST_CASE("picks are those of the definition, whatever the width of a row") {
    for (const std::size_t d : {1U, 7U, 8U, 31U, 32U, 33U, 64U, 100U}) {
        CAPTURE(d);
        check_everywhere(problem_of(4, 40, d, 12, static_cast<unsigned>(d)));
    }
}

TEST_CASE("pools on both sides of where a matrix pays give the definition's picks") {
    check_everywhere(problem_of(3, 200, 24, 40, 11));
    Problem grid = problem_of(2, 140, 24, 9, 12);
    grid.lambdas = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
    CHECK(detail::pays_for_matrix(64, grid.lambdas.size(), grid.k));
    check_everywhere(grid);
}

TEST_CASE("equal rows, neighbouring floats and zeros fall by the lowest row") {
    Problem problem = problem_of(3, 60, 16, 60, 13);
    for (std::size_t row = 0; row < 60; ++row) {
        float* values = &problem.docs[row * 16];
        if (row % 3 == 0) {
            std::fill_n(values, 16, 0.0F);
        } else {
            std::copy_n(&problem.docs[16], 16, values);
            values[3] = row % 2 == 0 ? std::nextafter(values[3], 9.0F) : values[3];
        }
    }
    check_everywhere(problem);
    std::fill(problem.queries.begin(), problem.queries.end(), 0.0F);
    check_everywhere(problem);
}

TEST_CASE("rows of any magnitude are compared as exactly as all others") {
    Problem problem = problem_of(3, 50, 20, 20, 14);
    for (std::size_t row = 0; row < 50; ++row) {
        for (std::size_t i = 0; i < 20; ++i) {
            float& value = problem.docs[row * 20 + i];
            value = std::ldexp(value, static_cast<int>(row * 97 % 230) - 120);
        }
    }
    check_everywhere(problem);
}

TEST_CASE("the cheap cosines keep within their stated error") {
    const std::size_t d = 384;
    const std::size_t n = 60;
    std::vector<float> rows = random_values(n * d, 22);
    std::vector<float> query(rows.begin(), rows.begin() + d);  // so that member 0 is in front
    query[5] += 2.0F;
    for (std::size_t i = 0; i < d; ++i) {
        rows[d + i] = rows[i] * 3.0F;  // a cosine of 1
    }
    const MatrixView view = view_of(rows, n, d);
    std::vector<std::uint32_t> others(n);
    std::iota(others.begin(), others.end(), 0U);
    std::vector<float> cheap(n);
    for (const Isa isa : runnable_isas()) {
        CAPTURE(isa_name(isa));
        detail::Pool pool(isa, d);
        detail::Meter meter;
        REQUIRE(pool.load_query(view_of(query, 1, d), 0));
        pool.load_rows({&view, {}, true});
        REQUIRE(pool.measure(true, meter));
        CHECK(pool.error() > 0.0F);
        CHECK(pool.error() < 1e-4F);
        REQUIRE(pool.similarities_to_front().size() == n);
        for (std::size_t a = 0; a < n; ++a) {
            CHECK(std::fabs(pool.cheap_relevances()[a] - pool.relevance(a)) <= pool.error());
            pool.cheap_similarities(a, others, cheap.data());
            for (std::size_t b = 0; b < n; ++b) {
                CHECK(std::fabs(cheap[b] - pool.similarity(a, b)) <= pool.error());
            }
            CHECK(std::fabs(pool.similarities_to_front()[a] - pool.similarity(a, 0)) <=
                  pool.error());
        }
    }
}

TEST_CASE("own pools of any dtype and stride are picked as float rows are") {
    const std::size_t d = 37;
    std::vector<std::int8_t> bytes(2 * 30 * d * 2);
    std::vector<float> floats(30 * d);
    std::mt19937 generator(23);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::int8_t>(generator());
    }
    const auto step = static_cast<std::ptrdiff_t>(2 * d);
    const MatrixView strided{bytes.data(), 30, d, 2 * step, 2, Dtype::i8};
    for (std::size_t row = 0; row < 30; ++row) {
        for (std::size_t i = 0; i < d; ++i) {
            floats[row * d + i] = bytes[row * 4 * d + 2 * i];
        }
    }
    const std::vector<float> queries = random_values(2 * d, 24);
    const MatrixView plain = view_of(floats, 30, d);
    const std::vector<double> lambdas{0.4};
    const auto picks = [&](const std::vector<MatrixView>& pools, Isa isa, int threads) {
        return mmr({view_of(queries, 2, d), pools, {}, {}, lambdas, 30}, isa, threads, {})[0];
    };
    const HitLists expected = picks({plain, plain}, Isa::scalar, 1);
    on_every_isa_and_thread_count([&](Isa isa, int threads) {
        check(picks({strided, plain}, isa, threads), expected);
        check(picks({strided}, isa, threads), expected);
    });
}

TEST_CASE("lambda 1 gives the hits of the top k") {
    const std::vector<float> queries = random_values(3 * 12, 25);
    const std::vector<float> docs = random_values(90 * 12, 26);
    const MatrixView view = view_of(docs, 90, 12);
    const SearchRequest asked{view_of(queries, 3, 12), 15, {}, {}, {}};
    const std::vector<double> lambdas{1.0};
    on_every_isa_and_thread_count([&](Isa isa, int threads) {
        SearchOptions options;
        options.threads = threads;
        const HitLists plain = cosine_top_k(view, {&asked, 1}, options).lists[0];
        check(mmr({asked.queries, {&view, 1}, {}, {}, lambdas, 15}, isa, threads, {})[0], plain);
    });
}

TEST_CASE("rows that aren't finite are refused by name, the lowest first, on any thread count") {
    std::vector<float> docs = random_values(40 * 5, 27);
    docs[7 * 5 + 2] = std::numeric_limits<float>::quiet_NaN();
    docs[5 * 5 + 2] = std::numeric_limits<float>::infinity();
    const std::vector<float> queries = random_values(4 * 5, 28);
    const MatrixView view = view_of(docs, 40, 5);
    const std::vector<double> lambdas{0.5};
    const std::vector<std::int64_t> offsets{0, 2, 4, 6, 8};
    const std::vector<std::int64_t> rows{0, 1, 9, 7, 5, 3, 2, 4};
    const std::vector<std::int64_t> clean{0, 1, 9, 8, 6, 3, 2, 4};
    on_every_isa_and_thread_count([&](Isa isa, int threads) {
        const auto call = [&](std::span<const std::int64_t> members) {
            return mmr({view_of(queries, 4, 5), {&view, 1}, offsets, members, lambdas, 2}, isa,
                       threads, {});
        };
        CHECK_NOTHROW(call(clean));
        CHECK_THROWS_WITH_AS(call(rows), "pool: row 5 holds NaN or infinity", NonFiniteError);
    });
}

TEST_CASE("requests that don't fit are refused") {
    const std::vector<float> x = random_values(20, 29);
    const MatrixView view = view_of(x, 4, 5);
    const MatrixView narrow = view_of(x, 5, 4);
    const std::vector<double> half{0.5};
    const auto call = [&](std::vector<MatrixView> pools, std::vector<std::int64_t> offsets,
                          std::vector<std::int64_t> rows, std::vector<double> lambdas,
                          std::size_t k) {
        return mmr({view, pools, offsets, rows, lambdas, k}, 1, {});
    };
    CHECK_NOTHROW(call({view}, {0, 1, 2, 3, 4}, {0, 1, 2, 3}, half, 1));
    CHECK_THROWS_AS(call({view}, {}, {}, half, 0), std::invalid_argument);
    CHECK_THROWS_AS(call({view}, {}, {}, {1.1}, 1), std::invalid_argument);
    CHECK_THROWS_AS(call({view}, {}, {}, {std::nan("")}, 1), std::invalid_argument);
    CHECK_THROWS_AS(call({narrow}, {}, {}, half, 1), std::invalid_argument);
    CHECK_THROWS_AS(call({view, view}, {}, {}, half, 1), std::invalid_argument);
    CHECK_THROWS_AS(call({view}, {0, 1, 2, 3}, {0, 1, 2}, half, 1), std::invalid_argument);
    CHECK_THROWS_AS(call({view}, {0, 2, 1, 3, 4}, {0, 1, 2, 3}, half, 1), std::invalid_argument);
    CHECK_THROWS_AS(call({view}, {0, 1, 2, 3, 4}, {0, 1, 2, 4}, half, 1), std::invalid_argument);
    CHECK_THROWS_AS(call({view}, {0, 1, 2, 3, 4}, {0, 1, 2, -1}, half, 1), std::invalid_argument);
    CHECK_THROWS_AS(call({view}, {0, 1, 2, 2, 4}, {0, 1, 3, 3}, half, 1), std::invalid_argument);
}

TEST_CASE("a caller can stop in the middle of one large pool") {
    const std::size_t d = 64;
    const std::vector<float> row(d, 1.0F);
    MatrixView view = view_of(row, 600'000, d);
    view.row_stride = 0;  // the same row again and again
    const std::vector<double> lambdas{0.5};
    int asked = 0;
    CHECK_THROWS_AS(mmr({view_of(row, 1, d), {&view, 1}, {}, {}, lambdas, 100}, 1,
                        [&] { return ++asked == 2; }),
                    Interruption);
    CHECK(asked == 2);
}

TEST_CASE("a row of cosines has the bits of single ones") {
    constexpr double kTiny = 0x1p-149;
    // Zero vectors, a quotient that rounds to beyond 1 and below -1, a product that is denormal in
    // float32, and -0.
    const std::vector<double> dots{0.0, 0.0,  1.5,       -1.5,   4.000001, -4.000001,
                                   1.0, -0.0, kTiny * 2, 0x1p90, -3.0};
    const std::vector<double> norms{0.0, 2.0, 0x1p60, 2.0, 2.0, 2.0, 3.0, 1.0, kTiny, 0x1p100, 1.7};
    for (const Isa isa : runnable_isas()) {
        CAPTURE(isa_name(isa));
        for (const double norm : {0.0, 2.0, 0.3, kTiny}) {
            for (std::size_t n = 0; n <= dots.size(); ++n) {
                std::vector<float> found(n);
                detail::cosine_row(isa)(dots.data(), norm, norms.data(), n, found.data());
                for (std::size_t i = 0; i < n; ++i) {
                    const float expected = detail::cosine(dots[i], norm, norms[i]);
                    CHECK(std::bit_cast<std::uint32_t>(found[i]) ==
                          std::bit_cast<std::uint32_t>(expected));
                }
            }
        }
    }
}
