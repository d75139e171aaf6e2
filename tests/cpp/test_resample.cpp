#include <algorithm>

#include "gnomon/resample.hpp"
#include "support.hpp"

using gnomon::draw_keys;
using gnomon::draw_rows;
using gnomon::draw_rows_among;
using gnomon::KeyStream;
using gnomon::kGolden;
using gnomon::mix;
using gnomon::testing::same_bits;

namespace {

// The rows by a full sort of all keys.
std::vector<std::int64_t> draw_by_sorting(std::uint64_t seed, std::uint64_t purpose,
                                          std::vector<std::int64_t> rows, std::size_t size) {
    const KeyStream key(seed, purpose);
    std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
        const auto key_a = key(static_cast<std::uint64_t>(a));
        const auto key_b = key(static_cast<std::uint64_t>(b));
        return key_a != key_b ? key_a < key_b : a < b;
    });
    rows.resize(std::min(size, rows.size()));
    return rows;
}

std::vector<std::int64_t> numbers_below(std::size_t n, std::int64_t step = 1) {
    std::vector<std::int64_t> rows;
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(n); row += step) {
        rows.push_back(row);
    }
    return rows;
}

}  // namespace

TEST_CASE("the finaliser gives the published outputs of splitmix64") {
    // The first outputs for the seeds 1234567 and 0, as in the test vectors that accompany ports of
    // the generator.
    constexpr std::uint64_t kFrom1234567[] = {6457827717110365317U, 3203168211198807973U,
                                              9817491932198370423U, 4593380528125082431U,
                                              16408922859458223821U};
    constexpr std::uint64_t kFrom0[] = {0xE220A8397B1DCDAFU, 0x6E789E6AA1B965F4U,
                                        0x06C45D188009454FU, 0xF88BB8A8724C81ECU};
    std::uint64_t state = 1234567;
    for (const std::uint64_t expected : kFrom1234567) {
        state += kGolden;
        CHECK(mix(state) == expected);
    }
    state = 0;
    for (const std::uint64_t expected : kFrom0) {
        state += kGolden;
        CHECK(mix(state) == expected);
    }
}

TEST_CASE("keys follow their formula") {
    std::vector<std::uint64_t> keys(1000);
    draw_keys(42, 3, keys);
    for (std::size_t row = 0; row < keys.size(); ++row) {
        CHECK(keys[row] == mix(mix(42 + 3 * kGolden) + (row + 1) * kGolden));
    }
}

TEST_CASE("a draw is the beginning of a full sort by key") {
    for (const std::size_t n : {0U, 1U, 2U, 10U, 999U, 5000U}) {
        for (const std::size_t size : {0U, 1U, 2U, 10U, 500U, 998U, 999U, 6000U}) {
            CHECK(draw_rows(7, 1, n, size) == draw_by_sorting(7, 1, numbers_below(n), size));
        }
    }
}

TEST_CASE("a draw among given rows is a full sort of those rows, whatever their order") {
    std::vector<std::int64_t> rows = numbers_below(4000, 3);
    const auto expected = draw_by_sorting(9, 2, rows, 100);
    CHECK(draw_rows_among(9, 2, rows, 100) == expected);
    std::reverse(rows.begin(), rows.end());
    CHECK(draw_rows_among(9, 2, rows, 100) == expected);
    CHECK(draw_rows_among(9, 2, {}, 100).empty());
    CHECK(draw_rows_among(9, 2, rows, 0).empty());
}

TEST_CASE("bootstrap sums follow their definition to the bit, at any thread count") {
    for (const std::size_t columns : {1U, 3U, 17U}) {
        const std::size_t n = 101;
        const std::size_t draws = 57;
        std::vector<double> values(n * columns);
        std::mt19937_64 generator(columns);
        std::normal_distribution<double> normal;
        std::generate(values.begin(), values.end(), [&] { return normal(generator); });
        std::vector<double> expected(draws * columns, 0.0);
        for (std::size_t b = 0; b < draws; ++b) {
            for (std::size_t j = 0; j < n; ++j) {
                const std::size_t row = KeyStream(5, 6)(b * n + j) % n;
                for (std::size_t c = 0; c < columns; ++c) {
                    expected[b * columns + c] += values[row * columns + c];
                }
            }
        }
        for (const int threads : gnomon::testing::kThreadCounts) {
            std::vector<double> found(draws * columns, -1.0);
            gnomon::bootstrap_sums(values, n, columns, 5, draws, found, threads, {});
            CHECK(same_bits(found, expected));
        }
    }
}

TEST_CASE("bootstrap sums of the wrong length are refused") {
    const std::vector<double> values(6);
    std::vector<double> out(4);
    CHECK_THROWS_AS(gnomon::bootstrap_sums(values, 3, 3, 1, 2, out, 1, {}), std::invalid_argument);
    CHECK_THROWS_AS(gnomon::bootstrap_sums(values, 3, 2, 1, 3, out, 1, {}), std::invalid_argument);
}
