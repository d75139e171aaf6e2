// The registration functions, one per bind_<kernel>.cpp.
#pragma once

#include <pybind11/pybind11.h>

namespace gnomon::bindings {

void register_errors(pybind11::module_& m);
void register_isa(pybind11::module_& m);
void register_bm25(pybind11::module_& m);
void register_cosine(pybind11::module_& m);
void register_linear(pybind11::module_& m);
void register_machine(pybind11::module_& m);
void register_mmr(pybind11::module_& m);
void register_ranking(pybind11::module_& m);
void register_resample(pybind11::module_& m);
void register_rrf(pybind11::module_& m);
void register_text(pybind11::module_& m);

}  // namespace gnomon::bindings
