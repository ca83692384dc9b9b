// The impurity of class weights by a Python function.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bindings/interpreter_lock.hpp"
#include "bindings/owned_array.hpp"
#include "core/grow/settings.hpp"

namespace treewright::bindings {

// Growth copies the settings without the interpreter lock, so copies must not count references to
// Python's object.
inline CustomImpurity call_back(nanobind::object function) {
    namespace nb = nanobind;
    const std::shared_ptr<nb::object> shared(new nb::object(std::move(function)),
                                             [](nb::object* held) {
                                                 const LockHeld locked;
                                                 delete held;
                                             });
    return [shared](std::span<const double> weights) {
        const LockHeld locked;
        const nb::object argument = owned_array(std::vector(weights.begin(), weights.end()));
        PyObject* result = survive_exit(
            [&] { return PyObject_CallFunctionObjArgs(shared->ptr(), argument.ptr(), nullptr); });
        if (result == nullptr) throw nb::python_error();
        return nb::cast<double>(nb::steal(result));
    };
}

}  // namespace treewright::bindings
