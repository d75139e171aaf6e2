// Bindings of linear.
#include "bindings.hpp"

namespace gnomon::bindings {

void register_linear(pybind11::module_& /*m*/) {}

}  // namespace gnomon::bindings
