// Kernels over vectors. Dimensions that are no multiple of a tile, so that the edges count too.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "gnomon/cosine.hpp"
#include "gnomon/linear.hpp"
#include "gnomon/mmr.hpp"
#include "work.hpp"

namespace gnomon::counting {

namespace {

constexpr std::size_t kDim = 200;
constexpr std::size_t kDocs = 2000;

struct Search {
    Rows docs{kDocs, kDim, 1};
    Rows queries;
    std::optional<VectorIndex> index;

    explicit Search(std::size_t n_queries) : queries(n_queries, kDim, 2) {}
};

std::size_t hits_of(const SearchResult& result) { return result.lists.front().ids.size(); }

Counted prepared_search(std::size_t n_queries, std::size_t k) {
    auto search = std::make_shared<Search>(n_queries);
    search->index.emplace(search->docs.view(), 1, Interrupted());
    return [search, k] {
        SearchRequest request;
        request.queries = search->queries.view();
        request.k = k;
        return hits_of(search->index->search({&request, 1}, SearchOptions()));
    };
}

Counted plain_search(std::size_t n_queries) {
    auto search = std::make_shared<Search>(n_queries);
    return [search] {
        SearchRequest request;
        request.queries = search->queries.view();
        request.k = 10;
        return hits_of(cosine_top_k(search->docs.view(), {&request, 1}, SearchOptions()));
    };
}

// One row many times over, but for the first few.
Counted search_among_copies() {
    auto search = std::make_shared<Search>(32);
    const std::span<float> values(search->docs.values);
    for (std::size_t row = 10; row < kDocs; ++row) {
        std::copy_n(values.begin(), kDim, values.begin() + static_cast<std::ptrdiff_t>(row * kDim));
    }
    search->index.emplace(search->docs.view(), 1, Interrupted());
    return [search] {
        SearchRequest request;
        request.queries = search->queries.view();
        request.k = 10;
        return hits_of(search->index->search({&request, 1}, SearchOptions()));
    };
}

Counted preparation() {
    auto docs = std::make_shared<Rows>(kDocs, kDim, 1);
    return [docs] { return VectorIndex(docs->view(), 1, Interrupted()).rows(); };
}

Counted affine() {
    struct Inputs {
        Rows rows{200, kDim, 3};
        Rows weights{kDim, kDim, 4};
        std::vector<float> out = std::vector<float>(200 * kDim);
    };
    auto inputs = std::make_shared<Inputs>();
    return [inputs] {
        affine_map(inputs->rows.view(), inputs->weights.values, {}, kDim, inputs->out, 1,
                   Interrupted());
        return inputs->out.size();
    };
}

Counted lengths() {
    auto docs = std::make_shared<Rows>(kDocs, kDim, 1);
    return [docs] {
        std::vector<double> out(kDocs);
        norms(docs->view(), out, 1, Interrupted());
        return out.size();
    };
}

Counted pairs() {
    struct Inputs {
        Rows docs{kDocs, kDim, 1};
        Rows queries{20, kDim, 2};
        std::vector<std::int64_t> ids;
        std::vector<std::int64_t> offsets{0};
    };
    auto inputs = std::make_shared<Inputs>();
    Numbers numbers(5);
    for (std::size_t q = 0; q < inputs->queries.rows; ++q) {
        for (int i = 0; i < 100; ++i) {
            inputs->ids.push_back(static_cast<std::int64_t>(numbers.below(kDocs)));
        }
        inputs->offsets.push_back(static_cast<std::int64_t>(inputs->ids.size()));
    }
    return [inputs] {
        std::vector<float> out(inputs->ids.size());
        pair_scores(inputs->queries.view(), inputs->docs.view(), inputs->ids, inputs->offsets, out,
                    1, Interrupted());
        return out.size();
    };
}

Counted picks(std::size_t pool, std::vector<double> lambdas) {
    struct Inputs {
        Rows queries{20, kDim, 2};
        std::vector<Rows> pools;
        std::vector<MatrixView> views;
        std::vector<double> lambdas;
    };
    auto inputs = std::make_shared<Inputs>();
    inputs->lambdas = std::move(lambdas);
    for (std::size_t q = 0; q < inputs->queries.rows; ++q) {
        inputs->pools.emplace_back(pool, kDim, 10 + q);
    }
    for (const Rows& rows : inputs->pools) {
        inputs->views.push_back(rows.view());
    }
    return [inputs] {
        MmrRequest request;
        request.queries = inputs->queries.view();
        request.pools = inputs->views;
        request.lambdas = inputs->lambdas;
        request.k = 10;
        return mmr(request, 1, Interrupted()).size();
    };
}

}  // namespace

std::vector<Work> vector_works() {
    return {
        {"topk, prepared, 1 query", [] { return prepared_search(1, 10); }},
        {"topk, prepared, 32 queries", [] { return prepared_search(32, 10); }},
        {"topk, prepared, k = 200", [] { return prepared_search(32, 200); }},
        {"topk, prepared, copies", search_among_copies},
        {"topk, arrays, 1 query", [] { return plain_search(1); }},
        {"topk, arrays, 32 queries", [] { return plain_search(32); }},
        {"topk, preparation", preparation},
        {"affine map", affine},
        {"norms", lengths},
        {"pair scores", pairs},
        {"mmr", [] { return picks(100, {0.5}); }},
        {"mmr grid", [] { return picks(30, {0.0, 0.25, 0.5, 0.75, 1.0}); }},
    };
}

}  // namespace gnomon::counting
