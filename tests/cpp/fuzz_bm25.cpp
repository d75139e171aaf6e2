// Differential fuzzing of the BM25 index: the bytes choose a corpus, queries, settings and limits
// (bm25_problem.hpp). All scores must be those of the plain definition; pruned, exhaustive and
// automatic search must give exactly the best of all scores on every runnable instruction set and
// thread count, before and after a way through the file's bytes; and however documents are cut into
// batches, the file is the same.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>

#include "bm25_problem.hpp"
#include "gnomon/isa.hpp"

namespace {

using namespace gnomon::testing;

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
}

Tokens drawn_words(FuzzedDataProvider& bytes) {
    Tokens words;
    const auto count = bytes.ConsumeIntegralInRange<std::size_t>(1, 20);
    const bool any = bytes.ConsumeBool();
    for (std::size_t i = 0; i < count; ++i) {
        words.push_back(any ? bytes.ConsumeRandomLengthString(6) : "w" + std::to_string(i));
    }
    return words;
}

gnomon::BM25Settings drawn_settings(FuzzedDataProvider& bytes) {
    gnomon::BM25Settings by;
    by.variant = static_cast<gnomon::BM25Variant>(bytes.ConsumeIntegralInRange<int>(0, 4));
    if (bytes.ConsumeBool()) {
        by.k1 = bytes.ConsumeFloatingPointInRange<double>(0.0, bytes.ConsumeBool() ? 1e6 : 3.0);
        by.b = bytes.ConsumeProbability<double>();
    }
    if (by.variant == gnomon::BM25Variant::bm25_plus || by.variant == gnomon::BM25Variant::bm25_l) {
        by.delta = bytes.ConsumeFloatingPointInRange<double>(0.0, bytes.ConsumeBool() ? 1e6 : 2.0);
    }
    return by;
}

Bm25Problem problem_from(FuzzedDataProvider& bytes) {
    Bm25Problem made;
    Random random(bytes.ConsumeIntegral<std::uint64_t>());
    made.settings = drawn_settings(bytes);
    const bool large = bytes.ConsumeIntegral<std::uint8_t>() < 10;
    const auto n = bytes.ConsumeIntegralInRange<std::size_t>(0, large ? 20'000 : 300);
    const auto longest = bytes.ConsumeIntegralInRange<std::size_t>(0, large ? 3 : 40);
    const auto empty = bytes.ConsumeIntegralInRange<std::size_t>(1, 20);
    const Tokens words = drawn_words(bytes);
    for (std::size_t i = 0; i < n; ++i) {
        const bool long_one = !large && random.below(100) == 0;
        const std::size_t length = random.below(empty) == 0 ? 0 : random.below(longest + 1);
        made.docs.push_back(drawn_tokens(long_one ? 700 : length, words, random));
    }
    Tokens known = words;
    known.emplace_back("unknown");
    made.queries.resize(bytes.ConsumeIntegralInRange<std::size_t>(0, 4));
    for (Tokens& query : made.queries) {
        query = drawn_tokens(random.below(8), known, random);
    }
    made.k = bytes.ConsumeBool() ? bytes.ConsumeIntegralInRange<std::size_t>(1, n + 2) : 1 + n / 30;
    const auto limits = bytes.ConsumeIntegral<std::uint8_t>();
    if (limits & 1U) {
        made.exclude.resize(made.queries.size());
        for (auto& rows : made.exclude) {
            rows = drawn_rows(random.below(9), n, random);
        }
    }
    if (limits & 2U) {
        made.subset = drawn_rows(random.below(n + 1), n, random);
    }
    return made;
}

gnomon::BM25Index built_in_batches(const Bm25Problem& problem, const Lists& docs, int threads,
                                   Random random) {
    gnomon::BM25Builder builder(problem.settings);
    std::vector<std::uint64_t> offsets;
    for (std::size_t begin = 0; begin < problem.docs.size();) {
        const std::size_t end =
            std::min(problem.docs.size(), begin + 1 + random.below(problem.docs.size()));
        builder.add(docs.part(offsets, begin, end), threads, {});
        begin = end;
    }
    return builder.finish({}, threads, {});
}

// The hits that every search must give, once all scores are those of the definition.
gnomon::HitLists expected_hits(const Bm25Problem& problem, const gnomon::BM25Index& index) {
    gnomon::HitLists lists;
    lists.offsets.push_back(0);
    for (std::size_t q = 0; q < problem.queries.size(); ++q) {
        const std::vector<std::string_view> query(problem.queries[q].begin(),
                                                  problem.queries[q].end());
        std::vector<float> found(problem.docs.size());
        index.scores(query, found, {});
        const std::vector<double> plain = plain_scores(problem, problem.queries[q]);
        for (std::size_t row = 0; row < found.size(); ++row) {
            const double error = std::fabs(static_cast<double>(found[row]) - plain[row]);
            if (!(error <= plain[row] * 1e-6)) {
                fail("score of row " + std::to_string(row) + " is " + std::to_string(found[row]) +
                     ", expected " + std::to_string(plain[row]));
            }
        }
        rank_scores(problem, q, found, lists);
    }
    return lists;
}

void check_searches(const Bm25Problem& problem, const gnomon::BM25Index& index,
                    const gnomon::HitLists& expected, const char* route) {
    const Bm25Asked asked(problem);
    for (const auto strategy : {gnomon::BM25Strategy::automatic, gnomon::BM25Strategy::pruned,
                                gnomon::BM25Strategy::exhaustive}) {
        for (const int threads : {1, 3}) {
            gnomon::BM25Options options;
            options.strategy = strategy;
            options.threads = threads;
            const std::string what = difference(index.search(asked.request, options), expected);
            if (!what.empty()) {
                fail(std::string(route) + ", strategy " +
                     std::to_string(static_cast<int>(strategy)) + ", " + std::to_string(threads) +
                     " threads: " + what);
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider bytes(data, size);
    const Bm25Problem problem = problem_from(bytes);
    const Lists docs(problem.docs);
    unsetenv("GNOMON_ISA");
    const auto index = gnomon::BM25Index::build(docs.view(), problem.settings, 1);
    const gnomon::HitLists expected = expected_hits(problem, index);
    const std::vector<unsigned char> file = index.bytes();
    const auto again = built_in_batches(problem, docs, 3, Random(size + 1));
    if (again.bytes() != file) {
        fail("other batches give another file");
    }
    const auto opened = gnomon::BM25Index::from_bytes(file, "fuzzed");
    opened.verify(2, {});
    for (const gnomon::Isa isa : gnomon::runnable_isas()) {
        setenv("GNOMON_ISA", gnomon::isa_name(isa), 1);
        check_searches(problem, index, expected, gnomon::isa_name(isa));
        check_searches(problem, opened, expected, "opened");
    }
    return 0;
}
