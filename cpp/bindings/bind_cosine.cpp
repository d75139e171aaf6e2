// Bindings of cosine.
#include "bindings.hpp"

namespace gnomon::bindings {

void register_cosine(pybind11::module_& /*m*/) {}

}  // namespace gnomon::bindings
