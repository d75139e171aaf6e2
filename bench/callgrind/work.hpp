// What the driver runs: small, fixed pieces of work, one or more for every kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gnomon/matrix.hpp"

namespace gnomon::counting {

// Returns something that depends on the result, so that the work is done.
using Counted = std::function<std::size_t()>;

// prepare() makes the inputs, which isn't counted, and returns what is.
struct Work {
    std::string name;
    std::function<Counted()> prepare;
};

std::vector<Work> vector_works();
std::vector<Work> list_works();

// xorshift64*: the same numbers everywhere, without a library's distributions.
class Numbers {
  public:
    explicit Numbers(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() noexcept {
        state_ ^= state_ >> 12U;
        state_ ^= state_ << 25U;
        state_ ^= state_ >> 27U;
        return state_ * 0x2545F4914F6CDD1DULL;
    }
    std::size_t below(std::size_t bound) noexcept { return (next() >> 11U) % bound; }
    // Between -1 and 1, and more often near 0.
    float value() noexcept {
        const auto first = static_cast<float>(next() >> 40U);
        const auto second = static_cast<float>(next() >> 40U);
        return (first - second) * 0x1p-24F;
    }

  private:
    std::uint64_t state_;
};

struct Rows {
    std::vector<float> values;
    std::size_t rows;
    std::size_t cols;

    Rows(std::size_t n, std::size_t d, std::uint64_t seed) : values(n * d), rows(n), cols(d) {
        Numbers numbers(seed);
        for (float& value : values) {
            value = numbers.value();
        }
    }
    MatrixView view() const noexcept {
        constexpr auto kItem = static_cast<std::ptrdiff_t>(sizeof(float));
        return {values.data(), rows,      cols, kItem * static_cast<std::ptrdiff_t>(cols),
                kItem,         Dtype::f32};
    }
};

}  // namespace gnomon::counting
