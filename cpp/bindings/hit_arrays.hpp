// Hits as NumPy arrays, without a copy.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "gnomon/hits.hpp"

namespace gnomon::bindings {

// ids, scores, offsets
using HitArrays = std::tuple<pybind11::array, pybind11::array, pybind11::array>;

// The vector's memory becomes the array's.
template <typename T>
pybind11::array as_array(std::vector<T>&& values) {
    auto owner = std::make_unique<std::vector<T>>(std::move(values));
    const auto size = static_cast<pybind11::ssize_t>(owner->size());
    const T* data = owner->data();
    const pybind11::capsule keeper(
        owner.get(), [](void* vector) { delete static_cast<std::vector<T>*>(vector); });
    owner.release();
    return pybind11::array_t<T>(size, data, keeper);
}

inline HitArrays hit_arrays(HitLists&& hits) {
    return {as_array(std::move(hits.ids)), as_array(std::move(hits.scores)),
            as_array(std::move(hits.offsets))};
}

}  // namespace gnomon::bindings
