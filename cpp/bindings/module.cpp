// The extension module: declares and calls one registration function per kernel, nothing else.
#include <pybind11/pybind11.h>

#include "bindings.hpp"

PYBIND11_MODULE(_core, m, pybind11::mod_gil_not_used()) {
    gnomon::bindings::register_errors(m);
    gnomon::bindings::register_isa(m);
    gnomon::bindings::register_bm25(m);
    gnomon::bindings::register_cosine(m);
    gnomon::bindings::register_linear(m);
    gnomon::bindings::register_machine(m);
    gnomon::bindings::register_mmr(m);
    gnomon::bindings::register_ranking(m);
    gnomon::bindings::register_resample(m);
    gnomon::bindings::register_rrf(m);
    gnomon::bindings::register_text(m);
}
