// Hard problems for the cosine top-k, and their answer by the plain definition.
//
// Documents have structure: copies, negatives, neighbours one step of float32 away, powers of two,
// zeros, subnormals, int8 values, spikes; queries are near them. The definition shares no code with
// the kernels. The fuzz target draws problems from bytes, test_cosine.cpp from seeds.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/cosine.hpp"

namespace gnomon::testing {

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

inline float finite(std::uint32_t bits) {
    const float value = std::bit_cast<float>(bits);
    return std::isfinite(value) ? value : std::bit_cast<float>(bits & 0x7FFFFFU);
}

inline float coordinate(Coordinates kind, std::uint32_t drawn) {
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

inline void change(Change how, float* row, std::size_t cols, Coordinates kind, Random& random) {
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

inline Matrix drawn_matrix(std::size_t rows, const Matrix& pool, Coordinates kind,
                           std::uint16_t allowed, Random& random) {
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

inline std::vector<std::int64_t> drawn_rows(std::size_t count, std::size_t n, Random& random) {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < count && n > 0; ++i) {
        rows.push_back(static_cast<std::int64_t>(random.below(n)));
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

inline double plain_dot(const float* a, const float* b, std::size_t cols) {
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

inline std::vector<double> plain_norms(const Matrix& matrix) {
    std::vector<double> norms;
    for (std::size_t r = 0; r < matrix.rows; ++r) {
        norms.push_back(std::sqrt(plain_dot(matrix.row(r), matrix.row(r), matrix.cols)));
    }
    return norms;
}

inline float plain_score(double dot, double norms) {
    if (norms == 0.0) {
        return 0.0F;
    }
    const auto score = std::clamp(static_cast<float>(dot / norms), -1.0F, 1.0F);
    return score == 0.0F ? 0.0F : score;
}

inline bool admitted(const Problem& problem, std::size_t query, std::size_t row) {
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

inline HitLists plain_top_k(const Problem& problem) {
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

inline MatrixView view_of(const Matrix& matrix) {
    const auto stride = static_cast<std::ptrdiff_t>(matrix.cols * sizeof(float));
    return {matrix.values.data(), matrix.rows,       matrix.cols, stride,
            sizeof(float),        gnomon::Dtype::f32};
}

// Empty when the lists are equal to the bit, else the first place where they aren't.
inline std::string difference(const HitLists& found, const HitLists& expected) {
    if (found.offsets != expected.offsets) {
        return "the lists have other lengths";
    }
    for (std::size_t i = 0; i < expected.ids.size(); ++i) {
        if (found.ids[i] != expected.ids[i] ||
            std::bit_cast<std::uint32_t>(found.scores[i]) !=
                std::bit_cast<std::uint32_t>(expected.scores[i])) {
            std::ostringstream said;
            said << std::setprecision(9) << "hit " << i << " is row " << found.ids[i]
                 << " with score " << found.scores[i] << ", expected row " << expected.ids[i]
                 << " with score " << expected.scores[i];
            return said.str();
        }
    }
    return {};
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

// Searches arrays and a prepared index, the problem alone and as the second request of a pass.
// Empty when all answers are the expected ones, else which one isn't and where.
inline std::string first_difference(const Problem& problem, const HitLists& expected, int threads) {
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
    const VectorIndex index(docs, threads, {});
    const std::array alone{asked.request};
    const std::array shared{other, asked.request};
    for (const auto& [name, found] : {
             std::pair{"array: ", cosine_top_k(docs, alone, options)},
             std::pair{"array, shared pass: ", cosine_top_k(docs, shared, options)},
             std::pair{"index: ", index.search(alone, options)},
             std::pair{"index, shared pass: ", index.search(shared, options)},
         }) {
        if (const std::string what = difference(found.lists.back(), expected); !what.empty()) {
            return name + what;
        }
    }
    return {};
}

}  // namespace gnomon::testing
