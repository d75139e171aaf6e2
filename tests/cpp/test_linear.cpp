#include <algorithm>
#include <limits>
#include <numeric>

#include "gnomon/linear.hpp"
#include "support.hpp"

using gnomon::Isa;
using gnomon::MatrixView;
using gnomon::testing::lane_dot;
using gnomon::testing::on_every_isa_and_thread_count;
using gnomon::testing::random_values;
using gnomon::testing::same_bits;
using gnomon::testing::view_of;

namespace {

constexpr std::size_t kRows = 211;

float cosine_by_definition(const float* a, const float* b, std::size_t d) {
    const double norms = std::sqrt(lane_dot(a, a, d)) * std::sqrt(lane_dot(b, b, d));
    if (norms == 0.0) {
        return 0.0F;
    }
    return std::clamp(static_cast<float>(lane_dot(a, b, d) / norms), -1.0F, 1.0F) + 0.0F;
}

// Random rows, the third of them zero.
std::vector<float> rows_with_a_zero(std::size_t rows, std::size_t d, unsigned seed) {
    std::vector<float> values = random_values(rows * d, seed);
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(2 * d), d, 0.0F);
    return values;
}

}  // namespace

TEST_CASE("norms are square roots of lane sums") {
    for (const std::size_t d : {1U, 31U, 384U}) {
        const std::vector<float> values = rows_with_a_zero(kRows, d, 3);
        std::vector<double> expected(kRows);
        for (std::size_t row = 0; row < kRows; ++row) {
            expected[row] = std::sqrt(lane_dot(&values[row * d], &values[row * d], d));
        }
        on_every_isa_and_thread_count([&](Isa, int threads) {
            std::vector<double> found(kRows);
            gnomon::norms(view_of(values, kRows, d), found, threads, {});
            CHECK(same_bits(found, expected));
        });
    }
}

TEST_CASE("normalised values are quotients rounded once, and a zero row stays zero") {
    for (const std::size_t d : {1U, 33U, 384U}) {
        const std::vector<float> values = rows_with_a_zero(kRows, d, 4);
        std::vector<float> expected(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const float* row = &values[i / d * d];
            const double norm = std::sqrt(lane_dot(row, row, d));
            expected[i] =
                norm == 0.0 ? 0.0F : static_cast<float>(static_cast<double>(values[i]) / norm);
        }
        on_every_isa_and_thread_count([&](Isa, int threads) {
            std::vector<float> found(values.size());
            gnomon::normalize(view_of(values, kRows, d), found, threads, {});
            CHECK(same_bits(found, expected));
        });
    }
}

TEST_CASE("a subnormal vector is normalised like any other") {
    const std::vector<float> values{3.0F * std::numeric_limits<float>::denorm_min(),
                                    4.0F * std::numeric_limits<float>::denorm_min()};
    std::vector<float> found(2);
    gnomon::normalize(view_of(values, 1, 2), found, 1, {});
    CHECK(found[0] == 0.6F);
    CHECK(found[1] == 0.8F);
}

