// Bindings of reciprocal rank fusion; arguments were checked in Python.
#include <pybind11/stl.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "gnomon/rrf.hpp"
#include "hit_arrays.hpp"

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

using Ids = Contiguous<std::int64_t>;
// ids, and the offsets of the queries, or none when all are of one query
using ListArrays = std::pair<Ids, std::optional<Ids>>;

HitArrays bind_rrf(const std::vector<ListArrays>& lists, const std::vector<double>& weights,
                   double k, std::optional<std::size_t> top, int threads) {
    std::vector<std::array<std::int64_t, 2>> whole(lists.size());
    std::vector<RankedLists> views(lists.size());
    for (std::size_t l = 0; l < lists.size(); ++l) {
        const auto& [ids, offsets] = lists[l];
        whole[l] = {0, ids.size()};
        views[l].ids = span_of(ids);
        views[l].offsets = offsets ? span_of(*offsets) : std::span<const std::int64_t>(whole[l]);
    }
    RrfRequest request{views, weights, k};
    if (top) {
        request.top = *top;
    }
    return hit_arrays(without_gil(
        [&](const Interrupted& interrupted) { return rrf(request, threads, interrupted); }));
}

}  // namespace

void register_rrf(py::module_& m) {
    m.def("rrf", bind_rrf, py::arg("lists").noconvert(), py::arg("weights"), py::arg("k"),
          py::arg("top"), py::arg("threads"));
}

}  // namespace gnomon::bindings
