// Differential fuzzing of the cosine top-k.
//
// The bytes choose a small problem: documents with structure (copies, negatives, neighbours one
// step of float32 away, powers of two, zeros, subnormals, int8 values, spikes), queries near them,
// k, exclusions, a subset and row classes. Every runnable instruction set, thread count and route
// must then give exactly the hits of the plain definition below, which shares no code with the
// kernels.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "gnomon/cosine.hpp"
#include "gnomon/isa.hpp"

namespace {

using gnomon::HitLists;
using gnomon::MatrixView;
using gnomon::SearchOptions;
using gnomon::SearchRequest;

constexpr std::size_t kMaxRows = 400;
constexpr std::size_t kMaxWidth = 300;
constexpr std::size_t kMaxQueries = 40;

// A cheap generator, so that few bytes make many values.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed | 1U) {}
    std::uint64_t next() {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        return state_ * 0x2545F4914F6CDD1DULL;
    }
    std::size_t below(std::size_t limit) {
        return static_cast<std::size_t>((next() >> 32U) % limit);
    }
    float unit() { return static_cast<float>(static_cast<double>(next() >> 11U) * 0x1p-52 - 1.0); }

  private:
    std::uint64_t state_;
};

struct Matrix {
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::vector<float> values;

    float* row(std::size_t r) { return values.data() + r * cols; }
    const float* row(std::size_t r) const { return values.data() + r * cols; }
};

struct Problem {
    Matrix docs;
    Matrix queries;
    std::size_t k = 1;
    std::vector<std::vector<std::int64_t>> exclude;  // one list a query, or empty for none at all
    std::optional<std::vector<std::int64_t>> subset;
    std::vector<std::uint8_t> labels;
    std::optional<std::uint8_t> row_class;
};

// ---------------------------------------------------------------------------------------------
// From bytes to a problem

enum class Coordinates {
    bits,
    small_integers,
    int8,
    subnormals,
    units,
    top,
    wide_range,
    kMaxValue = wide_range
};
enum class Change {
    copy,
    negate,
    neighbour,
    scale,
    zero,
    minus_zero,
    spike,
    noise,
    fresh,
    kMaxValue = fresh
};

float finite(std::uint32_t bits) {
    const float value = std::bit_cast<float>(bits);
    return std::isfinite(value) ? value : std::bit_cast<float>(bits & 0x7FFFFFU);
}

float coordinate(Coordinates kind, std::uint32_t drawn) {
    const auto byte = static_cast<float>(static_cast<std::int8_t>(drawn & 0xFFU));
    switch (kind) {
    case Coordinates::bits: return finite(drawn);
    case Coordinates::small_integers: return static_cast<float>(static_cast<int>(drawn % 5U) - 2);
    case Coordinates::int8: return byte == -128.0F ? 127.0F : byte;
    case Coordinates::subnormals: return byte * std::numeric_limits<float>::denorm_min();
    case Coordinates::units: return static_cast<float>(static_cast<double>(drawn) * 0x1p-31 - 1.0);
    case Coordinates::top: return byte / 128.0F * std::numeric_limits<float>::max();
    case Coordinates::wide_range: {
        const auto exponent = static_cast<int>((drawn >> 8U) % 250U) - 125;
        return std::ldexp(byte / 128.0F, exponent);
    }
    }
    return 0.0F;
}

void change(Change how, float* row, std::size_t cols, Coordinates kind, Random& random) {
    const std::size_t at = random.below(cols);
    const int exponent = static_cast<int>(random.below(41)) - 20;
    for (std::size_t i = 0; i < cols; ++i) {
        switch (how) {
        case Change::negate: row[i] = -row[i]; break;
        case Change::scale: row[i] = std::ldexp(row[i], exponent); break;
        case Change::zero: row[i] = 0.0F; break;
        case Change::minus_zero: row[i] = -0.0F; break;
        case Change::noise: row[i] += row[i] * 1e-6F * random.unit(); break;
        case Change::fresh:
            row[i] = coordinate(kind, static_cast<std::uint32_t>(random.next() >> 32U));
            break;
        case Change::neighbour:
            if (i == at)
                row[i] = std::nextafterf(row[i], random.unit());
            break;
        case Change::spike:
            if (i == at)
                row[i] = random.unit() * 1e6F;
            break;
        case Change::copy: break;
        }
        if (!std::isfinite(row[i])) {
            row[i] = 1.0F;
        }
    }
}

