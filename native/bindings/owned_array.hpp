// Vectors of the core as NumPy arrays, handed over without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

namespace treewright::bindings {

// `values` as a one-dimensional array that owns them.
template <typename T>
nanobind::object owned_array(std::vector<T>&& values) {
    namespace nb = nanobind;
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    nb::capsule owner(owned.get(),
                      [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
    std::vector<T>& held = *owned.release();  // by the capsule
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(held.data(), {held.size()}, owner));
}

}  // namespace treewright::bindings
