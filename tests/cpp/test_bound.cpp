// The bounds by which rows are skipped, tried on hard data pair by pair: a bound that is too low by
// one unit would hardly ever change a top k, and here fails at once.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "cosine/bound.hpp"
#include "cosine/buffer.hpp"
#include "cosine/coder.hpp"
#include "cosine/float_dots.hpp"
#include "cosine/query_set.hpp"
#include "cosine/screen.hpp"
#include "search_problem.hpp"
#include "support.hpp"

using namespace gnomon::testing;
using namespace gnomon::detail;

namespace {

constexpr std::size_t kRowsAtOnce = 3;
constexpr std::size_t kWidths[] = {1, 2, 3, 5, 16, 17, 31, 64, 100, 384, 1024};

// Rows and queries of one kind each; the rows end with copies of the queries and rows halfway
// between two codes, where rounding is largest.
struct Data {
    Matrix docs;
    Matrix queries;
};

Data hard_data(std::uint64_t seed, std::size_t d) {
    Random random(seed * 0x9E3779B97F4A7C15ULL);
    const auto kind = static_cast<Coordinates>(seed % 7);
    Matrix pool{8, d, std::vector<float>(8 * d)};
    for (float& value : pool.values) {
        value = coordinate(kind, static_cast<std::uint32_t>(random.next() >> 32U));
    }
    for (std::size_t i = 0; i < d; ++i) {  // one row halfway between codes
        pool.row(7)[i] = static_cast<float>(random.below(253)) - 126.5F;
    }
    pool.row(7)[random.below(d)] = 127.0F;
    Data made{drawn_matrix(70, pool, kind, static_cast<std::uint16_t>(random.next()), random),
              drawn_matrix(11, pool, kind, static_cast<std::uint16_t>(random.next()), random)};
    std::copy(made.queries.values.begin(), made.queries.values.end(), made.docs.values.begin());
    return made;
}

std::vector<std::size_t> nonzero_rows(const std::vector<double>& norms) {
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < norms.size(); ++r) {
        if (norms[r] > 0.0) {
            rows.push_back(r);
        }
    }
    return rows;
}

// The documents' tiles with their memory.
struct Tiles {
    Buffer codes;
    std::vector<float> scale;
    std::vector<float> slack;
    CodeTiles view;

    Tiles(const RowCoder& coder, const Matrix& docs)
        : codes(tiles_of(docs.rows) * coder.groups() * kTileGroupBytes),
          scale(tiles_of(docs.rows) * kTileRows), slack(scale.size()) {
        RowCoder::Scratch scratch(coder);
        const RowSource source(view_of(docs));
        for (std::size_t tile = 0; tile < tiles_of(docs.rows); ++tile) {
            const std::size_t first = tile * kTileRows;
            coder.code_tile(source, first, std::min(kTileRows, docs.rows - first), scratch,
                            codes.data() + tile * coder.groups() * kTileGroupBytes,
                            scale.data() + first, slack.data() + first);
        }
        view = {codes.data(), scale.data(), slack.data(), tiles_of(docs.rows), coder.groups()};
    }
};

// Pairs whose row a query would have skipped although it scores what the threshold is, or whose
// interval for the score, as float32 arithmetic gives it, ends below the float64 value or begins
// above the score.
struct Violations {
    int skipped = 0;
    int below = 0;
    int above = 0;
};

