// Seeded draws and bootstrap sums from one counter-based generator.
//
// key(seed, purpose, row) = mix(mix(seed + purpose * golden) + (row + 1) * golden) modulo 2^64,
// with golden = 0x9E3779B97F4A7C15 and mix the finaliser of splitmix64 (Steele, Lea, Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014). For fixed seed and purpose, the keys of
// rows 0, 1, 2, ... are the outputs of splitmix64 started at mix(seed + purpose * golden). Nothing
// depends on a library, a platform or a thread count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gnomon/threads.hpp"

namespace gnomon {

// What a draw is for: different purposes give independent draws from one seed.
enum class Purpose : std::uint8_t {
    pairs = 1,
    selection = 2,
    neighbour_queries = 3,
    sample = 4,
    calibration = 5,
    bootstrap = 6,
    clusters = 7,
    halves = 8,
    untouched = 9,
    anchors = 10
};

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;

constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x ^= x >> 30U;
    x *= 0xBF58476D1CE4E5B9U;
    x ^= x >> 27U;
    x *= 0x94D049BB133111EBU;
    x ^= x >> 31U;
    return x;
}

// The keys of one seed and purpose.
class KeyStream {
  public:
    constexpr KeyStream(std::uint64_t seed, std::uint64_t purpose) noexcept
        : start_(mix(seed + purpose * kGolden)) {}

    constexpr std::uint64_t operator()(std::uint64_t row) const noexcept {
        return mix(start_ + (row + 1U) * kGolden);
    }

  private:
    std::uint64_t start_;
};

// out[row] = key(seed, purpose, row).
void draw_keys(std::uint64_t seed, std::uint64_t purpose, std::span<std::uint64_t> out);

// The min(size, n) rows of [0, n) with the smallest keys, ascending by key, then row. A draw is the
// beginning of every larger draw. O(n) time, O(size) memory.
std::vector<std::int64_t> draw_rows(std::uint64_t seed, std::uint64_t purpose, std::size_t n,
                                    std::size_t size);

// The same among the given rows, which must be distinct and not negative.
std::vector<std::int64_t> draw_rows_among(std::uint64_t seed, std::uint64_t purpose,
                                          std::span<const std::int64_t> rows, std::size_t size);

// out[b * columns + c] = sum over j = 0 .. n - 1, in that order, of values[i(b, j) * columns + c],
// where i(b, j) = key(seed, bootstrap, b * n + j) mod n: the sums of `draws` resamples of the n
// rows, the same rows for every column. O(draws * n * columns).
void bootstrap_sums(std::span<const double> values, std::size_t n, std::size_t columns,
                    std::uint64_t seed, std::size_t draws, std::span<double> out, int threads,
                    const Interrupted& interrupted);

}  // namespace gnomon
