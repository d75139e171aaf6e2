#include <array>
#include <bit>
#include <limits>

#include "gnomon/linear.hpp"
#include "score/rows.hpp"
#include "support.hpp"

using gnomon::Dtype;
using gnomon::first_nonfinite_row;
using gnomon::Isa;
using gnomon::MatrixView;
using gnomon::row_f32;
using gnomon::runnable_isas;
using gnomon::testing::kThreadCounts;

namespace {

// float16 by its definition: (-1)^s 2^(e - 15) (1 + f / 1024), subnormal below e = 1.
float half_by_definition(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 0x1F;
    const int fraction = bits & 0x3FF;
    const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
    if (exponent == 0x1F) {
        return fraction == 0 ? sign * std::numeric_limits<float>::infinity()
                             : std::numeric_limits<float>::quiet_NaN();
    }
    if (exponent == 0) {
        return sign * std::ldexp(static_cast<float>(fraction), -24);
    }
    return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

bool same_value(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) && std::isnan(b);
    }
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

template <typename T>
MatrixView typed_view(const std::vector<T>& values, std::size_t rows, std::size_t cols,
                      Dtype dtype) {
    const auto item = static_cast<std::ptrdiff_t>(sizeof(T));
    return {values.data(), rows, cols, static_cast<std::ptrdiff_t>(cols) * item, item, dtype};
}

}  // namespace

