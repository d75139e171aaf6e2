// Bindings of the exact cosine top-k; arguments were checked in Python.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <chrono>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "gnomon/cosine.hpp"

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

using Rows = py::array_t<std::int64_t, py::array::c_style>;
using Labels = py::array_t<std::uint8_t, py::array::c_style>;
// queries, k, row class, exclude offsets, exclude rows
using RequestArgs =
    std::tuple<py::array, std::size_t, std::optional<std::uint8_t>, std::optional<Rows>, std::optional<Rows>>;
using HitArrays = std::tuple<py::array, py::array, py::array>;

Dtype dtype_of(const py::array& array) {
    const std::string name = py::str(array.dtype().attr("name"));
    if (name == "float32") return Dtype::f32;
    if (name == "float16") return Dtype::f16;
    if (name == "float64") return Dtype::f64;
    if (name == "bfloat16") return Dtype::bf16;
    if (name == "int8") return Dtype::i8;
    if (name == "uint8") return Dtype::u8;
    throw py::type_error("unsupported dtype " + name);
}

MatrixView view_of(const py::array& array) {
    return {array.data(),
            static_cast<std::size_t>(array.shape(0)),
            static_cast<std::size_t>(array.shape(1)),
            array.strides(0),
            array.strides(1),
            dtype_of(array)};
}

template <typename Array>
auto span_of(const Array& array) {
    return std::span(array.data(), static_cast<std::size_t>(array.size()));
}

// The vector's memory becomes the array's.
template <typename T>
py::array as_array(std::vector<T>&& values) {
    auto owner = std::make_unique<std::vector<T>>(std::move(values));
    const auto size = static_cast<py::ssize_t>(owner->size());
    const T* data = owner->data();
    const py::capsule keeper(owner.get(), [](void* vector) { delete static_cast<std::vector<T>*>(vector); });
    owner.release();
    return py::array_t<T>(size, data, keeper);
}

// Lets Ctrl-C through, at most every 50 ms, because taking the GIL isn't free.
class SignalWatch {
  public:
    bool operator()() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) {
            return false;
        }
        last_ = now;
        const py::gil_scoped_acquire gil;
        return PyErr_CheckSignals() != 0;
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Runs work(interrupted) without the GIL; what a signal handler raises comes out as it is.
template <typename Work>
auto interruptible(Work work) {
    try {
        const py::gil_scoped_release without_gil;
        return work(Interrupted(SignalWatch()));
    } catch (const Interruption&) {
        throw py::error_already_set();
    }
}

SearchRequest request_of(const RequestArgs& args) {
    const auto& [queries, k, row_class, offsets, rows] = args;
    SearchRequest request{view_of(queries), k, row_class, {}, {}};
    if (offsets) {
        request.exclude_offsets = span_of(*offsets);
        request.exclude_rows = span_of(*rows);
    }
    return request;
}

std::vector<HitArrays> hit_arrays(SearchResult&& result) {
    std::vector<HitArrays> lists;
    lists.reserve(result.lists.size());
    for (HitLists& hits : result.lists) {
        lists.emplace_back(as_array(std::move(hits.ids)), as_array(std::move(hits.scores)),
                           as_array(std::move(hits.offsets)));
    }
    return lists;
}

template <typename Search>
std::vector<HitArrays> run(const std::vector<RequestArgs>& requests, const std::optional<Rows>& subset,
                           const std::optional<Labels>& row_labels, int threads, const py::object& progress,
                           Search search) {
    std::vector<SearchRequest> views;
    views.reserve(requests.size());
    for (const RequestArgs& args : requests) {
        views.push_back(request_of(args));
    }
    SearchOptions options;
    if (subset) {
        options.subset = span_of(*subset);
    }
    if (row_labels) {
        options.row_labels = span_of(*row_labels);
    }
    options.threads = threads;
    if (!progress.is_none()) {
        options.progress = [&progress](std::uint64_t done, std::uint64_t total) {
            const py::gil_scoped_acquire gil;
            progress(done, total);
        };
    }
    return hit_arrays(interruptible([&](const Interrupted& interrupted) {
        options.interrupted = interrupted;
        return search(views, options);
    }));
}

}  // namespace

void register_cosine(py::module_& m) {
    m.def(
        "cosine_top_k",
        [](const py::array& docs, const std::vector<RequestArgs>& requests, const std::optional<Rows>& subset,
           const std::optional<Labels>& row_labels, int threads, const py::object& progress) {
            const MatrixView view = view_of(docs);
            return run(requests, subset, row_labels, threads, progress,
                       [&](auto& views, auto& options) { return cosine_top_k(view, views, options); });
        },
        py::arg("docs").noconvert(), py::arg("requests"), py::arg("subset"), py::arg("row_labels"),
        py::arg("threads"), py::arg("progress"));

    py::class_<VectorIndex>(m, "VectorIndex")
        .def(py::init([](const py::array& docs, int threads) {
                 const MatrixView view = view_of(docs);
                 return interruptible([&](const Interrupted& interrupted) {
                     return VectorIndex(view, threads, interrupted);
                 });
             }),
             py::arg("docs").noconvert(), py::arg("threads"), py::keep_alive<1, 2>())
        .def_property_readonly("rows", &VectorIndex::rows)
        .def_property_readonly("cols", &VectorIndex::cols)
        .def_property_readonly("zero_rows", &VectorIndex::zero_rows)
        .def(
            "search",
            [](const VectorIndex& index, const std::vector<RequestArgs>& requests,
               const std::optional<Rows>& subset, const std::optional<Labels>& row_labels, int threads,
               const py::object& progress) {
                return run(requests, subset, row_labels, threads, progress,
                           [&](auto& views, auto& options) { return index.search(views, options); });
            },
            py::arg("requests"), py::arg("subset"), py::arg("row_labels"), py::arg("threads"),
            py::arg("progress"));
}

}  // namespace gnomon::bindings
