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

HitArrays fused(const std::vector<RankedLists>& lists, const std::vector<double>& weights, double k,
                std::optional<std::size_t> top, int threads) {
    RrfRequest request{lists, weights, k};
    if (top) {
        request.top = *top;
    }
    return hit_arrays(without_gil(
        [&](const Interrupted& interrupted) { return rrf(request, threads, interrupted); }));
}

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
    return fused(views, weights, k, top, threads);
}

// The lists as contiguous int64 arrays, all of one query or all of as many queries; nothing if any
// is something else. What a call costs shows in short lists, so no Python looks at each.
std::optional<std::vector<Ids>> plain_arrays(const py::list& rankings) {
    std::vector<Ids> arrays;
    arrays.reserve(rankings.size());
    for (const py::handle ranking : rankings) {
        if (!py::isinstance<Ids>(ranking)) {
            return std::nullopt;
        }
        arrays.push_back(py::reinterpret_borrow<Ids>(ranking));
        const Ids& ids = arrays.back();
        const Ids& first = arrays.front();
        if (ids.ndim() != first.ndim() || ids.ndim() < 1 || ids.ndim() > 2 ||
            (ids.ndim() == 2 && ids.shape(0) != first.shape(0))) {
            return std::nullopt;
        }
    }
    return arrays;
}

std::optional<HitArrays> bind_rrf_arrays(const py::list& rankings,
                                         const std::vector<double>& weights, double k,
                                         std::optional<std::size_t> top, int threads) {
    const std::optional<std::vector<Ids>> arrays = plain_arrays(rankings);
    if (!arrays) {
        return std::nullopt;
    }
    std::vector<std::vector<std::int64_t>> offsets(arrays->size());
    std::vector<RankedLists> views(arrays->size());
    for (std::size_t l = 0; l < views.size(); ++l) {
        const Ids& ids = (*arrays)[l];
        const py::ssize_t queries = ids.ndim() == 2 ? ids.shape(0) : 1;
        const py::ssize_t length = ids.shape(ids.ndim() - 1);
        for (py::ssize_t q = 0; q <= queries; ++q) {
            offsets[l].push_back(q * length);
        }
        views[l] = {span_of(ids), offsets[l]};
    }
    return fused(views, weights, k, top, threads);
}

}  // namespace

void register_rrf(py::module_& m) {
    const auto weights = py::arg("weights");
    const auto k = py::arg("k");
    const auto top = py::arg("top");
    const auto threads = py::arg("threads");
    m.def("rrf", bind_rrf, py::arg("lists").noconvert(), weights, k, top, threads);
    m.def("rrf_arrays", bind_rrf_arrays, py::arg("rankings"), weights, k, top, threads);
}

}  // namespace gnomon::bindings
