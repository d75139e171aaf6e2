#include "bm25/formula.hpp"

#include <stdexcept>
#include <string>

#include "bm25/logarithm.hpp"

namespace gnomon::detail {

namespace {

constexpr double kLargest = 1e6;

// Written so that NaN is outside.
void check_range(const char* name, double value, double largest) {
    if (!(value >= 0.0 && value <= largest)) {
        throw std::invalid_argument(std::string("bm25: ") + name + " is " + std::to_string(value) +
                                    ", expected a number from 0 to " +
                                    std::to_string(static_cast<long>(largest)));
    }
}

}  // namespace

void check_settings(const BM25Settings& settings) {
    check_range("k1", settings.k1, kLargest);
    check_range("b", settings.b, 1.0);
    check_range("delta", settings.delta, kLargest);
    if (settings.variant > BM25Variant::bm25_l) {
        throw std::invalid_argument("bm25: no such variant");
    }
}

double inverse_document_frequency(BM25Variant variant, std::uint64_t docs,
                                  std::uint64_t frequency) noexcept {
    const auto n = static_cast<double>(docs);
    const auto df = static_cast<double>(frequency);
    switch (variant) {
    case BM25Variant::robertson: {
        const double ratio = (n - df + 0.5) / (df + 0.5);
        return ratio > 1.0 ? natural_logarithm(ratio) : 0.0;
    }
    case BM25Variant::atire: return natural_logarithm(n / df);
    case BM25Variant::bm25_plus: return natural_logarithm((n + 1.0) / df);
    case BM25Variant::bm25_l: return natural_logarithm((n + 1.0) / (df + 0.5));
    default: return natural_logarithm(1.0 + (n - df + 0.5) / (df + 0.5));
    }
}

}  // namespace gnomon::detail
