#include "ranking/exact_sum.hpp"

#include "gnomon/ranking.hpp"
#include "threads/float_environment.hpp"

namespace gnomon {

double exact_sum(std::span<const double> values) {
    const detail::FloatEnvironment environment;
    return detail::rounded_sum(values.size(), [values](std::size_t i) { return values[i]; });
}

double exact_mean(std::span<const double> values) {
    const detail::FloatEnvironment environment;
    return exact_sum(values) / static_cast<double>(values.size());
}

}  // namespace gnomon
