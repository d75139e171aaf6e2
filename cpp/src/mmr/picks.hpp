// Where the picks of one query and lambda go, and what one is worth.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gnomon::detail {

struct Picks {
    std::int64_t* ids;
    float* scores;
    std::size_t count;  // at most the size of the pool
};

// Both products and the difference in float64, rounded once; never -0.
inline float mmr_score(double lambda, float relevance, float penalty) noexcept {
    const double gain = lambda * static_cast<double>(relevance);
    const double loss = (1.0 - lambda) * static_cast<double>(penalty);
    return static_cast<float>(gain - loss) + 0.0F;
}

inline float first_score(double lambda, float relevance) noexcept {
    return static_cast<float>(lambda * static_cast<double>(relevance)) + 0.0F;
}

}  // namespace gnomon::detail
