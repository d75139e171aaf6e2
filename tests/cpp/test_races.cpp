// Several callers of one object at once: what the thread sanitizer sees. Searches of an index that
// was opened check blocks when they are first touched, so that readers meet in writing.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "bm25_problem.hpp"
#include "gnomon/rrf.hpp"
#include "gnomon/text.hpp"
#include "mmr_problem.hpp"
#include "support.hpp"

using namespace gnomon::testing;
using gnomon::HitLists;

namespace {

constexpr int kCallers = 4;

// call(caller) on several threads at the same time; the number of calls that returned false.
template <typename Call>
int failures_side_by_side(Call call) {
    std::atomic<int> waiting{kCallers};
    std::atomic<int> failures{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < kCallers; ++caller) {
        callers.emplace_back([&, caller] {
            --waiting;
            while (waiting > 0) {
                std::this_thread::yield();
            }
            if (!call(caller)) {
                ++failures;
            }
        });
    }
    for (std::thread& caller : callers) {
        caller.join();
    }
    return failures;
}

Bm25Problem words_problem() {
    Bm25Problem made;
    Random random(7);
    Tokens words;
    for (int i = 0; i < 60; ++i) {
        words.push_back("w" + std::to_string(i));
    }
    for (int i = 0; i < 9000; ++i) {
        made.docs.push_back(drawn_tokens(random.below(9), words, random));
    }
    for (int i = 0; i < 20; ++i) {
        made.queries.push_back(drawn_tokens(1 + random.below(5), words, random));
    }
    made.k = 15;
    return made;
}

HitLists search(const gnomon::BM25Index& index, const Bm25Problem& problem, int threads) {
    const Bm25Asked asked(problem);
    gnomon::BM25Options options;
    options.threads = threads;
    return index.search(asked.request, options);
}

gnomon::BM25Index opened_by_map(const gnomon::BM25Index& index) {
    const int descriptor = memfd_create("index", 0);
    REQUIRE(descriptor >= 0);
    index.save(descriptor, {});
    auto opened = gnomon::BM25Index::open(descriptor, "test");
    close(descriptor);
    return opened;
}

MmrProblem vectors_problem() {
    MmrProblem made;
    Random random(9);
    Matrix pool{8, 20, std::vector<float>(160)};
    for (float& value : pool.values) {
        value = random.unit();
    }
    made.docs = drawn_matrix(60, pool, Coordinates::units, 0x1FF, random);
    made.queries = drawn_matrix(12, pool, Coordinates::units, 0x101, random);
    made.rows.assign(12, drawn_rows(200, 60, random));
    made.lambdas = {0.0, 0.5, 1.0};
    made.k = 20;
    return made;
}

}  // namespace

TEST_CASE("one BM25 index answers several callers at once") {
    const Bm25Problem problem = words_problem();
    const Lists docs(problem.docs);
    const auto built = gnomon::BM25Index::build(docs.view(), problem.settings, 3);
    const HitLists expected = search(built, problem, 1);
    const auto opened = opened_by_map(built);
    CHECK(failures_side_by_side([&](int caller) {
              return difference(search(opened, problem, 1 + caller % 2), expected).empty();
          }) == 0);
    CHECK(failures_side_by_side([&](int caller) {
              if (caller == 0) {
                  opened.verify(2, {});
              }
              return difference(search(built, problem, 2), expected).empty();
          }) == 0);
}

TEST_CASE("scores and searches of one opened index meet at its blocks") {
    const Bm25Problem problem = words_problem();
    const Lists docs(problem.docs);
    const auto opened = opened_by_map(gnomon::BM25Index::build(docs.view(), problem.settings, 1));
    CHECK(failures_side_by_side([&](int caller) {
              const Tokens& query = problem.queries[static_cast<std::size_t>(caller)];
              const std::vector<std::string_view> views(query.begin(), query.end());
              std::vector<float> scores(opened.docs());
              opened.scores(views, scores, {});
              return opened.term_id("w1").has_value() && opened.term_id("w") == std::nullopt;
          }) == 0);
}

TEST_CASE("MMR and rank fusion share nothing between callers") {
    const MmrProblem problem = vectors_problem();
    const auto expected = plain_mmr(problem);
    CHECK(failures_side_by_side([&](int caller) {
              return first_difference(problem, expected, gnomon::chosen_isa(), 1 + caller % 3)
                  .empty();
          }) == 0);
    const std::vector<std::int64_t> ids{5, 3, 5, 9, 1, 7};
    const std::vector<std::int64_t> offsets{0, 4, 6};
    const std::vector<gnomon::RankedLists> lists(3, {ids, offsets});
    const std::vector<double> weights{1.0, 0.5, 2.0};
    gnomon::RrfRequest request;
    request.lists = lists;
    request.weights = weights;
    const HitLists fused = gnomon::rrf(request, 1, {});
    CHECK(failures_side_by_side([&](int caller) {
              return difference(gnomon::rrf(request, 1 + caller % 3, {}), fused).empty();
          }) == 0);
}

TEST_CASE("token streams share nothing") {
    const std::string text = "Z\xC3\xBCrich \xE6\x9D\xB1\xE4\xBA\xAC STRASSE x1";
    CHECK(failures_side_by_side([&](int) {
              gnomon::TokenStream stream;
              std::size_t words = 0;
              for (int turn = 0; turn < 200; ++turn) {
                  gnomon::for_each_token(stream, text, [&](std::string_view) { ++words; });
              }
              return words == 800;
          }) == 0);
}
