#include <stdexcept>
#include <string>

#include "gnomon/resample.hpp"
#include "gnomon/steps.hpp"

namespace gnomon {

namespace {

constexpr std::size_t kRowWeight = 8;  // a row lies anywhere in memory

}  // namespace

void bootstrap_sums(std::span<const double> values, std::size_t n, std::size_t columns,
                    std::uint64_t seed, std::size_t draws, std::span<double> out, int threads,
                    const Interrupted& interrupted) {
    detail::expect_size("bootstrap_sums", "values", values.size(), n * columns);
    detail::expect_size("bootstrap_sums", "out", out.size(), draws * columns);
    const KeyStream key(seed, static_cast<std::uint64_t>(Purpose::bootstrap));
    parallel_for(draws, threads, interrupted, [&](std::size_t draw, int /*worker*/) {
        double* sums = out.data() + draw * columns;
        for (std::size_t c = 0; c < columns; ++c) {
            sums[c] = 0.0;
        }
        for (const auto [begin, end] : detail::steps(n, kRowWeight + columns)) {
            for (std::size_t j = begin; j < end; ++j) {
                const double* row = values.data() + key(draw * n + j) % n * columns;
                for (std::size_t c = 0; c < columns; ++c) {
                    sums[c] += row[c];
                }
            }
        }
    });
}

}  // namespace gnomon
