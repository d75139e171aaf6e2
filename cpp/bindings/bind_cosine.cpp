// Bindings of the exact cosine top-k; arguments were checked in Python.
#include <pybind11/stl.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "gnomon/cosine.hpp"
#include "gnomon/index_file.hpp"
#include "hit_arrays.hpp"

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

using Rows = Contiguous<std::int64_t>;
using Labels = Contiguous<std::uint8_t>;
// queries, k, row class, exclude offsets, exclude rows
using RequestArgs = std::tuple<py::array, std::size_t, std::optional<std::uint8_t>,
                               std::optional<Rows>, std::optional<Rows>>;
// the hits of each request, and how many documents are zero vectors
using Found = std::tuple<std::vector<HitArrays>, std::size_t>;

SearchRequest request_of(const RequestArgs& args) {
    const auto& [queries, k, row_class, offsets, rows] = args;
    SearchRequest request{matrix_view(queries), k, row_class, {}, {}};
    if (offsets) {
        request.exclude_offsets = span_of(*offsets);
        request.exclude_rows = span_of(*rows);
    }
    return request;
}

Found found_by(SearchResult&& result) {
    std::vector<HitArrays> lists;
    lists.reserve(result.lists.size());
    for (HitLists& hits : result.lists) {
        lists.push_back(hit_arrays(std::move(hits)));
    }
    return {std::move(lists), result.zero_rows};
}

template <typename Search>
Found run(const std::vector<RequestArgs>& requests, const std::optional<Rows>& subset,
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
    return found_by(without_gil([&](const Interrupted& interrupted) {
        options.interrupted = interrupted;
        return search(views, options);
    }));
}

void translate(std::exception_ptr pointer) {
    try {
        std::rethrow_exception(std::move(pointer));
    } catch (const IndexFileError& error) {
        const py::object kind = py::module_::import("gnomon.errors").attr("IndexFileError");
        PyErr_SetString(kind.ptr(), error.what());
    } catch (const std::system_error& error) {
        PyErr_SetObject(PyExc_OSError, py::make_tuple(error.code().value(), error.what()).ptr());
    }
}

}  // namespace

void register_cosine(py::module_& m) {
    py::register_local_exception_translator(translate);
    m.def(
        "cosine_top_k",
        [](const py::array& docs, const std::vector<RequestArgs>& requests,
           const std::optional<Rows>& subset, const std::optional<Labels>& row_labels, int threads,
           const py::object& progress) {
            const MatrixView view = matrix_view(docs);
            return run(
                requests, subset, row_labels, threads, progress,
                [&](auto& views, auto& options) { return cosine_top_k(view, views, options); });
        },
        py::arg("docs").noconvert(), py::arg("requests"), py::arg("subset"), py::arg("row_labels"),
        py::arg("threads"), py::arg("progress"));

    py::class_<VectorIndex>(m, "VectorIndex")
        .def(py::init([](const py::array& docs, int threads) {
                 const MatrixView view = matrix_view(docs);
                 return without_gil([&](const Interrupted& interrupted) {
                     return VectorIndex(view, threads, interrupted);
                 });
             }),
             py::arg("docs").noconvert(), py::arg("threads"), py::keep_alive<1, 2>())
        .def_static(
            "open",
            [](int descriptor, const std::string& name) {
                return VectorIndex::open(descriptor, name);
            },
            py::arg("descriptor"), py::arg("name"))
        .def(
            "save",
            [](const VectorIndex& index, int descriptor) {
                without_gil([&](const Interrupted& stop) { index.save(descriptor, stop); });
            },
            py::arg("descriptor"))
        .def(
            "verify",
            [](const VectorIndex& index, int threads) {
                without_gil([&](const Interrupted& stop) { index.verify(threads, stop); });
            },
            py::arg("threads"))
        .def_property_readonly("rows", &VectorIndex::rows)
        .def_property_readonly("cols", &VectorIndex::cols)
        .def_property_readonly("zero_rows", &VectorIndex::zero_rows)
        .def_property_readonly("bytes", &VectorIndex::bytes)
        .def(
            "search",
            [](const VectorIndex& index, const std::vector<RequestArgs>& requests,
               const std::optional<Rows>& subset, const std::optional<Labels>& row_labels,
               int threads, const py::object& progress) {
                return run(
                    requests, subset, row_labels, threads, progress,
                    [&](auto& views, auto& options) { return index.search(views, options); });
            },
            py::arg("requests"), py::arg("subset"), py::arg("row_labels"), py::arg("threads"),
            py::arg("progress"));
}

}  // namespace gnomon::bindings