Violations violations_of(const Data& data, gnomon::Isa isa, bool rotate) {
    const RowCoder coder(isa, data.docs.cols, rotate);
    const Tiles tiles(coder, data.docs);
    gnomon::SearchRequest request;
    request.queries = view_of(data.queries);
    request.k = 1;
    const QuerySet queries(std::span(&request, 1), data.docs.rows, isa);
    const std::vector<double> query_norms = plain_norms(data.queries);
    const std::vector<double> doc_norms = plain_norms(data.docs);
    const CodedQueries coded(queries, nonzero_rows(query_norms), coder);
    const std::vector<float> open(kBlockQueries, -std::numeric_limits<float>::infinity());
    std::vector<Survivors> found(tiles.view.tiles * kBlockQueries);
    Violations violations;
    for (const CodedQueries::Block& block : coded.blocks()) {
        const QueryBlock view = coded.view(block, open.data());
        const std::size_t count =
            screen_kernel(isa).screen(tiles.view, 0, tiles.view.tiles, view, found.data());
        REQUIRE(count == tiles.view.tiles * block.queries);
        for (std::size_t s = 0; s < count; ++s) {
            if (found[s].query >= block.used) {
                continue;
            }
            const BoundTerms& terms = coded.terms(block.first + found[s].query);
            const std::size_t q = coded.id(block.first + found[s].query);
            for (std::size_t j = 0; j < kTileRows; ++j) {
                const std::size_t row = found[s].tile * kTileRows + j;
                if (row >= data.docs.rows || doc_norms[row] == 0.0) {
                    continue;
                }
                const double dot =
                    plain_dot(data.queries.row(q), data.docs.row(row), data.docs.cols);
                const double norms = query_norms[q] * doc_norms[row];
                const float bound = found[s].bound[j];
                const float score = plain_score(dot, norms);
                violations.skipped += bound < terms.floor_for(score) ? 1 : 0;
                const float upper = terms.upper(bound);
                violations.below += static_cast<double>(upper) < dot / norms ? 1 : 0;
                const float lower = upper - 2.0F * terms.spread(tiles.slack[row]);
                violations.above += lower > score ? 1 : 0;
            }
        }
    }
    return violations;
}

}  // namespace

TEST_CASE("no row that reaches the threshold is skipped by its int8 bound") {
    for (const gnomon::Isa isa : gnomon::runnable_isas()) {
        for (const bool rotate : {false, true}) {
            for (std::uint64_t seed = 0; seed < 70; ++seed) {
                const std::size_t d = kWidths[seed % std::size(kWidths)];
                const Violations violations = violations_of(hard_data(seed, d), isa, rotate);
                CAPTURE(gnomon::isa_name(isa));
                CAPTURE(rotate);
                CAPTURE(seed);
                CHECK(violations.skipped == 0);
                CHECK(violations.below == 0);
                CHECK(violations.above == 0);
            }
        }
    }
}

TEST_CASE("float32 dots are as near as their error says") {
    for (const gnomon::Isa isa : gnomon::runnable_isas()) {
        const auto& kernel = float_dot_kernel(isa);
        for (std::uint64_t seed = 0; seed < 70; ++seed) {
            const std::size_t d = kWidths[seed % std::size(kWidths)];
            const Data data = hard_data(seed, d);
            const std::vector<double> query_norms = plain_norms(data.queries);
            const std::vector<double> doc_norms = plain_norms(data.docs);
            const double underflow = static_cast<double>(d) * 0x1p-149;
            for (std::size_t first = 0; first < data.docs.rows; first += kRowsAtOnce) {
                const std::size_t count = std::min(kRowsAtOnce, data.docs.rows - first);
                const float* rows[kRowsAtOnce] = {};
                for (std::size_t r = 0; r < count; ++r) {
                    rows[r] = data.docs.row(first + r);
                }
                float scanned[kScanQueries * kRowsAtOnce];
                float norms[kRowsAtOnce];
                kernel.scan(data.queries.values.data(), kScanQueries, rows, count, d, scanned,
                            norms);
                for (std::size_t r = 0; r < count; ++r) {
                    for (std::size_t q = 0; q < kScanQueries; ++q) {
                        const double exact = plain_dot(data.queries.row(q), rows[r], d);
                        const double allowed =
                            float_dot_error(d) * query_norms[q] * doc_norms[first + r] + underflow;
                        const float alone = kernel.dot(data.queries.row(q), rows[r], d);
                        for (const float dot : {alone, scanned[q * count + r]}) {
                            // What overflows is scored, not bounded.
                            if (std::isfinite(dot) && allowed < 0x1p+100) {
                                CHECK(std::fabs(static_cast<double>(dot) - exact) <= allowed);
                            }
                        }
                    }
                    if (std::isfinite(norms[r])) {
                        const double exact = doc_norms[first + r] * doc_norms[first + r];
                        const double found = static_cast<double>(norms[r]) * norms[r];
                        // The root's own rounding counts twice in its square.
                        const double allowed =
                            (float_dot_error(d) + 0x1p-22) * exact + underflow * (1.0 + 0x1p-22);
                        CHECK(std::fabs(found - exact) <= allowed);
                    }
                }
            }
        }
    }
}

