#include <algorithm>

#include "gnomon/cosine.hpp"
#include "gnomon/isa.hpp"
#include "gnomon/order.hpp"
#include "score/rows.hpp"
#include "score/score.hpp"

namespace gnomon {

NonFiniteError::NonFiniteError(const std::string& array, std::size_t row)
    : std::invalid_argument(array + ": row " + std::to_string(row) + " holds NaN or infinity"),
      row_(row) {}

SearchResult cosine_top_k(const MatrixView& docs, std::span<const SearchRequest> requests,
                          const SearchOptions& options) {
    const Isa isa = chosen_isa();
    const detail::ScoreKernel& kernel = detail::score_kernel(isa);
    const std::size_t d = docs.cols;
    for (std::size_t row = 0; row < docs.rows; ++row) {
        if (!detail::row_is_finite(docs, row)) {
            throw NonFiniteError("docs", row);
        }
    }
    std::vector<double> norms(docs.rows);
    std::vector<float> scratch(d);
    for (std::size_t row = 0; row < docs.rows; ++row) {
        norms[row] = detail::norm(kernel, row_f32(docs, row, scratch.data(), isa), d);
    }
    SearchResult result;
    for (const SearchRequest& request : requests) {
        for (std::size_t q = 0; q < request.queries.rows; ++q) {
            if (!detail::row_is_finite(request.queries, q)) {
                throw NonFiniteError("queries", q);
            }
        }
        std::vector<std::vector<Hit>> found(request.queries.rows);
        parallel_for(
            request.queries.rows, options.threads, options.interrupted, [&](std::size_t q, int) {
                std::vector<float> query_scratch(d);
                std::vector<float> row_scratch(d);
                const float* query = row_f32(request.queries, q, query_scratch.data(), isa);
                const double norm = detail::norm(kernel, query, d);
                std::span<const std::int64_t> excluded;
                if (!request.exclude_offsets.empty()) {
                    excluded = request.exclude_rows.subspan(
                        static_cast<std::size_t>(request.exclude_offsets[q]),
                        static_cast<std::size_t>(request.exclude_offsets[q + 1] -
                                                 request.exclude_offsets[q]));
                }
                TopHits hits(std::min(request.k, docs.rows));
                const auto offer = [&](std::int64_t id) {
                    const auto row = static_cast<std::size_t>(id);
                    if ((request.row_class && options.row_labels[row] != *request.row_class) ||
                        std::binary_search(excluded.begin(), excluded.end(), id)) {
                        return;
                    }
                    const float* x = row_f32(docs, row, row_scratch.data(), isa);
                    hits.offer({detail::cosine(kernel.dot(query, x, d), norm, norms[row]), id});
                };
                if (options.subset) {
                    std::for_each(options.subset->begin(), options.subset->end(), offer);
                } else {
                    for (std::size_t row = 0; row < docs.rows; ++row) {
                        offer(static_cast<std::int64_t>(row));
                    }
                }
                found[q] = hits.take();
            });
        HitLists& lists = result.lists.emplace_back();
        lists.offsets.push_back(0);
        for (const auto& hits : found) {
            for (const Hit& hit : hits) {
                lists.ids.push_back(hit.row);
                lists.scores.push_back(hit.score);
            }
            lists.offsets.push_back(static_cast<std::int64_t>(lists.ids.size()));
        }
    }
    return result;
}

struct VectorIndex::Prepared {
    MatrixView docs;
    std::size_t zero_rows = 0;
};

VectorIndex::VectorIndex(const MatrixView& docs, int, const Interrupted&)
    : prepared_(new Prepared{docs}) {
    const Isa isa = chosen_isa();
    std::vector<float> scratch(docs.cols);
    for (std::size_t row = 0; row < docs.rows; ++row) {
        if (!detail::row_is_finite(docs, row)) {
            throw NonFiniteError("docs", row);
        }
        const float* x = row_f32(docs, row, scratch.data(), isa);
        prepared_->zero_rows +=
            detail::norm(detail::score_kernel(isa), x, docs.cols) == 0.0 ? 1 : 0;
    }
}
VectorIndex::VectorIndex(VectorIndex&&) noexcept = default;
VectorIndex& VectorIndex::operator=(VectorIndex&&) noexcept = default;
VectorIndex::~VectorIndex() = default;
std::size_t VectorIndex::rows() const noexcept { return prepared_->docs.rows; }
std::size_t VectorIndex::cols() const noexcept { return prepared_->docs.cols; }
std::size_t VectorIndex::zero_rows() const noexcept { return prepared_->zero_rows; }

SearchResult VectorIndex::search(std::span<const SearchRequest> requests,
                                 const SearchOptions& options) const {
    return cosine_top_k(prepared_->docs, requests, options);
}

}  // namespace gnomon
