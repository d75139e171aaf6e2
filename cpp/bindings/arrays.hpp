// NumPy arrays as views and spans; nothing here copies or writes.
#pragma once

#include <pybind11/numpy.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "gnomon/matrix.hpp"

namespace gnomon::bindings {

// A C-contiguous array of exactly this type; combined with noconvert() nothing is ever converted.
template <typename T>
using Contiguous = pybind11::array_t<T, pybind11::array::c_style>;

// bfloat16 has no NumPy type of its own: it comes as its bits, in uint16.
inline Dtype dtype_of(const pybind11::array& array) {
    switch (array.dtype().kind()) {
    case 'f':
        switch (array.itemsize()) {
        case 2: return Dtype::f16;
        case 4: return Dtype::f32;
        case 8: return Dtype::f64;
        default: break;
        }
        break;
    case 'i':
        if (array.itemsize() == 1) {
            return Dtype::i8;
        }
        break;
    case 'u':
        if (array.itemsize() == 1) {
            return Dtype::u8;
        }
        if (array.itemsize() == 2) {
            return Dtype::bf16;
        }
        break;
    default: break;
    }
    throw std::invalid_argument(
        "matrix_view: dtype " + pybind11::str(array.dtype()).cast<std::string>() +
        " is none of float16, float32, float64, int8, uint8, uint16 (bfloat16)");
}

// Any strides, read-only or not. The array must outlive the view.
inline MatrixView matrix_view(const pybind11::array& array) {
    if (array.ndim() != 2) {
        throw std::invalid_argument("matrix_view: the array has " + std::to_string(array.ndim()) +
                                    " dimensions, expected 2");
    }
    return {array.data(),
            static_cast<std::size_t>(array.shape(0)),
            static_cast<std::size_t>(array.shape(1)),
            array.strides(0),
            array.strides(1),
            dtype_of(array)};
}

template <typename T>
std::span<const T> span_of(const Contiguous<T>& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
}

template <typename T>
std::span<T> writable_span_of(Contiguous<T>& array) {
    return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

}  // namespace gnomon::bindings
