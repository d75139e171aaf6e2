// A sum that is rounded once, whatever the order of its terms.
//
// It keeps an expansion: floats of rising magnitude that don't overlap and whose sum is exact
// (Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates",
// 1997). The same values as Python's math.fsum.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "gnomon/steps.hpp"

namespace gnomon::detail {

class ExactSum {
  public:
    void add(double term) noexcept {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            const double sum = term + parts_[i];
            const double error = rounding_error(term, parts_[i], sum);
            if (error != 0.0) {
                parts_[kept++] = error;
            }
            term = sum;
        }
        parts_[kept] = term;
        size_ = kept + 1;
    }

    // From the greatest part down until one doesn't fit. If that leftover is exactly half a unit,
    // rounding to even went without looking at the parts below it: they decide.
    double rounded() const noexcept {
        if (size_ == 0) {
            return 0.0;
        }
        std::size_t i = size_ - 1;
        double sum = parts_[i];
        double leftover = 0.0;
        while (i > 0 && leftover == 0.0) {
            --i;
            const double next = sum + parts_[i];
            leftover = rounding_error(sum, parts_[i], next);
            sum = next;
        }
        if (i > 0 && std::signbit(leftover) == std::signbit(parts_[i - 1])) {
            const double other = sum + 2.0 * leftover;
            if (other - sum == 2.0 * leftover) {
                return other;
            }
        }
        return sum;
    }

  private:
    // a + b - sum, exactly, for sum = a + b rounded to nearest (Knuth's two-sum).
    static double rounding_error(double a, double b, double sum) noexcept {
        const double b_part = sum - a;
        const double a_part = sum - b_part;
        return (a - a_part) + (b - b_part);
    }

    // Parts that don't overlap have at least 53 bits each, of the 2,098 that float64 spans.
    std::array<double, 41> parts_;
    std::size_t size_ = 0;
};

inline constexpr std::size_t kTermWeight = 4;

// The correctly rounded sum of term(0), ..., term(n - 1).
template <typename Term>
double rounded_sum(std::size_t n, Term term) {
    return metered(n, [n, &term](auto meter) {
        ExactSum sum;
        for (std::size_t i = 0; i < n; ++i) {
            meter.add(kTermWeight);
            sum.add(term(i));
        }
        return sum.rounded();
    });
}

}  // namespace gnomon::detail
