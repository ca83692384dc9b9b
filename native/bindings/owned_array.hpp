// Vectors of the core as NumPy arrays, handed over without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

namespace treewright::bindings {

// `values` as a one-dimensional array that owns them.
template <typename T>
nanobind::object owned_array(std::vector<T>&& values) {
    namespace nb = nanobind;
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* pointer) noexcept {
        delete static_cast<std::vector<T>*>(pointer);
    });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace treewright::bindings
