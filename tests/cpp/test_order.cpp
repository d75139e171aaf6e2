#include <algorithm>
#include <limits>

#include "gnomon/order.hpp"
#include "support.hpp"

using gnomon::before;
using gnomon::Hit;
using gnomon::TopHits;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The first k by a full sort, without NaN.
std::vector<Hit> sorted_top(std::vector<Hit> hits, std::size_t k) {
    hits.erase(std::remove_if(hits.begin(), hits.end(), [](Hit h) { return std::isnan(h.score); }),
               hits.end());
    std::sort(hits.begin(), hits.end(),
              [](Hit a, Hit b) { return a.score != b.score ? a.score > b.score : a.row < b.row; });
    hits.resize(std::min(k, hits.size()));
    return hits;
}

void check_same(const std::vector<Hit>& found, const std::vector<Hit>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].row == expected[i].row);
        CHECK(found[i].score == expected[i].score);
    }
}

// Scores on a coarse grid, so that most of them tie.
std::vector<Hit> tied_hits(std::size_t n, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<Hit> hits(n);
    for (std::size_t row = 0; row < n; ++row) {
        hits[row] = {static_cast<float>(generator() % 5) / 4.0F, static_cast<std::int64_t>(row)};
    }
    std::shuffle(hits.begin(), hits.end(), generator);
    return hits;
}

}  // namespace

TEST_CASE("score descending, then row ascending; zeros of both signs tie") {
    CHECK(before({2.0F, 9}, {1.0F, 0}));
    CHECK(before({1.0F, 0}, {1.0F, 1}));
    CHECK_FALSE(before({1.0F, 1}, {1.0F, 1}));
    CHECK(before({-0.0F, 0}, {0.0F, 1}));
    CHECK(before({0.0F, 0}, {-0.0F, 1}));
}

TEST_CASE("the collector keeps what a full sort keeps, also at ties, in any order of arrival") {
    for (const std::size_t n : {0U, 1U, 2U, 17U, 300U}) {
        for (const std::size_t k : {0U, 1U, 2U, 10U, 299U, 300U, 1000U}) {
            const std::vector<Hit> hits = tied_hits(n, static_cast<unsigned>(n * 31 + k));
            TopHits top(k);
            for (const Hit hit : hits) {
                top.offer(hit);
            }
            check_same(top.take(), sorted_top(hits, k));
            CHECK(top.size() == 0);
        }
    }
}

TEST_CASE("merging collectors equals offering everything to one") {
    const std::vector<Hit> hits = tied_hits(500, 7);
    TopHits left(20);
    TopHits right(20);
    for (std::size_t i = 0; i < hits.size(); ++i) {
        (i % 3 == 0 ? left : right).offer(hits[i]);
    }
    left.merge(right);
    check_same(left.take(), sorted_top(hits, 20));
}

TEST_CASE("NaN never takes part") {
    TopHits top(2);
    CHECK_FALSE(top.offer({kNaN, 0}));
    CHECK(top.offer({-kInfinity, 1}));
    CHECK_FALSE(top.offer({kNaN, 2}));
    CHECK(top.size() == 1);
}

TEST_CASE("the threshold is minus infinity until k hits are there, then the k-th score") {
    TopHits top(2);
    CHECK(top.threshold() == -kInfinity);
    top.offer({0.5F, 3});
    CHECK(top.threshold() == -kInfinity);
    top.offer({0.75F, 4});
    CHECK(top.threshold() == 0.5F);
    CHECK(top.offer({0.5F, 2}));
    CHECK_FALSE(top.offer({0.5F, 5}));
    CHECK(top.threshold() == 0.5F);
}

TEST_CASE("an enormous k reserves nothing") {
    TopHits top(std::numeric_limits<std::size_t>::max());
    top.offer({1.0F, 0});
    CHECK(top.take().size() == 1);
}
