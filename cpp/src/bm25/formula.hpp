// The formulas of include/gnomon/bm25.hpp, each in the one order of operations that all paths
// share.
#pragma once

#include <cstdint>

#include "gnomon/bm25.hpp"

namespace gnomon::detail {

// Throws std::invalid_argument when a number is outside of its range.
void check_settings(const BM25Settings& settings);

double inverse_document_frequency(BM25Variant variant, std::uint64_t docs,
                                  std::uint64_t frequency) noexcept;

// What a term's count adds to a document, before the term's weight.
class TermPart {
  public:
    TermPart(const BM25Settings& settings, std::uint64_t docs, std::uint64_t tokens) noexcept
        : variant_(settings.variant), k1_(settings.k1), b_(settings.b), delta_(settings.delta),
          mean_(docs == 0 ? 0.0 : static_cast<double>(tokens) / static_cast<double>(docs)) {}

    // (1 - b) + b * dl / avgdl, or K of it: what the length of a document does. Only for documents
    // that have tokens.
    double norm_of(std::uint32_t length) const noexcept {
        const double relative = (1.0 - b_) + b_ * static_cast<double>(length) / mean_;
        return variant_ == BM25Variant::bm25_l ? relative : k1_ * relative;
    }

    double operator()(std::uint32_t count, double norm) const noexcept {
        const auto tf = static_cast<double>(count);
        switch (variant_) {
        case BM25Variant::atire: return (k1_ + 1.0) * tf / (tf + norm);
        case BM25Variant::bm25_plus: return (k1_ + 1.0) * tf / (tf + norm) + delta_;
        case BM25Variant::bm25_l: {
            const double shifted = tf / norm + delta_;
            return (k1_ + 1.0) * shifted / (k1_ + shifted);
        }
        default: return tf / (tf + norm);
        }
    }

  private:
    BM25Variant variant_;
    double k1_;
    double b_;
    double delta_;
    double mean_;
};

}  // namespace gnomon::detail
