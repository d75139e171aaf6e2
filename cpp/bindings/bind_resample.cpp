// Bindings of resample.
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "gnomon/resample.hpp"

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

Contiguous<std::uint64_t> bind_draw_keys(std::uint64_t seed, std::uint64_t purpose, std::size_t n) {
    Contiguous<std::uint64_t> out(static_cast<py::ssize_t>(n));
    const auto keys = writable_span_of(out);
    without_gil([&](const Interrupted& /*stop*/) { draw_keys(seed, purpose, keys); });
    return out;
}

Contiguous<std::int64_t> bind_draw_rows(std::uint64_t seed, std::uint64_t purpose, std::size_t n,
                                        std::size_t size,
                                        const std::optional<Contiguous<std::int64_t>>& among) {
    const auto candidates = among ? span_of(*among) : std::span<const std::int64_t>();
    const auto rows = without_gil([&](const Interrupted& /*stop*/) {
        return among ? draw_rows_among(seed, purpose, candidates, size)
                     : draw_rows(seed, purpose, n, size);
    });
    Contiguous<std::int64_t> out(static_cast<py::ssize_t>(rows.size()));
    std::copy(rows.begin(), rows.end(), out.mutable_data());
    return out;
}

Contiguous<double> bind_bootstrap_sums(const Contiguous<double>& values, std::uint64_t seed,
                                       std::size_t draws, int threads) {
    const MatrixView view = matrix_view(values);
    Contiguous<double> out({draws, view.cols});
    const auto sums = writable_span_of(out);
    const auto rows = span_of(values);
    without_gil([&](const Interrupted& stop) {
        bootstrap_sums(rows, view.rows, view.cols, seed, draws, sums, threads, stop);
    });
    return out;
}

}  // namespace

void register_resample(py::module_& m) {
    const auto seed = py::arg("seed");
    m.def("draw_keys", bind_draw_keys, seed, py::arg("purpose"), py::arg("n"));
    m.def("draw_rows", bind_draw_rows, seed, py::arg("purpose"), py::arg("n"), py::arg("size"),
          py::arg("among").noconvert().none(true));
    m.def("bootstrap_sums", bind_bootstrap_sums, py::arg("values").noconvert(), seed,
          py::arg("draws"), py::arg("threads"));
}

}  // namespace gnomon::bindings
