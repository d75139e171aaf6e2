#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gnomon/linear.hpp"
#include "gnomon/steps.hpp"
#include "linear/first_row.hpp"
#include "linear/row_blocks.hpp"
#include "score/rows.hpp"
#include "score/score.hpp"

namespace gnomon {

namespace {

void check_offsets(std::span<const std::int64_t> offsets, std::size_t queries, std::size_t pairs) {
    detail::expect_size("pair_scores", "offsets", offsets.size(), queries + 1);
    const bool rising = std::is_sorted(offsets.begin(), offsets.end());
    if (!rising || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(pairs)) {
        throw std::invalid_argument("pair_scores: offsets must rise from 0 to the number of ids, " +
                                    std::to_string(pairs));
    }
}

void check_ids(std::span<const std::int64_t> ids, std::size_t docs) {
    for (const auto [begin, end] : detail::steps(ids.size())) {
        for (const std::int64_t id : ids.subspan(begin, end - begin)) {
            if (id < 0 || static_cast<std::size_t>(id) >= docs) {
                throw std::invalid_argument("pair_scores: id " + std::to_string(id) +
                                            " is not a row of the " + std::to_string(docs) +
                                            " documents");
            }
        }
    }
}

constexpr std::size_t kGroup = 4;  // documents that share one reading of the query

// What all blocks of pairs share.
struct PairCall {
    const MatrixView& docs;
    std::span<const std::int64_t> ids;
    std::span<float> out;
    Isa isa;
    const detail::ScoreKernel& kernel;
    std::span<const double> norms;  // of all named documents, or empty: then they are computed here
    detail::FirstRow& nonfinite;

    double norm_of(std::size_t row, const float* values) const noexcept {
        if (!norms.empty()) {
            return norms[row];
        }
        const double norm = detail::norm(kernel, values, docs.cols);
        if (!std::isfinite(norm)) {
            nonfinite.offer(row);
        }
        return norm;
    }
};

// Pairs [begin, end), all of them of one query.
void score_pairs(const PairCall& call, const float* query, std::size_t begin, std::size_t end,
                 float* scratch) {
    const std::size_t d = call.docs.cols;
    const double query_norm = detail::norm(call.kernel, query, d);
    for (std::size_t pair = begin; pair < end; pair += kGroup) {
        const std::size_t count = std::min(kGroup, end - pair);
        const float* docs[kGroup];
        double dots[kGroup];
        for (std::size_t i = 0; i < count; ++i) {
            const auto row = static_cast<std::size_t>(call.ids[pair + i]);
            docs[i] = row_f32(call.docs, row, scratch + i * d, call.isa);
        }
        if (count == kGroup) {
            call.kernel.dot4(query, docs, d, dots);
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                dots[i] = call.kernel.dot(query, docs[i], d);
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            const auto row = static_cast<std::size_t>(call.ids[pair + i]);
            call.out[pair + i] = detail::cosine(dots[i], query_norm, call.norm_of(row, docs[i]));
        }
    }
}

// The norm of every document that a pair names; the others stay 0.
std::vector<double> norms_of_named(const MatrixView& docs, std::span<const std::int64_t> ids,
                                   detail::FirstRow& nonfinite, int threads,
                                   const Interrupted& interrupted) {
    std::vector<unsigned char> named;
    detail::resize_in_steps(named, docs.rows);
    for (const auto [begin, end] : detail::steps(ids.size())) {
        for (const std::int64_t id : ids.subspan(begin, end - begin)) {
            named[static_cast<std::size_t>(id)] = 1;
        }
    }
    const Isa isa = chosen_isa();
    const detail::ScoreKernel& kernel = detail::score_kernel(isa);
    std::vector<double> norms;
    detail::resize_in_steps(norms, docs.rows);
    detail::RowScratch scratch(docs, threads);
    detail::for_row_blocks(
        docs, threads, interrupted, [&](std::size_t begin, std::size_t end, int worker) {
            for (std::size_t row = begin; row < end; ++row) {
                if (named[row] != 0) {
                    norms[row] = detail::norm(kernel, row_f32(docs, row, scratch.of(worker), isa),
                                              docs.cols);
                    if (!std::isfinite(norms[row])) {
                        nonfinite.offer(row);
                    }
                }
            }
        });
    return norms;
}

}  // namespace

std::optional<std::size_t> pair_scores(const MatrixView& queries, const MatrixView& docs,
                                       std::span<const std::int64_t> ids,
                                       std::span<const std::int64_t> offsets, std::span<float> out,
                                       int threads, const Interrupted& interrupted) {
    detail::expect_size("pair_scores", "a document", docs.cols, queries.cols);
    detail::expect_size("pair_scores", "out", out.size(), ids.size());
    const Interruptible scope(interrupted);
    check_offsets(offsets, queries.rows, ids.size());
    check_ids(ids, docs.rows);
    const Isa isa = chosen_isa();
    const std::size_t d = queries.cols;
    detail::FirstRow nonfinite;
    // Documents that come up in several pairs have their norms computed once.
    std::vector<double> norms;
    if (ids.size() >= docs.rows) {
        norms = norms_of_named(docs, ids, nonfinite, threads, interrupted);
    }
    const PairCall call{docs, ids, out, isa, detail::score_kernel(isa), norms, nonfinite};
    detail::RowScratch query_scratch(queries, threads);
    detail::RowScratch doc_scratch(docs, threads, kGroup);
    // A block is a range of pairs, not of queries: one query may have a million of them.
    const std::size_t step = detail::rows_per_block(d);
    const std::size_t blocks = (ids.size() + step - 1) / step;
    parallel_for(blocks, threads, interrupted, [&](std::size_t block, int worker) {
        const std::size_t end = std::min(ids.size(), (block + 1) * step);
        const auto past = std::upper_bound(offsets.begin(), offsets.end(),
                                           static_cast<std::int64_t>(block * step));
        auto query = static_cast<std::size_t>(past - offsets.begin()) - 1;
        for (std::size_t pair = block * step; pair < end; ++query) {
            const std::size_t query_end =
                std::min(end, static_cast<std::size_t>(offsets[query + 1]));
            if (pair < query_end) {
                score_pairs(call, row_f32(queries, query, query_scratch.of(worker), isa), pair,
                            query_end, doc_scratch.of(worker));
                pair = query_end;
            }
        }
    });
    return nonfinite.get();
}

}  // namespace gnomon
