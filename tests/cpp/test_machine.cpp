#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gnomon/errors.hpp"
#include "gnomon/machine.hpp"
#include "support.hpp"

using gnomon::Arithmetic;
using gnomon::Isa;
using gnomon::multiply_add_pass;
using gnomon::read_pass;

namespace {

std::uint64_t plain_sum(const std::vector<std::uint8_t>& data) {
    std::uint64_t total = 0;
    for (std::size_t at = 0; at + 8 <= data.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, data.data() + at, sizeof(word));
        total += word;
    }
    return total;
}

}  // namespace

TEST_CASE("a read pass adds every whole word once, whatever the size and the threads") {
    constexpr std::size_t kBlock = 1U << 20U;
    for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{8}, std::size_t{263},
                                   kBlock - 8, kBlock, 3 * kBlock + 1029}) {
        std::vector<std::uint8_t> data(size);
        for (std::size_t i = 0; i < size; ++i) {
            data[i] = static_cast<std::uint8_t>(i * 37 + i / 251);
        }
        for (const int threads : {1, 2, 7}) {
            CHECK(read_pass(data, threads, {}) == plain_sum(data));
        }
    }
}

TEST_CASE("multiply-adds are counted over all threads") {
    for (const Isa isa : gnomon::runnable_isas()) {
        for (const Arithmetic arithmetic : {Arithmetic::float32, Arithmetic::int8}) {
            const std::uint64_t one = multiply_add_pass(isa, arithmetic, 1, 1, {});
            CHECK(one > 0);
            CHECK(multiply_add_pass(isa, arithmetic, 150'001, 1, {}) == 150'001 * one);
            CHECK(multiply_add_pass(isa, arithmetic, 10, 7, {}) == 70 * one);
        }
    }
    CHECK(multiply_add_pass(Isa::scalar, Arithmetic::int8, 0, 2, {}) == 0);
}

TEST_CASE("threads below one and a set that can't run are refused") {
    const std::vector<std::uint8_t> data(64);
    CHECK_THROWS_AS(read_pass(data, 0, {}), gnomon::SettingError);
    CHECK_THROWS_AS(multiply_add_pass(Isa::scalar, Arithmetic::float32, 1, 0, {}),
                    gnomon::SettingError);
    const std::vector<Isa> runnable = gnomon::runnable_isas();
    for (const Isa isa : {Isa::avx2, Isa::avx512, Isa::neon}) {
        if (std::find(runnable.begin(), runnable.end(), isa) == runnable.end()) {
            CHECK_THROWS_AS(multiply_add_pass(isa, Arithmetic::int8, 1, 1, {}),
                            gnomon::SettingError);
        }
    }
}

TEST_CASE("a read pass stops between blocks") {
    const std::vector<std::uint8_t> data(std::size_t{4} << 20U);
    CHECK_THROWS_AS(read_pass(data, 1, [] { return true; }), gnomon::Interruption);
}
