// The core's exceptions as those of gnomon.errors.
#include <exception>

#include "bindings.hpp"
#include "gnomon/errors.hpp"
#include "python_text.hpp"

namespace gnomon::bindings {

namespace {

void raise_as(const char* class_name, const char* message) {
    const pybind11::object error = pybind11::module_::import("gnomon.errors").attr(class_name);
    PyErr_SetString(error.ptr(), message);
}

void translate(std::exception_ptr pointer) {
    try {
        std::rethrow_exception(std::move(pointer));
    } catch (const SettingError& error) {
        raise_as("UsageError", error.what());
    } catch (const NotTextError& error) {
        raise_as("InvalidTypeError", error.what());
    } catch (const std::invalid_argument& error) {
        raise_as("InvalidInputError", error.what());
    }
}

}  // namespace

void register_errors(pybind11::module_& /*m*/) {
    pybind11::register_local_exception_translator(translate);
}

}  // namespace gnomon::bindings