TEST_CASE("pair scores are the cosines of the pairs, for ragged queries and empty ones") {
    const std::size_t d = 45;
    const std::vector<float> queries = rows_with_a_zero(5, d, 5);
    const std::vector<float> docs = rows_with_a_zero(kRows, d, 6);
    const std::vector<std::int64_t> offsets{0, 0, 700, 1400, 1400, 10'000};
    std::vector<std::int64_t> ids(10'000);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        ids[i] = static_cast<std::int64_t>(i * 37 % kRows);
    }
    std::vector<float> expected(ids.size());
    for (std::size_t q = 0; q < 5; ++q) {
        for (auto p = static_cast<std::size_t>(offsets[q]);
             p < static_cast<std::size_t>(offsets[q + 1]); ++p) {
            expected[p] = cosine_by_definition(&queries[q * d],
                                               &docs[static_cast<std::size_t>(ids[p]) * d], d);
        }
    }
    on_every_isa_and_thread_count([&](Isa, int threads) {
        std::vector<float> found(ids.size());
        const auto bad = gnomon::pair_scores(view_of(queries, 5, d), view_of(docs, kRows, d), ids,
                                             offsets, found, threads, {});
        CHECK_FALSE(bad.has_value());
        CHECK(same_bits(found, expected));
    });
}

TEST_CASE("the nearest centroid has the greatest cosine, the lowest of equals") {
    for (const std::size_t d : {1U, 33U, 100U}) {
        for (const std::size_t count : {1U, 5U, 13U}) {
            const std::vector<float> x = rows_with_a_zero(kRows, d, 7);
            std::vector<float> centroids = random_values(count * d, 8);
            // The last repeats the first, so that it can never be the nearest.
            std::copy_n(centroids.begin(), d, centroids.end() - static_cast<std::ptrdiff_t>(d));
            std::vector<std::int64_t> expected(kRows, 0);
            std::vector<float> expected_scores(kRows);
            for (std::size_t row = 0; row < kRows; ++row) {
                for (std::size_t c = 0; c < count; ++c) {
                    const float score = cosine_by_definition(&x[row * d], &centroids[c * d], d);
                    if (c == 0 || score > expected_scores[row]) {
                        expected[row] = static_cast<std::int64_t>(c);
                        expected_scores[row] = score;
                    }
                }
            }
            on_every_isa_and_thread_count([&](Isa, int threads) {
                std::vector<std::int64_t> labels(kRows);
                std::vector<float> scores(kRows);
                gnomon::nearest(view_of(x, kRows, d), view_of(centroids, count, d), labels, scores,
                                threads, {});
                CHECK(labels == expected);
                CHECK(same_bits(scores, expected_scores));
            });
        }
    }
}

TEST_CASE("without centroids there is no label, and widths and lengths must fit") {
    const std::vector<float> x(6, 1.0F);
    std::vector<std::int64_t> labels(3);
    std::vector<float> scores(3);
    gnomon::nearest(view_of(x, 3, 2), view_of({}, 0, 2), labels, scores, 1, {});
    CHECK(labels == std::vector<std::int64_t>(3, -1));
    CHECK_THROWS_AS(gnomon::nearest(view_of(x, 3, 2), view_of(x, 2, 3), labels, scores, 1, {}),
                    std::invalid_argument);
    CHECK_THROWS_AS(gnomon::nearest(view_of(x, 2, 3), view_of(x, 2, 3), labels, scores, 1, {}),
                    std::invalid_argument);
}

TEST_CASE("pair scores report the lowest row that isn't finite among those they read") {
    std::vector<float> docs(40, 1.0F);
    docs[2 * 4] = std::numeric_limits<float>::quiet_NaN();
    docs[7 * 4 + 1] = std::numeric_limits<float>::infinity();
    docs[9 * 4 + 3] = -std::numeric_limits<float>::infinity();
    const std::vector<float> query(4, 0.0F);
    const std::vector<std::int64_t> ids{9, 0, 7, 1};
    const std::vector<std::int64_t> offsets{0, 4};
    std::vector<float> out(4);
    for (const int threads : gnomon::testing::kThreadCounts) {
        const auto bad = gnomon::pair_scores(view_of(query, 1, 4), view_of(docs, 10, 4), ids,
                                             offsets, out, threads, {});
        CHECK(bad == 7);
        // With more pairs than documents the norms are computed beforehand, of named rows only.
        const std::vector<std::int64_t> many{9, 0, 7, 1, 9, 0, 7, 1, 9, 0, 7, 1};
        const std::vector<std::int64_t> to_all{0, 12};
        std::vector<float> scores(12);
        CHECK(gnomon::pair_scores(view_of(query, 1, 4), view_of(docs, 10, 4), many, to_all, scores,
                                  threads, {}) == 7);
    }
}

TEST_CASE("pair scores refuse ids and offsets that don't fit") {
    const std::vector<float> x(8, 1.0F);
    const MatrixView view = view_of(x, 2, 4);
    std::vector<float> out(1);
    const auto call = [&](std::vector<std::int64_t> ids, std::vector<std::int64_t> offsets) {
        gnomon::pair_scores(view, view, ids, offsets, out, 1, {});
    };
    CHECK_NOTHROW(call({1}, {0, 0, 1}));
    CHECK_THROWS_AS(call({2}, {0, 0, 1}), std::invalid_argument);
    CHECK_THROWS_AS(call({-1}, {0, 0, 1}), std::invalid_argument);
    CHECK_THROWS_AS(call({1}, {0, 1}), std::invalid_argument);
    CHECK_THROWS_AS(call({1}, {0, 2, 1}), std::invalid_argument);
    CHECK_THROWS_AS(call({1}, {0, 0, 2}), std::invalid_argument);
    CHECK_THROWS_AS(call({1}, {1, 1, 1}), std::invalid_argument);
    CHECK_THROWS_AS(call({1, 1}, {0, 0, 2}), std::invalid_argument);
}

TEST_CASE("group sums add in float64 and in the order of the rows") {
    for (const std::size_t d : {1U, 63U, 64U, 200U}) {
        const std::vector<float> values = random_values(kRows * d, 8);
        std::vector<std::int64_t> labels(kRows);
        std::vector<double> expected_sums(7 * d, 0.0);
        std::vector<std::int64_t> expected_counts(7, 0);
        for (std::size_t row = 0; row < kRows; ++row) {
            labels[row] = static_cast<std::int64_t>(row * row % 6);  // group 6 stays empty
            const auto group = static_cast<std::size_t>(labels[row]);
            ++expected_counts[group];
            for (std::size_t i = 0; i < d; ++i) {
                expected_sums[group * d + i] += static_cast<double>(values[row * d + i]);
            }
        }
        on_every_isa_and_thread_count([&](Isa, int threads) {
            std::vector<double> sums(7 * d, -1.0);
            std::vector<std::int64_t> counts(7, -1);
            gnomon::group_sums(view_of(values, kRows, d), labels, sums, counts, threads, {});
            CHECK(same_bits(sums, expected_sums));
            CHECK(same_bits(counts, expected_counts));
        });
    }
}

TEST_CASE("group sums refuse a label out of range") {
    const std::vector<float> x(3, 1.0F);
    std::vector<double> sums(2);
    std::vector<std::int64_t> counts(2);
    for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{2}}) {
        const std::vector<std::int64_t> labels{0, wrong, 1};
        CHECK_THROWS_WITH_AS(gnomon::group_sums(view_of(x, 3, 1), labels, sums, counts, 1, {}),
                             doctest::Contains("of row 1 is not one of the 2 groups"),
                             std::invalid_argument);
    }
}

TEST_CASE("empty matrices give empty results") {
    const std::vector<float> nothing;
    std::vector<double> no_norms;
    std::vector<float> no_rows;
    gnomon::norms(view_of(nothing, 0, 5), no_norms, 2, {});
    gnomon::normalize(view_of(nothing, 0, 5), no_rows, 2, {});
    std::vector<double> norms_without_columns(3, -1.0);
    gnomon::norms(view_of(nothing, 3, 0), norms_without_columns, 2, {});
    CHECK(norms_without_columns == std::vector<double>(3, 0.0));
    CHECK_FALSE(gnomon::first_nonfinite_row(view_of(nothing, 0, 5), 2, {}).has_value());
}

TEST_CASE("outputs of the wrong length are refused") {
    const std::vector<float> x(6, 1.0F);
    std::vector<double> short_norms(2);
    std::vector<float> short_rows(5);
    CHECK_THROWS_AS(gnomon::norms(view_of(x, 3, 2), short_norms, 1, {}), std::invalid_argument);
    CHECK_THROWS_AS(gnomon::normalize(view_of(x, 3, 2), short_rows, 1, {}), std::invalid_argument);
}
