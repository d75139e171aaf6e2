// Bindings of ranking.
#include <pybind11/stl.h>

#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "gnomon/ranking.hpp"

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

using Rows = Contiguous<std::int64_t>;
using Numbers = Contiguous<double>;

template <typename T>
PerQuery<T> per_query(const Contiguous<T>& entries, const Rows& offsets) {
    return {span_of(entries), span_of(offsets)};
}

py::ssize_t queries_of(const Rows& offsets) { return offsets.size() > 0 ? offsets.size() - 1 : 0; }

std::vector<Measure> measures_of(const std::vector<std::tuple<int, std::int64_t>>& pairs) {
    std::vector<Measure> measures;
    for (const auto& [metric, cutoff] : pairs) {
        if (metric < 0 || metric > static_cast<int>(Metric::ndcg)) {
            throw std::invalid_argument("there is no metric " + std::to_string(metric));
        }
        measures.push_back({static_cast<Metric>(metric), cutoff});
    }
    return measures;
}

double bind_exact_sum(const Numbers& values) {
    const auto terms = span_of(values);
    return without_gil([&](const Interrupted& /*stop*/) { return exact_sum(terms); });
}

double bind_exact_mean(const Numbers& values) {
    const auto terms = span_of(values);
    return without_gil([&](const Interrupted& /*stop*/) { return exact_mean(terms); });
}

// (ranks, None) or (ranks, (query, id, whether it is a judged one)).
py::tuple bind_ranks_in_lists(const Rows& ids, const Rows& offsets, const Rows& judged,
                              const Rows& judged_offsets, int threads) {
    Rows out(judged.size());
    const auto ranks = writable_span_of(out);
    const auto repeated = without_gil([&](const Interrupted& stop) {
        return ranks_in_lists(per_query(ids, offsets), per_query(judged, judged_offsets), ranks,
                              threads, stop);
    });
    if (!repeated) {
        return py::make_tuple(out, py::none());
    }
    return py::make_tuple(out, py::make_tuple(repeated->query, repeated->id, repeated->judged));
}

std::tuple<Rows, Rows> bind_tied_ranks_in_lists(const Rows& ranks, const Rows& judged_offsets,
                                                const Numbers& scores, const Rows& offsets,
                                                int threads) {
    Rows first(ranks.size());
    Rows last(ranks.size());
    const auto starts = writable_span_of(first);
    const auto ends = writable_span_of(last);
    without_gil([&](const Interrupted& stop) {
        tied_ranks_in_lists(span_of(ranks), span_of(judged_offsets), per_query(scores, offsets),
                            starts, ends, threads, stop);
    });
    return {first, last};
}

std::tuple<Rows, Rows> bind_tied_ranks_by_score(const Numbers& scores, const Rows& offsets,
                                                const Numbers& judged_scores,
                                                const Rows& judged_offsets, int threads) {
    Rows first(judged_scores.size());
    Rows last(judged_scores.size());
    const auto starts = writable_span_of(first);
    const auto ends = writable_span_of(last);
    without_gil([&](const Interrupted& stop) {
        tied_ranks_by_score(per_query(scores, offsets), per_query(judged_scores, judged_offsets),
                            starts, ends, threads, stop);
    });
    return {first, last};
}

std::tuple<Numbers, Rows, Rows>
bind_ranking_metrics(const Rows& ranks, const Numbers& gains, const Rows& offsets,
                     const std::vector<std::tuple<int, std::int64_t>>& measures,
                     const Numbers& discounts, int threads) {
    const auto wanted = measures_of(measures);
    const py::ssize_t queries = queries_of(offsets);
    Numbers values({static_cast<py::ssize_t>(wanted.size()), queries});
    Rows relevant(queries);
    Rows retrieved(queries);
    const auto value = writable_span_of(values);
    const auto relevant_counts = writable_span_of(relevant);
    const auto retrieved_counts = writable_span_of(retrieved);
    without_gil([&](const Interrupted& stop) {
        ranking_metrics(span_of(ranks), per_query(gains, offsets), wanted, span_of(discounts),
                        value, relevant_counts, retrieved_counts, threads, stop);
    });
    return {values, relevant, retrieved};
}

Contiguous<std::uint8_t>
bind_decided_by_ties(const Rows& first, const Rows& last, const Numbers& gains, const Rows& offsets,
                     const std::vector<std::tuple<int, std::int64_t>>& measures,
                     const Numbers& discounts, int threads) {
    const auto wanted = measures_of(measures);
    Contiguous<std::uint8_t> tied({static_cast<py::ssize_t>(wanted.size()), queries_of(offsets)});
    const auto out = writable_span_of(tied);
    without_gil([&](const Interrupted& stop) {
        decided_by_ties(span_of(first), span_of(last), per_query(gains, offsets), wanted,
                        span_of(discounts), out, threads, stop);
    });
    return tied;
}

}  // namespace

void register_ranking(py::module_& m) {
    const auto offsets = py::arg("offsets").noconvert();
    const auto judged_offsets = py::arg("judged_offsets").noconvert();
    const auto threads = py::arg("threads");
    m.def("exact_mean", bind_exact_mean, py::arg("values").noconvert());
    m.def("exact_sum", bind_exact_sum, py::arg("values").noconvert());
    m.def("ranks_in_lists", bind_ranks_in_lists, py::arg("ids").noconvert(), offsets,
          py::arg("judged").noconvert(), judged_offsets, threads);
    m.def("tied_ranks_in_lists", bind_tied_ranks_in_lists, py::arg("ranks").noconvert(),
          judged_offsets, py::arg("scores").noconvert(), offsets, threads);
    m.def("tied_ranks_by_score", bind_tied_ranks_by_score, py::arg("scores").noconvert(), offsets,
          py::arg("judged_scores").noconvert(), judged_offsets, threads);
    m.def("ranking_metrics", bind_ranking_metrics, py::arg("ranks").noconvert(),
          py::arg("gains").noconvert(), offsets, py::arg("measures"),
          py::arg("discounts").noconvert(), threads);
    m.def("decided_by_ties", bind_decided_by_ties, py::arg("first").noconvert(),
          py::arg("last").noconvert(), py::arg("gains").noconvert(), offsets, py::arg("measures"),
          py::arg("discounts").noconvert(), threads);
}

}  // namespace gnomon::bindings
