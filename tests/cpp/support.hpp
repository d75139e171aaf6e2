// What every C++ test shares: random matrices, and ways to run a test under each instruction set.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gnomon/isa.hpp"
#include "gnomon/matrix.hpp"

namespace gnomon::testing {

inline constexpr int kThreadCounts[] = {1, 2, 7};

// Sets an environment variable for as long as the object lives; null removes it.
class ScopedVariable {
  public:
    ScopedVariable(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name); old != nullptr) {
            old_ = old;
            was_set_ = true;
        }
        set(value);
    }
    ~ScopedVariable() { set(was_set_ ? old_.c_str() : nullptr); }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

  private:
    void set(const char* value) const {
        if (value != nullptr) {
            setenv(name_, value, 1);
        } else {
            unsetenv(name_);
        }
    }

    const char* name_;
    std::string old_;
    bool was_set_ = false;
};

// body(isa, threads) with GNOMON_ISA set, for every runnable set and 1, 2 and 7 threads.
template <typename Body>
void on_every_isa_and_thread_count(Body body) {
    for (const Isa isa : runnable_isas()) {
        const ScopedVariable forced("GNOMON_ISA", isa_name(isa));
        for (const int threads : kThreadCounts) {
            CAPTURE(isa_name(isa));
            CAPTURE(threads);
            body(isa, threads);
        }
    }
}

// Normal values, whose magnitudes also differ from row to row by powers of two.
inline std::vector<float> random_values(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    std::uniform_int_distribution<int> exponent(-3, 3);
    std::vector<float> values(count);
    for (float& value : values) {
        value = std::ldexp(normal(generator), exponent(generator));
    }
    return values;
}

inline MatrixView view_of(const std::vector<float>& values, std::size_t rows, std::size_t cols) {
    const auto item = static_cast<std::ptrdiff_t>(sizeof(float));
    return {values.data(), rows, cols, static_cast<std::ptrdiff_t>(cols) * item, item, Dtype::f32};
}

// Equality of every bit: NaN equals itself, -0 differs from +0.
template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// The contract's dot product, written as its sentence reads.
inline double lane_dot(const float* a, const float* b, std::size_t d) {
    std::vector<double> lanes(32, 0.0);
    for (std::size_t i = 0; i < d; ++i) {
        lanes[i % 32] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    while (lanes.size() > 1) {
        const std::size_t half = lanes.size() / 2;
        for (std::size_t lane = 0; lane < half; ++lane) {
            lanes[lane] += lanes[lane + half];
        }
        lanes.resize(half);
    }
    return lanes[0];
}

}  // namespace gnomon::testing
