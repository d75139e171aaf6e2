// Selection and ranking by buckets, against full sorts, on values that buckets can and can't part.
#include <algorithm>
#include <functional>
#include <limits>

#include "cosine/selection.hpp"
#include "support.hpp"

using gnomon::Hit;
using namespace gnomon::detail;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kSizes[] = {1, 2, 24, 25, 26, 100, 1'000, 5'000};
constexpr int kKinds = 7;

// Even, tied, all equal, one far from the rest, infinities among them, a range whose inverse
// overflows, and powers of two.
std::vector<float> values_of(int kind, std::size_t n, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<float> values(n);
    for (float& value : values) {
        const auto drawn = static_cast<float>(generator() % 1'000'003U) / 1'000'003.0F;
        switch (kind) {
        case 0: value = 2.0F * drawn - 1.0F; break;
        case 1: value = static_cast<float>(generator() % 7U) / 8.0F; break;
        case 2: value = 0.5F; break;
        case 3: value = 0.1F + 1e-6F * drawn; break;
        case 4: value = generator() % 5U == 0 ? kInfinity : drawn; break;
        case 5: value = drawn * 1e-40F; break;
        default: value = std::ldexp(1.0F, -static_cast<int>(generator() % 100U)); break;
        }
    }
    if (kind == 3) {
        values[n / 2] = 1.0F;
    }
    return values;
}

}  // namespace

TEST_CASE("at least the k greatest are left, no more than allowed, and the least is returned") {
    for (int kind = 0; kind < kKinds; ++kind) {
        for (const std::size_t n : kSizes) {
            for (const std::size_t k : {std::size_t{1}, (n + 3) / 4, n}) {
                for (const std::size_t most : {k, k + k / 8, n + 1}) {
                    CAPTURE(kind);
                    CAPTURE(n);
                    CAPTURE(k);
                    CAPTURE(most);
                    std::vector<float> sorted = values_of(kind, n, static_cast<unsigned>(n + k));
                    std::vector<float> left = sorted;
                    std::sort(sorted.begin(), sorted.end(), std::greater<>());
                    const float least = keep_greatest(left, k, most);
                    REQUIRE(left.size() >= k);
                    CHECK(left.size() <= std::max(most, k));
                    std::sort(left.begin(), left.end(), std::greater<>());
                    CHECK(std::equal(left.begin(), left.end(), sorted.begin()));
                    CHECK(least == left.back());
                }
            }
        }
    }
}

TEST_CASE("hits are ranked as by a full sort") {
    for (int kind = 0; kind < kKinds; ++kind) {
        for (const std::size_t n : kSizes) {
            CAPTURE(kind);
            CAPTURE(n);
            const std::vector<float> scores = values_of(kind, n, static_cast<unsigned>(n));
            std::vector<Hit> hits(n);
            for (std::size_t i = 0; i < n; ++i) {
                hits[i] = {scores[i], static_cast<std::int64_t>(i * 7919 % n)};
            }
            std::vector<Hit> sorted = hits;
            std::sort(sorted.begin(), sorted.end(), gnomon::before);
            rank(hits);
            CHECK(std::equal(hits.begin(), hits.end(), sorted.begin(),
                             [](Hit a, Hit b) { return a.score == b.score && a.row == b.row; }));
        }
    }
    std::vector<Hit> none;
    rank(none);
    CHECK(none.empty());
}
