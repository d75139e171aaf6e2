#include <algorithm>
#include <limits>

#include "gnomon/linear.hpp"
#include "support.hpp"

using gnomon::Isa;
using gnomon::testing::lane_dot;
using gnomon::testing::on_every_isa_and_thread_count;
using gnomon::testing::random_values;
using gnomon::testing::same_bits;
using gnomon::testing::view_of;

namespace {

struct Shape {
    std::size_t rows, d_in, d_out;
};

void check_shape(const Shape& shape, bool with_bias) {
    const std::size_t rows = shape.rows;
    const std::size_t d_in = shape.d_in;
    const std::size_t d_out = shape.d_out;
    const std::vector<float> x = random_values(rows * d_in, 1);
    const std::vector<float> weights = random_values(d_out * d_in, 2);
    const std::vector<float> bias = with_bias ? random_values(d_out, 3) : std::vector<float>();
    std::vector<float> expected(rows * d_out);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t o = 0; o < d_out; ++o) {
            const double dot = lane_dot(&x[row * d_in], &weights[o * d_in], d_in);
            const double shift = with_bias ? static_cast<double>(bias[o]) : 0.0;
            expected[row * d_out + o] = static_cast<float>(with_bias ? dot + shift : dot);
        }
    }
    CAPTURE(rows);
    CAPTURE(d_in);
    CAPTURE(d_out);
    on_every_isa_and_thread_count([&](Isa, int threads) {
        std::vector<float> found(rows * d_out, -1.0F);
        gnomon::affine_map(view_of(x, rows, d_in), weights, bias, d_out, found, threads, {});
        CHECK(same_bits(found, expected));
    });
}

}  // namespace

TEST_CASE("each output is a lane dot plus the bias, rounded once, whatever the blocking") {
    // Around the tile sizes, the few rows that skip packing, and several blocks of rows.
    for (const Shape& shape :
         {Shape{1, 5, 3}, Shape{7, 33, 6}, Shape{8, 32, 1}, Shape{9, 31, 7}, Shape{13, 100, 11},
          Shape{64, 64, 64}, Shape{301, 40, 13}, Shape{40, 1030, 5}}) {
        check_shape(shape, true);
        check_shape(shape, false);
    }
}

TEST_CASE("no rows, no columns and no outputs are all fine") {
    check_shape({0, 4, 3}, true);
    check_shape({10, 4, 0}, false);
    check_shape({10, 1, 1}, true);
    const std::vector<float> nothing;
    const std::vector<float> bias{2.5F, -1.0F};
    on_every_isa_and_thread_count([&](Isa, int threads) {
        std::vector<float> found(2 * 9);
        gnomon::affine_map(view_of(nothing, 9, 0), nothing, bias, 2, found, threads, {});
        CHECK(found[0] == 2.5F);
        CHECK(found[17] == -1.0F);
    });
}

TEST_CASE("rows of any dtype are taken as float32") {
    const std::vector<double> x{0.1, 0.2, 0.3, 0.4};
    const std::vector<float> rounded{0.1F, 0.2F, 0.3F, 0.4F};
    const std::vector<float> weights = random_values(6, 9);
    std::vector<float> from_f64(6);
    std::vector<float> from_f32(6);
    gnomon::affine_map({x.data(), 2, 2, 16, 8, gnomon::Dtype::f64}, weights, {}, 3, from_f64, 1,
                       {});
    gnomon::affine_map(view_of(rounded, 2, 2), weights, {}, 3, from_f32, 1, {});
    CHECK(same_bits(from_f64, from_f32));
}

TEST_CASE("shapes that don't fit are refused") {
    const std::vector<float> x(6, 1.0F);
    std::vector<float> out(9);
    const std::vector<float> weights(9, 1.0F);
    const std::vector<float> bias(2, 0.0F);
    CHECK_THROWS_AS(gnomon::affine_map(view_of(x, 3, 2), weights, {}, 3, out, 1, {}),
                    std::invalid_argument);
    CHECK_THROWS_AS(gnomon::affine_map(view_of(x, 2, 3), weights, bias, 3, out, 1, {}),
                    std::invalid_argument);
    CHECK_THROWS_AS(gnomon::affine_map(view_of(x, 2, 3), weights, {}, 3, out, 1, {}),
                    std::invalid_argument);
}

TEST_CASE("directions go through every map and come back at unit length") {
    const std::vector<float> inner = random_values(7 * 40, 21);
    const std::vector<float> outer = random_values(5 * 7, 22);
    const std::vector<float> bias = random_values(5, 23);
    const std::vector<gnomon::AffineWeights> maps{{inner, {}, 7}, {outer, bias, 5}};
    for (const std::size_t rows : {1U, 3U, 90U}) {
        std::vector<float> x = random_values(rows * 40, 24);
        std::fill_n(x.end() - 40, 40, 0.0F);
        std::vector<float> unit(rows * 40);
        std::vector<float> low(rows * 7);
        std::vector<float> image(rows * 5);
        std::vector<float> expected(rows * 5);
        gnomon::normalize(view_of(x, rows, 40), unit, 1, {});
        gnomon::affine_map(view_of(unit, rows, 40), inner, {}, 7, low, 1, {});
        gnomon::affine_map(view_of(low, rows, 7), outer, bias, 5, image, 1, {});
        gnomon::normalize(view_of(image, rows, 5), expected, 1, {});
        std::fill_n(expected.end() - 5, 5, 0.0F);  // a zero row has no direction
        on_every_isa_and_thread_count([&](Isa, int threads) {
            std::vector<float> found(rows * 5, -1.0F);
            CHECK_FALSE(
                gnomon::map_directions(view_of(x, rows, 40), maps, found, threads, {}).has_value());
            CHECK(same_bits(found, expected));
        });
    }
}

TEST_CASE("directions name the first row that isn't finite, and need a map") {
    std::vector<float> x(30, 1.0F);
    x[17] = std::numeric_limits<float>::infinity();
    x[25] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> weights(3, 1.0F);
    const std::vector<gnomon::AffineWeights> maps{{weights, {}, 1}};
    std::vector<float> out(10);
    CHECK(gnomon::map_directions(view_of(x, 10, 3), maps, out, 2, {}) == 5);
    CHECK_THROWS_AS(gnomon::map_directions(view_of(x, 10, 3), {}, out, 2, {}),
                    std::invalid_argument);
}
