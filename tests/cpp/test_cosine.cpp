// The cosine top-k under threads: what the sanitizers see. tests/kernels/ compares far more data.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "gnomon/cosine.hpp"
#include "gnomon/index_file.hpp"
#include "search_problem.hpp"
#include "support.hpp"

using namespace gnomon::testing;
using gnomon::HitLists;
using gnomon::SearchOptions;
using gnomon::VectorIndex;

namespace {

Problem seeded_problem(std::uint64_t seed, std::size_t n, std::size_t q, std::size_t d) {
    Random random(seed * 0x9E3779B97F4A7C15ULL);
    random.next();
    const auto kind = static_cast<Coordinates>(seed % 7);
    Problem made;
    Matrix pool{1 + random.below(12), d, {}};
    pool.values.resize(pool.rows * d);
    for (float& value : pool.values) {
        value = coordinate(kind, static_cast<std::uint32_t>(random.next() >> 32U));
    }
    made.docs = drawn_matrix(n, pool, kind, static_cast<std::uint16_t>(random.next()), random);
    made.queries = drawn_matrix(q, pool, kind, static_cast<std::uint16_t>(random.next()), random);
    made.k = 1 + random.below(n + 2);
    if (random.below(2) == 1) {
        made.exclude.resize(q);
        for (auto& rows : made.exclude) {
            rows = drawn_rows(random.below(6), n, random);
        }
    }
    if (random.below(3) == 0) {
        made.subset = drawn_rows(random.below(n + 1), n, random);
    }
    return made;
}

// Puts rows near the first query in front, and rows far from the others behind.
void gather_near_first_query(Problem& problem) {
    constexpr std::size_t kNear = 208;
    Random random(11);
    for (std::size_t row = 0; row < problem.docs.rows; ++row) {
        const float* query = problem.queries.row(row < kNear ? 0 : 1 + row % 2);
        for (std::size_t i = 0; i < problem.docs.cols; ++i) {
            const float noise = random.unit() * (row < kNear ? 0.3F : 3.0F);
            problem.docs.row(row)[i] = query[i] + noise;
        }
    }
}

struct Answered {
    gnomon::SearchResult result;
    const HitLists& hits() const { return result.lists.at(0); }
};

Answered ask(const VectorIndex& index, const Problem& problem, int threads) {
    const Request asked(problem);
    SearchOptions options;
    options.threads = threads;
    return {index.search(std::array{asked.request}, options)};
}

// An index that was saved to a file in memory and opened again; the file is closed.
VectorIndex reopened(const VectorIndex& index) {
    const int descriptor = memfd_create("index", 0);
    REQUIRE(descriptor >= 0);
    index.save(descriptor, {});
    VectorIndex opened = VectorIndex::open(descriptor, "test");
    close(descriptor);
    return opened;
}

}  // namespace

TEST_CASE("hard problems have the hits of the definition on every route") {
    for (std::uint64_t seed = 0; seed < 42; ++seed) {
        const std::size_t n = seed % 5 == 0 ? 300 : 1 + seed * 3;
        const Problem problem = seeded_problem(seed, n, 1 + seed % 12, 1 + (seed * 7) % 70);
        const HitLists expected = plain_top_k(problem);
        on_every_isa_and_thread_count([&](gnomon::Isa, int threads) {
            CAPTURE(seed);
            CHECK(first_difference(problem, expected, threads) == "");
        });
    }
}

