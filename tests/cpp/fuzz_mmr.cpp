// Differential fuzzing of maximal marginal relevance: the bytes choose a small problem
// (mmr_problem.hpp), and every runnable instruction set and thread count must give exactly the
// picks of the plain definition, whether pools are lists of rows or matrices of their own.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>

#include "mmr_problem.hpp"

namespace {

using namespace gnomon::testing;

double drawn_lambda(FuzzedDataProvider& bytes) {
    constexpr std::array kCommon{0.0, 1.0, 0.5, 0.7, 0.3, 0x1p-1074, 0x1p-60, 1.0 - 0x1p-53};
    const auto choice = bytes.ConsumeIntegral<std::uint8_t>();
    if (choice < 128) {
        return kCommon.at(choice % kCommon.size());
    }
    return bytes.ConsumeProbability<double>();
}

Matrix drawn_pool(FuzzedDataProvider& bytes, Coordinates kind, std::size_t cols, Random& random) {
    Matrix pool{bytes.ConsumeIntegralInRange<std::size_t>(1, 10), cols, {}};
    pool.values.resize(pool.rows * cols);
    for (float& value : pool.values) {
        const auto drawn = bytes.remaining_bytes() >= 4
                               ? bytes.ConsumeIntegral<std::uint32_t>()
                               : static_cast<std::uint32_t>(random.next() >> 32U);
        value = coordinate(kind, drawn);
    }
    return pool;
}

MmrProblem problem_from(FuzzedDataProvider& bytes) {
    MmrProblem made;
    Random random(bytes.ConsumeIntegral<std::uint64_t>());
    const bool wide = bytes.ConsumeIntegral<std::uint8_t>() < 40;
    const auto cols = bytes.ConsumeIntegralInRange<std::size_t>(1, wide ? 300 : 30);
    const auto n = bytes.ConsumeIntegralInRange<std::size_t>(0, wide ? 24 : 70);
    const auto q = bytes.ConsumeIntegralInRange<std::size_t>(0, 4);
    const auto kind = bytes.ConsumeEnum<Coordinates>();
    const auto doc_changes = bytes.ConsumeIntegral<std::uint16_t>();
    const auto query_changes = bytes.ConsumeIntegral<std::uint16_t>();
    made.k = bytes.ConsumeIntegralInRange<std::size_t>(1, n + 2);
    made.own_pools = q > 0 && bytes.ConsumeBool();
    const bool whole = bytes.ConsumeBool();
    for (std::size_t i = 0, count = bytes.ConsumeIntegralInRange<std::size_t>(1, 4); i < count;
         ++i) {
        made.lambdas.push_back(drawn_lambda(bytes));
    }
    const Matrix pool = drawn_pool(bytes, kind, cols, random);
    made.docs = drawn_matrix(n, pool, kind, doc_changes, random);
    made.queries = drawn_matrix(q, pool, kind, query_changes, random);
    made.rows.resize(q);
    for (auto& rows : made.rows) {
        rows = drawn_rows(random.below(n + 1), n, random);
        if (whole) {
            rows.resize(n);
            std::iota(rows.begin(), rows.end(), 0);
        }
    }
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider bytes(data, size);
    const MmrProblem problem = problem_from(bytes);
    const auto expected = plain_mmr(problem);
    for (const gnomon::Isa isa : gnomon::runnable_isas()) {
        for (const int threads : {1, 3}) {
            const std::string what = first_difference(problem, expected, isa, threads);
            if (!what.empty()) {
                std::fprintf(stderr, "%s, %d threads: %s\n", gnomon::isa_name(isa), threads,
                             what.c_str());
                std::abort();
            }
        }
    }
    return 0;
}
