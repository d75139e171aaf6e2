// Bindings of resample.
#include "bindings.hpp"

namespace gnomon::bindings {

void register_resample(pybind11::module_& /*m*/) {}

}  // namespace gnomon::bindings
