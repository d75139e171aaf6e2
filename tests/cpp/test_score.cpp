#include <bit>
#include <limits>

#include "score/score.hpp"
#include "support.hpp"

using gnomon::Isa;
using gnomon::isa_name;
using gnomon::runnable_isas;
using gnomon::detail::cosine;
using gnomon::detail::score_kernel;
using gnomon::detail::ScoreKernel;
using gnomon::testing::lane_dot;
using gnomon::testing::random_values;

namespace {

void check_against_definition(const std::vector<float>& query, const std::vector<float>& rows,
                              std::size_t d) {
    const float* const four[4] = {rows.data(), rows.data() + d, rows.data() + 2 * d,
                                  rows.data() + 3 * d};
    for (const Isa isa : runnable_isas()) {
        CAPTURE(isa_name(isa));
        CAPTURE(d);
        const ScoreKernel& kernel = score_kernel(isa);
        double dots[4];
        kernel.dot4(query.data(), four, d, dots);
        for (std::size_t r = 0; r < 4; ++r) {
            const double expected = lane_dot(query.data(), four[r], d);
            CHECK(std::bit_cast<std::uint64_t>(dots[r]) == std::bit_cast<std::uint64_t>(expected));
            CHECK(kernel.dot(query.data(), four[r], d) == expected);
            CHECK(kernel.dot(four[r], query.data(), d) == expected);
            CHECK(kernel.sum_of_squares(four[r], d) == lane_dot(four[r], four[r], d));
        }
    }
}

}  // namespace

TEST_CASE("dots have the bits of the definition at every width, on every instruction set") {
    for (std::size_t d = 0; d <= 130; ++d) {
        const auto seed = static_cast<unsigned>(d);
        check_against_definition(random_values(d, seed), random_values(4 * d, seed + 1000), d);
    }
    for (const std::size_t d : {384U, 768U, 1000U, 1024U, 4097U}) {
        check_against_definition(random_values(d, 1), random_values(4 * d, 2), d);
    }
}

TEST_CASE("extreme magnitudes stay exact: the largest floats, subnormals, cancellation") {
    std::vector<float> values(67);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const float magnitude = i % 3 == 0   ? std::numeric_limits<float>::max()
                                : i % 3 == 1 ? std::numeric_limits<float>::denorm_min()
                                             : 1.0F + static_cast<float>(i);
        values[i] = i % 2 == 0 ? magnitude : -magnitude;
    }
    std::vector<float> rows;
    for (int copy = 0; copy < 4; ++copy) {
        rows.insert(rows.end(), values.begin(), values.end());
    }
    check_against_definition(values, rows, values.size());
}

TEST_CASE("rows may start anywhere and nothing beside them is read") {
    // A page of NaN around the row would show in the sum.
    for (const std::size_t d : {1U, 5U, 31U, 33U, 63U, 100U}) {
        for (const std::size_t offset : {0U, 1U, 3U}) {
            std::vector<float> padded(offset + d + 64, std::numeric_limits<float>::quiet_NaN());
            const std::vector<float> values = random_values(d, 5);
            std::copy(values.begin(), values.end(),
                      padded.begin() + static_cast<std::ptrdiff_t>(offset));
            for (const Isa isa : runnable_isas()) {
                const float* row = padded.data() + offset;
                CHECK(score_kernel(isa).dot(row, row, d) ==
                      lane_dot(values.data(), values.data(), d));
            }
        }
    }
}

TEST_CASE("a vector has cosine 1 with itself and with its multiples by powers of two") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const std::vector<float> a = random_values(1 + seed, seed);
        std::vector<float> b = a;
        for (float& value : b) {
            value *= 0.125F;
        }
        const ScoreKernel& kernel = score_kernel(Isa::scalar);
        const double norm_a = gnomon::detail::norm(kernel, a.data(), a.size());
        const double norm_b = gnomon::detail::norm(kernel, b.data(), b.size());
        CHECK(cosine(kernel.dot(a.data(), a.data(), a.size()), norm_a, norm_a) == 1.0F);
        CHECK(cosine(kernel.dot(a.data(), b.data(), a.size()), norm_a, norm_b) == 1.0F);
    }
}

TEST_CASE("a cosine is clipped, has no negative zero, and is 0 beside an exactly zero norm only") {
    CHECK(cosine(1.0 + 1e-6, 1.0, 1.0) == 1.0F);
    CHECK(cosine(-1.0 - 1e-6, 1.0, 1.0) == -1.0F);
    CHECK(std::bit_cast<std::uint32_t>(cosine(-0.0, 1.0, 1.0)) == 0U);
    CHECK(std::bit_cast<std::uint32_t>(cosine(-1e-300, 1.0, 1.0)) == 0U);
    CHECK(cosine(0.0, 0.0, 1.0) == 0.0F);
    CHECK(cosine(0.0, 1.0, 0.0) == 0.0F);
    CHECK(cosine(1e-50, 1e-25, 1e-25) == 1.0F);
}
