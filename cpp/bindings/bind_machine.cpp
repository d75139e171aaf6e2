// Bindings of machine.
#include <pybind11/pybind11.h>

#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "gnomon/machine.hpp"

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

Isa isa_named(const std::string& name) {
    for (const Isa isa : runnable_isas()) {
        if (name == isa_name(isa)) {
            return isa;
        }
    }
    throw SettingError("this machine can't run \"" + name + "\"");
}

std::uint64_t bind_read_pass(const Contiguous<std::uint8_t>& data, int threads) {
    const auto bytes = span_of(data);
    return without_gil([&](const Interrupted& stop) { return read_pass(bytes, threads, stop); });
}

std::uint64_t bind_multiply_add_pass(const std::string& isa, bool int8, std::size_t steps,
                                     int threads) {
    const Isa chosen = isa_named(isa);
    const Arithmetic arithmetic = int8 ? Arithmetic::int8 : Arithmetic::float32;
    return without_gil([&](const Interrupted& stop) {
        return multiply_add_pass(chosen, arithmetic, steps, threads, stop);
    });
}

}  // namespace

void register_machine(py::module_& m) {
    m.def("read_pass", bind_read_pass, py::arg("data").noconvert(), py::arg("threads"));
    m.def("multiply_add_pass", bind_multiply_add_pass, py::arg("isa"), py::arg("int8"),
          py::arg("steps"), py::arg("threads"));
}

}  // namespace gnomon::bindings
