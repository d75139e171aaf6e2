// Bindings of maximal marginal relevance; arguments were checked in Python.
#include <pybind11/stl.h>

#include <optional>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "gnomon/mmr.hpp"
#include "hit_arrays.hpp"

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

using Rows = Contiguous<std::int64_t>;

// A three-dimensional array is a stack of matrices.
std::vector<MatrixView> pool_views(const std::vector<py::array>& pools) {
    std::vector<MatrixView> views;
    views.reserve(pools.size());
    for (const py::array& pool : pools) {
        if (pool.ndim() != 3) {
            views.push_back(matrix_view(pool));
            continue;
        }
        const char* first = static_cast<const char*>(pool.data());
        for (py::ssize_t q = 0; q < pool.shape(0); ++q) {
            views.push_back({first + q * pool.strides(0), static_cast<std::size_t>(pool.shape(1)),
                             static_cast<std::size_t>(pool.shape(2)), pool.strides(1),
                             pool.strides(2), dtype_of(pool)});
        }
    }
    return views;
}

std::vector<HitArrays> bind_mmr(const py::array& queries, const std::vector<py::array>& pools,
                                const std::optional<Rows>& row_offsets,
                                const std::optional<Rows>& rows, std::size_t k,
                                const std::vector<double>& lambdas, int threads) {
    const std::vector<MatrixView> views = pool_views(pools);
    MmrRequest request{matrix_view(queries), views, {}, {}, lambdas, k};
    if (row_offsets && rows) {
        request.row_offsets = span_of(*row_offsets);
        request.rows = span_of(*rows);
    }
    std::vector<HitLists> lists = without_gil(
        [&](const Interrupted& interrupted) { return mmr(request, threads, interrupted); });
    std::vector<HitArrays> found;
    found.reserve(lists.size());
    for (HitLists& hits : lists) {
        found.push_back(hit_arrays(std::move(hits)));
    }
    return found;
}

}  // namespace

void register_mmr(py::module_& m) {
    m.def("mmr", bind_mmr, py::arg("queries").noconvert(), py::arg("pools").noconvert(),
          py::arg("row_offsets").noconvert(), py::arg("rows").noconvert(), py::arg("k"),
          py::arg("lambdas"), py::arg("threads"));
}

}  // namespace gnomon::bindings
