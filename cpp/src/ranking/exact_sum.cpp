#include "ranking/exact_sum.hpp"

#include "gnomon/ranking.hpp"

namespace gnomon {

double exact_sum(std::span<const double> values) noexcept {
    detail::ExactSum sum;
    for (const double value : values) {
        sum.add(value);
    }
    return sum.rounded();
}

}  // namespace gnomon
