// Bindings of isa.
#include "bindings.hpp"

namespace gnomon::bindings {

void register_isa(pybind11::module_& /*m*/) {}

}  // namespace gnomon::bindings
