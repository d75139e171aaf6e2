// Bindings of isa and threads.
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "bindings.hpp"
#include "gnomon/isa.hpp"
#include "gnomon/threads.hpp"

namespace gnomon::bindings {

void register_isa(pybind11::module_& m) {
    m.def("isa", [] { return std::string(isa_name(chosen_isa())); });
    m.def("runnable_isas", [] {
        std::vector<std::string> names;
        for (const Isa isa : runnable_isas()) {
            names.emplace_back(isa_name(isa));
        }
        return names;
    });
    m.def("default_threads", &default_threads);
}

}  // namespace gnomon::bindings
