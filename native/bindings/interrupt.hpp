// Whether the user has asked Python to stop.
#pragma once

#include <nanobind/nanobind.h>

namespace treewright::bindings {

// For kernels that run without the interpreter lock; if true, a Python error is set.
inline bool python_interrupted() {
    nanobind::gil_scoped_acquire locked;
    return PyErr_CheckSignals() != 0;
}

}  // namespace treewright::bindings