TEST_CASE("all 65,536 float16 values widen exactly, on every instruction set") {
    std::vector<std::uint16_t> halves(65536);
    for (std::size_t i = 0; i < halves.size(); ++i) {
        halves[i] = static_cast<std::uint16_t>(i);
    }
    std::vector<float> scratch(halves.size());
    const MatrixView view = typed_view(halves, 1, halves.size(), Dtype::f16);
    for (const Isa isa : runnable_isas()) {
        const float* row = row_f32(view, 0, scratch.data(), isa);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < halves.size(); ++i) {
            wrong += same_value(row[i], half_by_definition(halves[i])) ? 0U : 1U;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("float16 rows of every length fill the scratch and nothing beyond") {
    for (std::size_t n = 0; n <= 40; ++n) {
        const std::vector<std::uint16_t> halves(n, 0x3C00);
        for (const Isa isa : runnable_isas()) {
            std::vector<float> scratch(n + 1, -7.0F);
            const float* row =
                row_f32(typed_view(halves, 1, n, Dtype::f16), 0, scratch.data(), isa);
            for (std::size_t i = 0; i < n; ++i) {
                CHECK(row[i] == 1.0F);
            }
            CHECK(scratch[n] == -7.0F);
        }
    }
}

TEST_CASE("bfloat16 is the upper half of float32; int8 and uint8 are their values") {
    const std::vector<std::uint16_t> brains{0x3F80, 0xC049, 0x0001, 0x8000};
    const std::vector<std::int8_t> bytes{-128, -1, 0, 127};
    const std::vector<std::uint8_t> unsigned_bytes{0, 1, 128, 255};
    std::array<float, 4> scratch{};
    const float* row = row_f32(typed_view(brains, 1, 4, Dtype::bf16), 0, scratch.data());
    CHECK(row[0] == 1.0F);
    CHECK(std::bit_cast<std::uint32_t>(row[1]) == 0xC0490000U);
    CHECK(std::bit_cast<std::uint32_t>(row[2]) == 0x00010000U);
    CHECK(std::bit_cast<std::uint32_t>(row[3]) == 0x80000000U);
    row = row_f32(typed_view(bytes, 1, 4, Dtype::i8), 0, scratch.data());
    CHECK(row[0] == -128.0F);
    CHECK(row[3] == 127.0F);
    row = row_f32(typed_view(unsigned_bytes, 1, 4, Dtype::u8), 0, scratch.data());
    CHECK(row[2] == 128.0F);
    CHECK(row[3] == 255.0F);
}

TEST_CASE("float64 rounds to the nearest float32, ties to even") {
    const std::vector<double> values{0.1, 1.0 + 0x1p-24, 1.0 + 3 * 0x1p-24, -1e-46,
                                     0x1.fffffefp+127};
    std::array<float, 5> scratch{};
    const float* row = row_f32(typed_view(values, 1, 5, Dtype::f64), 0, scratch.data());
    CHECK(row[0] == 0.1F);
    CHECK(row[1] == 1.0F);
    CHECK(row[2] == 1.0F + 2 * 0x1p-23F);
    CHECK(row[3] == 0.0F);
    CHECK(row[4] == std::numeric_limits<float>::max());
}

TEST_CASE("contiguous float32 is borrowed; strided, reversed and unaligned rows are gathered") {
    const std::vector<float> values = gnomon::testing::random_values(12, 1);
    std::array<float, 4> scratch{};
    const MatrixView rows = gnomon::testing::view_of(values, 3, 4);
    CHECK(row_f32(rows, 1, scratch.data()) == values.data() + 4);

    const MatrixView transposed{values.data(), 4, 3, 4, 16, Dtype::f32};
    const float* column = row_f32(transposed, 2, scratch.data());
    CHECK(column == scratch.data());
    CHECK(column[1] == values[6]);

    const MatrixView reversed{values.data() + 11, 3, 4, -16, -4, Dtype::f32};
    CHECK(row_f32(reversed, 0, scratch.data())[0] == values[11]);
    CHECK(row_f32(reversed, 2, scratch.data())[3] == values[0]);

    const MatrixView broadcast{values.data(), 5, 4, 0, 4, Dtype::f32};
    CHECK(row_f32(broadcast, 4, scratch.data()) == values.data());

    std::vector<char> bytes(4 * sizeof(float) + 1);
    std::memcpy(bytes.data() + 1, values.data(), 4 * sizeof(float));
    const MatrixView unaligned{bytes.data() + 1, 1, 4, 16, 4, Dtype::f32};
    const float* row = row_f32(unaligned, 0, scratch.data());
    CHECK(row == scratch.data());
    CHECK(row[3] == values[3]);
}

TEST_CASE("the first row that isn't finite is found at any thread count") {
    std::vector<float> values(20'000 * 16, 1.0F);
    const MatrixView view = gnomon::testing::view_of(values, 20'000, 16);
    for (const int threads : kThreadCounts) {
        CHECK_FALSE(first_nonfinite_row(view, threads, {}).has_value());
    }
    values[19'999 * 16 + 15] = std::numeric_limits<float>::quiet_NaN();
    values[12'345 * 16 + 3] = -std::numeric_limits<float>::infinity();
    values[17'000 * 16] = std::numeric_limits<float>::infinity();
    for (const int threads : kThreadCounts) {
        CHECK(first_nonfinite_row(view, threads, {}) == 12'345);
    }
}

TEST_CASE("every dtype has its own kinds of infinity") {
    const auto finds = [](const auto& values, Dtype dtype) {
        return first_nonfinite_row(typed_view(values, values.size(), 1, dtype), 1, {});
    };
    CHECK_FALSE(finds(std::vector<std::uint16_t>{0x7BFF, 0x0001, 0x8000}, Dtype::f16).has_value());
    CHECK(finds(std::vector<std::uint16_t>{0x7BFF, 0x7C00}, Dtype::f16) == 1);
    CHECK(finds(std::vector<std::uint16_t>{0x0000, 0xFE00}, Dtype::f16) == 1);
    CHECK_FALSE(finds(std::vector<std::uint16_t>{0x7F7F, 0xFF7F}, Dtype::bf16).has_value());
    CHECK(finds(std::vector<std::uint16_t>{0x7F7F, 0xFF80}, Dtype::bf16) == 1);
    CHECK_FALSE(finds(std::vector<std::int8_t>{-128, 127}, Dtype::i8).has_value());
    CHECK_FALSE(finds(std::vector<std::uint8_t>{255}, Dtype::u8).has_value());
}

TEST_CASE("a float64 counts as infinite exactly when it rounds to infinity in float32") {
    const double limit = 0x1.ffffffp+127;
    const double below = std::nextafter(limit, 0.0);
    const std::vector<double> fits{below, -below, 1e-320};
    CHECK_FALSE(first_nonfinite_row(typed_view(fits, 3, 1, Dtype::f64), 1, {}).has_value());
    for (const double value : {limit, -limit, 1e300, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
        const std::vector<double> exceeds{0.0, value};
        CHECK(first_nonfinite_row(typed_view(exceeds, 2, 1, Dtype::f64), 1, {}) == 1);
    }
}
