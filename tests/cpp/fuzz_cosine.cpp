// Differential fuzzing of the cosine top-k: the bytes choose a small problem (search_problem.hpp),
// and every runnable instruction set, thread count and route must give exactly the hits of the
// plain definition.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>

#include "gnomon/isa.hpp"
#include "search_problem.hpp"

namespace {

using namespace gnomon::testing;

constexpr std::size_t kMaxRows = 400;
constexpr std::size_t kMaxWidth = 300;
constexpr std::size_t kMaxQueries = 40;

Problem problem_from(FuzzedDataProvider& bytes) {
    Problem made;
    Random random(bytes.ConsumeIntegral<std::uint64_t>());
    const auto sizes = bytes.ConsumeIntegral<std::uint8_t>();  // mostly small: a large one is slow
    const auto size = [&](unsigned bit, std::size_t least, std::size_t small, std::size_t large) {
        const bool is_large = ((sizes >> bit) & 3U) == 3U;
        return bytes.ConsumeIntegralInRange<std::size_t>(least, is_large ? large : small);
    };
    const std::size_t cols = size(0, 1, 40, kMaxWidth);
    const std::size_t n = size(2, 0, 80, kMaxRows);
    const std::size_t q = size(4, 0, 10, kMaxQueries);
    const auto kind = bytes.ConsumeEnum<Coordinates>();
    const auto doc_changes = bytes.ConsumeIntegral<std::uint16_t>();
    const auto query_changes = bytes.ConsumeIntegral<std::uint16_t>();
    made.k = bytes.ConsumeBool() ? bytes.ConsumeIntegralInRange<std::size_t>(1, n + 3) : 1 + n / 16;

    const auto limits = bytes.ConsumeIntegral<std::uint8_t>();
    if (limits & 1U) {
        made.exclude.resize(q);
        for (auto& rows : made.exclude) {
            rows = drawn_rows(random.below(6), n, random);
        }
    }
    if (limits & 2U) {
        made.subset = drawn_rows(random.below(n + 1), n, random);
    }
    if (limits & 4U) {
        made.labels.resize(n);
        for (auto& label : made.labels) {
            label = static_cast<std::uint8_t>(random.below(3));
        }
        made.row_class = bytes.ConsumeIntegralInRange<std::uint8_t>(0, 3);
    }

    Matrix pool{bytes.ConsumeIntegralInRange<std::size_t>(1, 12), cols, {}};
    pool.values.resize(pool.rows * cols);
    for (float& value : pool.values) {
        const auto drawn = bytes.remaining_bytes() >= 4
                               ? bytes.ConsumeIntegral<std::uint32_t>()
                               : static_cast<std::uint32_t>(random.next() >> 32U);
        value = coordinate(kind, drawn);
    }
    made.docs = drawn_matrix(n, pool, kind, doc_changes, random);
    made.queries = drawn_matrix(q, pool, kind, query_changes, random);
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider bytes(data, size);
    const Problem problem = problem_from(bytes);
    const gnomon::HitLists expected = plain_top_k(problem);
    for (const gnomon::Isa isa : gnomon::runnable_isas()) {
        setenv("GNOMON_ISA", gnomon::isa_name(isa), 1);
        for (const int threads : {1, 3}) {
            const std::string what = first_difference(problem, expected, threads);
            if (!what.empty()) {
                std::fprintf(stderr, "%s, %d threads: %s\n", gnomon::isa_name(isa), threads,
                             what.c_str());
                std::abort();
            }
        }
    }
    return 0;
}
