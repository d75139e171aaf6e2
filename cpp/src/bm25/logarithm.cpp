#include "bm25/logarithm.hpp"

#include <bit>
#include <cstdint>
#include <numbers>

namespace gnomon::detail {

namespace {

constexpr int kMantissaBits = 52;
constexpr std::int64_t kBias = 1023;
constexpr std::uint64_t kMantissa = (std::uint64_t{1} << kMantissaBits) - 1;
// ln 2 in two parts; the first has 20 zero bits at its end, so that its multiples are exact.
constexpr double kLn2High = 0x1.62e42fefp-1;  // NOLINT(modernize-use-std-numbers): its beginning
constexpr double kLn2Low = 0x1.473de6af278edp-34;

}  // namespace

double natural_logarithm(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    auto exponent = static_cast<std::int64_t>(bits >> kMantissaBits) - kBias;
    auto mantissa = std::bit_cast<double>((bits & kMantissa) |
                                          (static_cast<std::uint64_t>(kBias) << kMantissaBits));
    if (mantissa > std::numbers::sqrt2) {
        mantissa *= 0.5;
        ++exponent;
    }
    // ln m = 2 artanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...) with s = (m - 1) / (m + 1), |s| < 0.172:
    // the first term left out is below 2^-58 of the sum.
    const double f = mantissa - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    double tail = 1.0 / 21.0;
    for (int odd = 19; odd >= 3; odd -= 2) {
        tail = tail * z + 1.0 / odd;
    }
    // 2 s = f - s f, exactly: f is kept whole and only the small rest is rounded.
    const double rest = s * (2.0 * z * tail - f);
    const auto n = static_cast<double>(exponent);
    return n * kLn2High + (f + (rest + n * kLn2Low));
}

}  // namespace gnomon::detail