TEST_CASE("long rows that are looked through ahead have the codes of rows that are converted") {
    constexpr std::size_t kRows = 37;
    for (const std::size_t d : {std::size_t{683}, std::size_t{1024}, std::size_t{1100}}) {
        std::vector<float> rows = random_values(kRows * d, 31);
        const auto scale_row = [&](std::size_t row, float factor) {
            for (std::size_t i = 0; i < d; ++i) {
                rows[row * d + i] *= factor;
            }
        };
        for (const std::size_t zero : {0, 1, 14, 17, 18, 36}) {
            scale_row(zero, 0.0F);
        }
        scale_row(2, 0x1p100F);
        scale_row(16, 0x1p-100F);
        std::vector<std::int64_t> backwards(kRows);
        std::iota(backwards.rbegin(), backwards.rend(), std::int64_t{0});
        const std::vector<double> wide(rows.begin(), rows.end());
        const auto step = static_cast<std::ptrdiff_t>(d * sizeof(double));
        const gnomon::MatrixView converted{wide.data(), kRows, d, step, 8, gnomon::Dtype::f64};
        for (const gnomon::Isa isa : gnomon::runnable_isas()) {
            CAPTURE(gnomon::isa_name(isa));
            const RowCoder coder(isa, d, false);
            const auto check = [&](const RowSource& in_place, const RowSource& other) {
                RowCoder::Scratch scratch(coder);
                RowCoder::Scratch other_scratch(coder);
                for (std::size_t first = 0; first < kRows; first += kTileRows) {
                    const std::size_t count = std::min(kTileRows, kRows - first);
                    Buffer tile(coder.groups() * kTileGroupBytes);
                    Buffer other_tile(coder.groups() * kTileGroupBytes);
                    float scales[2][kTileRows];
                    float slacks[2][kTileRows];
                    const RowKind kind = coder.code_tile(in_place, first, count, scratch,
                                                         tile.data(), scales[0], slacks[0]);
                    CHECK(kind == coder.code_tile(other, first, count, other_scratch,
                                                  other_tile.data(), scales[1], slacks[1]));
                    CHECK(std::equal(tile.data(), tile.data() + coder.groups() * kTileGroupBytes,
                                     other_tile.data()));
                    CHECK(std::equal(scales[0], scales[0] + kTileRows, scales[1]));
                    CHECK(std::equal(slacks[0], slacks[0] + kTileRows, slacks[1]));
                }
            };
            const gnomon::MatrixView floats = view_of(rows, kRows, d);
            check(RowSource(floats), RowSource(converted));
            check(RowSource(floats, backwards), RowSource(converted, backwards));
        }
    }
}

TEST_CASE("a long row that isn't finite is told in its own tile") {
    constexpr std::size_t kRows = 37;
    constexpr std::size_t kDims = 1024;
    for (const std::size_t bad : {0, 1, 15, 16, 17, 33, 36}) {
        std::vector<float> rows = random_values(kRows * kDims, 32);
        rows[(bad + 1) * kDims - 1] = std::numeric_limits<float>::quiet_NaN();
        const RowSource source(view_of(rows, kRows, kDims));
        for (const gnomon::Isa isa : gnomon::runnable_isas()) {
            CAPTURE(gnomon::isa_name(isa));
            const RowCoder coder(isa, kDims, false);
            RowCoder::Scratch scratch(coder);
            Buffer tile(coder.groups() * kTileGroupBytes);
            float scale[kTileRows];
            float slack[kTileRows];
            for (std::size_t first = 0; first < kRows; first += kTileRows) {
                const std::size_t count = std::min(kTileRows, kRows - first);
                const RowKind kind =
                    coder.code_tile(source, first, count, scratch, tile.data(), scale, slack);
                CHECK((kind == RowKind::not_finite) == (bad / kTileRows == first / kTileRows));
            }
        }
    }
}
