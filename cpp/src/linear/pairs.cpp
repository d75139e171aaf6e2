#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gnomon/linear.hpp"
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
    for (const std::int64_t id : ids) {
        if (id < 0 || static_cast<std::size_t>(id) >= docs) {
            throw std::invalid_argument("pair_scores: id " + std::to_string(id) +
                                        " is not a row of the " + std::to_string(docs) +
                                        " documents");
        }
    }
}

}  // namespace

std::optional<std::size_t> pair_scores(const MatrixView& queries, const MatrixView& docs,
                                       std::span<const std::int64_t> ids,
                                       std::span<const std::int64_t> offsets, std::span<float> out,
                                       int threads, const Interrupted& interrupted) {
    detail::expect_size("pair_scores", "a document", docs.cols, queries.cols);
    detail::expect_size("pair_scores", "out", out.size(), ids.size());
    check_offsets(offsets, queries.rows, ids.size());
    check_ids(ids, docs.rows);
    const Isa isa = chosen_isa();
    const detail::ScoreKernel& kernel = detail::score_kernel(isa);
    const std::size_t d = queries.cols;
    detail::FirstRow nonfinite;
    detail::RowScratch query_scratch(queries, threads);
    detail::RowScratch doc_scratch(docs, threads);
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
            if (pair >= query_end) {
                continue;
            }
            const float* q = row_f32(queries, query, query_scratch.of(worker), isa);
            const double q_norm = detail::norm(kernel, q, d);
            for (; pair < query_end; ++pair) {
                const auto row = static_cast<std::size_t>(ids[pair]);
                const float* doc = row_f32(docs, row, doc_scratch.of(worker), isa);
                const double norm = detail::norm(kernel, doc, d);
                if (!std::isfinite(norm)) {
                    nonfinite.offer(row);
                }
                out[pair] = detail::cosine(kernel.dot(q, doc, d), q_norm, norm);
            }
        }
    });
    return nonfinite.get();
}

}  // namespace gnomon