TEST_CASE("many blocks are shared by threads without a trace in the answer") {
    Problem problem = seeded_problem(5, 12'000, 16, 64);
    problem.subset.reset();
    problem.k = 40;
    const HitLists expected = plain_top_k(problem);
    for (const gnomon::Isa isa : gnomon::runnable_isas()) {
        const ScopedVariable forced("GNOMON_ISA", gnomon::isa_name(isa));
        CHECK(first_difference(problem, expected, 7) == "");
    }
}

TEST_CASE("copies of a few rows have the score of their original on every route") {
    for (const std::size_t queries : {std::size_t{3}, std::size_t{20}}) {
        Problem problem = seeded_problem(6, 9'000, queries, 48);
        problem.subset.reset();
        problem.k = 30;
        for (std::size_t row = 5; row < problem.docs.rows; ++row) {
            const float* original = problem.docs.row(row * row % 5);
            std::copy_n(original, problem.docs.cols, problem.docs.row(row));
        }
        const HitLists expected = plain_top_k(problem);
        on_every_isa_and_thread_count([&](gnomon::Isa, int threads) {
            CHECK(first_difference(problem, expected, threads) == "");
        });
    }
}

TEST_CASE("a threshold guessed from rows unlike the rest costs a second pass, not a hit") {
    Problem problem = seeded_problem(4, 5'000, 3, 16);
    problem.exclude.clear();
    problem.subset.reset();
    problem.k = 150;
    gather_near_first_query(problem);
    const HitLists expected = plain_top_k(problem);
    const VectorIndex index(view_of(problem.docs), 1, {});
    on_every_isa_and_thread_count([&](gnomon::Isa, int threads) {
        const Answered answered = ask(index, problem, threads);
        CHECK(difference(answered.hits(), expected) == "");
        CHECK((threads > 1 || answered.result.counters.repeated > 0));
    });
}

TEST_CASE("progress stays at its total while queries pass once more") {
    Problem problem = seeded_problem(4, 9'000, 3, 1'000);
    problem.exclude.clear();
    problem.subset.reset();
    problem.k = 200;
    gather_near_first_query(problem);
    const Request asked(problem);
    SearchOptions options;
    std::uint64_t last = 0;
    options.progress = [&last](std::uint64_t done, std::uint64_t total) {
        CHECK(done >= last);
        CHECK(done <= total);
        last = done;
    };
    const VectorIndex index(view_of(problem.docs), 1, {});
    const gnomon::SearchResult found = index.search(std::array{asked.request}, options);
    CHECK(found.counters.repeated > 0);
}

TEST_CASE("an opened file is checked by several callers at once") {
    Problem problem = seeded_problem(8, 12'000, 16, 64);
    problem.exclude.clear();
    problem.subset.reset();
    problem.k = 10;
    const HitLists expected = plain_top_k(problem);
    const VectorIndex built(view_of(problem.docs), 2, {});
    for (int round = 0; round < 3; ++round) {
        const VectorIndex opened = reopened(built);
        std::atomic<int> wrong{0};
        std::vector<std::thread> callers;
        for (int caller = 0; caller < 4; ++caller) {
            callers.emplace_back([&, caller] {
                if (caller == 3) {
                    opened.verify(2, {});
                }
                const Answered answered = ask(opened, problem, 1 + caller % 2);
                wrong += difference(answered.hits(), expected).empty() ? 0 : 1;
            });
        }
        for (std::thread& caller : callers) {
            caller.join();
        }
        CHECK(wrong.load() == 0);
    }
}

TEST_CASE("a search and a build stop when they are asked to") {
    const Problem problem = seeded_problem(1, 20'000, 9, 64);
    const Request asked(problem);
    SearchOptions options;
    options.interrupted = [] { return true; };
    options.threads = 1;  // with more, the others may have done all the work before it is asked
    CHECK_THROWS_AS(gnomon::cosine_top_k(view_of(problem.docs), std::array{asked.request}, options),
                    gnomon::Interruption);
    CHECK_THROWS_AS(VectorIndex(view_of(problem.docs), 1, options.interrupted),
                    gnomon::Interruption);
}

TEST_CASE("rows that aren't finite are named by the first of them") {
    Problem problem = seeded_problem(4, 5'000, 3, 40);
    problem.exclude.clear();
    problem.subset.reset();
    for (const std::size_t row : {std::size_t{4'900}, std::size_t{1'234}, std::size_t{3'000}}) {
        problem.docs.row(row)[39] = std::numeric_limits<float>::quiet_NaN();
    }
    const Request asked(problem);
    on_every_isa_and_thread_count([&](gnomon::Isa, int threads) {
        SearchOptions options;
        options.threads = threads;
        const auto named = [&](auto&& search) {
            try {
                search();
            } catch (const gnomon::NonFiniteError& error) {
                return error.row();
            }
            return std::size_t{0};
        };
        CHECK(named([&] {
                  gnomon::cosine_top_k(view_of(problem.docs), std::array{asked.request}, options);
              }) == 1'234);
        CHECK(named([&] { const VectorIndex index(view_of(problem.docs), threads, {}); }) == 1'234);
    });
}
