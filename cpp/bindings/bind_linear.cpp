// Bindings of linear.
#include <pybind11/stl.h>

#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "gnomon/linear.hpp"

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

std::optional<std::size_t> bind_first_nonfinite_row(const py::array& x, int threads) {
    const MatrixView view = matrix_view(x);
    return without_gil(
        [&](const Interrupted& stop) { return first_nonfinite_row(view, threads, stop); });
}

Contiguous<double> bind_norms(const py::array& x, int threads) {
    const MatrixView view = matrix_view(x);
    Contiguous<double> out(x.shape(0));
    const auto values = writable_span_of(out);
    without_gil([&](const Interrupted& stop) { norms(view, values, threads, stop); });
    return out;
}

Contiguous<float> bind_normalize(const py::array& x, int threads) {
    const MatrixView view = matrix_view(x);
    Contiguous<float> out({x.shape(0), x.shape(1)});
    const auto values = writable_span_of(out);
    without_gil([&](const Interrupted& stop) { normalize(view, values, threads, stop); });
    return out;
}

Contiguous<float> bind_affine_map(const py::array& x, const Contiguous<float>& weights,
                                  const std::optional<Contiguous<float>>& bias, int threads) {
    const MatrixView view = matrix_view(x);
    const std::size_t d_out = matrix_view(weights).rows;
    Contiguous<float> out({view.rows, d_out});
    const auto values = writable_span_of(out);
    const auto w = span_of(weights);
    const auto b = bias ? span_of(*bias) : std::span<const float>();
    without_gil(
        [&](const Interrupted& stop) { affine_map(view, w, b, d_out, values, threads, stop); });
    return out;
}

using Map = std::pair<Contiguous<float>, std::optional<Contiguous<float>>>;

std::pair<Contiguous<float>, std::optional<std::size_t>>
bind_map_directions(const py::array& x, const std::vector<Map>& maps, int threads) {
    const MatrixView view = matrix_view(x);
    std::vector<AffineWeights> weights;
    weights.reserve(maps.size());
    for (const auto& [matrix, bias] : maps) {
        weights.push_back({span_of(matrix), bias ? span_of(*bias) : std::span<const float>(),
                           matrix_view(matrix).rows});
    }
    Contiguous<float> out({view.rows, weights.empty() ? 0 : weights.back().d_out});
    const auto values = writable_span_of(out);
    const auto nonfinite = without_gil([&](const Interrupted& stop) {
        return map_directions(view, weights, values, threads, stop);
    });
    return {std::move(out), nonfinite};
}

std::pair<Contiguous<std::int64_t>, Contiguous<float>>
bind_nearest(const py::array& x, const py::array& centroids, int threads) {
    const MatrixView view = matrix_view(x);
    const MatrixView centroid_view = matrix_view(centroids);
    Contiguous<std::int64_t> labels(x.shape(0));
    Contiguous<float> scores(x.shape(0));
    const auto label_values = writable_span_of(labels);
    const auto score_values = writable_span_of(scores);
    without_gil([&](const Interrupted& stop) {
        nearest(view, centroid_view, label_values, score_values, threads, stop);
    });
    return {std::move(labels), std::move(scores)};
}

std::pair<Contiguous<float>, std::optional<std::size_t>>
bind_pair_scores(const py::array& queries, const py::array& docs,
                 const Contiguous<std::int64_t>& ids, const Contiguous<std::int64_t>& offsets,
                 int threads) {
    const MatrixView query_view = matrix_view(queries);
    const MatrixView doc_view = matrix_view(docs);
    Contiguous<float> out(ids.size());
    const auto values = writable_span_of(out);
    const auto rows = span_of(ids);
    const auto starts = span_of(offsets);
    const auto nonfinite = without_gil([&](const Interrupted& stop) {
        return pair_scores(query_view, doc_view, rows, starts, values, threads, stop);
    });
    return {std::move(out), nonfinite};
}

std::pair<Contiguous<double>, Contiguous<std::int64_t>>
bind_group_sums(const py::array& x, const Contiguous<std::int64_t>& labels, std::size_t n_groups,
                int threads) {
    const MatrixView view = matrix_view(x);
    Contiguous<double> sums({n_groups, view.cols});
    Contiguous<std::int64_t> counts(static_cast<py::ssize_t>(n_groups));
    const auto sum_values = writable_span_of(sums);
    const auto count_values = writable_span_of(counts);
    const auto groups = span_of(labels);
    without_gil([&](const Interrupted& stop) {
        group_sums(view, groups, sum_values, count_values, threads, stop);
    });
    return {std::move(sums), std::move(counts)};
}

}  // namespace

void register_linear(py::module_& m) {
    const auto array = [](const char* name) { return py::arg(name).noconvert(); };
    const auto threads = py::arg("threads");
    m.def("first_nonfinite_row", bind_first_nonfinite_row, array("x"), threads);
    m.def("norms", bind_norms, array("x"), threads);
    m.def("normalize", bind_normalize, array("x"), threads);
    m.def("affine_map", bind_affine_map, array("x"), array("weights"), array("bias").none(true),
          threads);
    m.def("map_directions", bind_map_directions, array("x"), array("maps"), threads);
    m.def("nearest", bind_nearest, array("x"), array("centroids"), threads);
    m.def("pair_scores", bind_pair_scores, array("queries"), array("docs"), array("ids"),
          array("offsets"), threads);
    m.def("group_sums", bind_group_sums, array("x"), array("labels"), py::arg("n_groups"), threads);
}

}  // namespace gnomon::bindings