Matrix drawn_matrix(std::size_t rows, const Matrix& pool, Coordinates kind, std::uint16_t allowed,
                    Random& random) {
    Matrix made{rows, pool.cols, std::vector<float>(rows * pool.cols)};
    std::vector<Change> changes;
    for (unsigned each = 0; each <= static_cast<unsigned>(Change::kMaxValue); ++each) {
        if ((allowed >> each) & 1U) {
            changes.push_back(static_cast<Change>(each));
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        std::copy_n(pool.row(random.below(pool.rows)), pool.cols, made.row(r));
        if (!changes.empty()) {
            change(changes[random.below(changes.size())], made.row(r), made.cols, kind, random);
        }
    }
    return made;
}

std::vector<std::int64_t> drawn_rows(std::size_t count, std::size_t n, Random& random) {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < count && n > 0; ++i) {
        rows.push_back(static_cast<std::int64_t>(random.below(n)));
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

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

// ---------------------------------------------------------------------------------------------
// The plain definition

double plain_dot(const float* a, const float* b, std::size_t cols) {
    std::array<double, 32> lanes{};
    for (std::size_t i = 0; i < cols; ++i) {
        lanes[i % 32] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    for (std::size_t half = 16; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            lanes[lane] += lanes[lane + half];
        }
    }
    return lanes[0];
}

std::vector<double> plain_norms(const Matrix& matrix) {
    std::vector<double> norms;
    for (std::size_t r = 0; r < matrix.rows; ++r) {
        norms.push_back(std::sqrt(plain_dot(matrix.row(r), matrix.row(r), matrix.cols)));
    }
    return norms;
}

float plain_score(double dot, double norms) {
    if (norms == 0.0) {
        return 0.0F;
    }
    const auto score = std::clamp(static_cast<float>(dot / norms), -1.0F, 1.0F);
    return score == 0.0F ? 0.0F : score;
}

bool admitted(const Problem& problem, std::size_t query, std::size_t row) {
    const auto holds = [row](const std::vector<std::int64_t>& rows) {
        return std::find(rows.begin(), rows.end(), static_cast<std::int64_t>(row)) != rows.end();
    };
    if (!problem.exclude.empty() && holds(problem.exclude[query])) {
        return false;
    }
    if (problem.row_class && problem.labels[row] != *problem.row_class) {
        return false;
    }
    return !problem.subset || holds(*problem.subset);
}

HitLists plain_top_k(const Problem& problem) {
    const std::vector<double> query_norms = plain_norms(problem.queries);
    const std::vector<double> doc_norms = plain_norms(problem.docs);
    HitLists lists;
    lists.offsets.push_back(0);
    for (std::size_t q = 0; q < problem.queries.rows; ++q) {
        std::vector<std::pair<float, std::int64_t>> hits;
        for (std::size_t r = 0; r < problem.docs.rows; ++r) {
            if (admitted(problem, q, r)) {
                const double dot =
                    plain_dot(problem.queries.row(q), problem.docs.row(r), problem.docs.cols);
                hits.emplace_back(-plain_score(dot, query_norms[q] * doc_norms[r]),
                                  static_cast<std::int64_t>(r));
            }
        }
        std::sort(hits.begin(), hits.end());
        hits.resize(std::min(hits.size(), problem.k));
        for (const auto& [negated, row] : hits) {
            lists.ids.push_back(row);
            lists.scores.push_back(negated == 0.0F ? 0.0F : -negated);
        }
        lists.offsets.push_back(static_cast<std::int64_t>(lists.ids.size()));
    }
    return lists;
}

// ---------------------------------------------------------------------------------------------
// Every route against it

MatrixView view_of(const Matrix& matrix) {
    const auto stride = static_cast<std::ptrdiff_t>(matrix.cols * sizeof(float));
    return {matrix.values.data(), matrix.rows,       matrix.cols, stride,
            sizeof(float),        gnomon::Dtype::f32};
}

void demand_same(const HitLists& found, const HitLists& expected, const char* route,
                 const char* pass, const char* isa, int threads) {
    const bool same_bits =
        found.scores.size() == expected.scores.size() &&
        (found.scores.empty() || std::memcmp(found.scores.data(), expected.scores.data(),
                                             found.scores.size() * sizeof(float)) == 0);
    if (found.offsets != expected.offsets || found.ids != expected.ids || !same_bits) {
        std::fprintf(stderr, "%s, %s, differs from the definition with %s and %d threads\n", route,
                     pass, isa, threads);
        for (std::size_t i = 0; i < std::min(found.ids.size(), expected.ids.size()); ++i) {
            if (found.ids[i] != expected.ids[i] || found.scores[i] != expected.scores[i]) {
                std::fprintf(stderr, "hit %zu: row %lld score %.9g, expected row %lld score %.9g\n",
                             i, static_cast<long long>(found.ids[i]),
                             static_cast<double>(found.scores[i]),
                             static_cast<long long>(expected.ids[i]),
                             static_cast<double>(expected.scores[i]));
                break;
            }
        }
        std::abort();
    }
}

// Owns what a request only points to.
struct Request {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> rows;
    SearchRequest request;

    explicit Request(const Problem& problem) {
        request.queries = view_of(problem.queries);
        request.k = problem.k;
        request.row_class = problem.row_class;
        if (!problem.exclude.empty()) {
            offsets.push_back(0);
            for (const auto& list : problem.exclude) {
                rows.insert(rows.end(), list.begin(), list.end());
                offsets.push_back(static_cast<std::int64_t>(rows.size()));
            }
            request.exclude_offsets = offsets;
            request.exclude_rows = rows;
        }
    }
};

void check_routes(const Problem& problem, const HitLists& expected, const char* isa, int threads) {
    const Request asked(problem);
    SearchRequest other = asked.request;
    other.k = 1;
    other.exclude_offsets = {};
    other.exclude_rows = {};

    SearchOptions options;
    options.threads = threads;
    options.row_labels = problem.labels;
    if (problem.subset) {
        options.subset = std::span<const std::int64_t>(*problem.subset);
    }
    const MatrixView docs = view_of(problem.docs);
    const gnomon::VectorIndex index(docs, threads, {});
    const auto check = [&](const char* route, auto&& search) {
        const std::array alone{asked.request};
        demand_same(search(alone).lists.at(0), expected, route, "alone", isa, threads);
        const std::array shared{other, asked.request};
        demand_same(search(shared).lists.at(1), expected, route, "shared", isa, threads);
    };
    check("array", [&](std::span<const SearchRequest> requests) {
        return gnomon::cosine_top_k(docs, requests, options);
    });
    check("index",
          [&](std::span<const SearchRequest> requests) { return index.search(requests, options); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider bytes(data, size);
    const Problem problem = problem_from(bytes);
    const HitLists expected = plain_top_k(problem);
    for (const gnomon::Isa isa : gnomon::runnable_isas()) {
        setenv("GNOMON_ISA", gnomon::isa_name(isa), 1);
        for (const int threads : {1, 3}) {
            check_routes(problem, expected, gnomon::isa_name(isa), threads);
        }
    }
    return 0;
}
