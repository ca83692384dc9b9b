// Whether the user has asked Python to stop.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

#include "core/watch.hpp"

namespace treewright::bindings {

// For kernels that run without the interpreter lock; if true, a Python error is set.
inline bool python_interrupted() {
    nanobind::gil_scoped_acquire locked;
    return PyErr_CheckSignals() != 0;
}

// Runs `work(check)` without the interpreter lock; Ctrl-C ends it with Python's own error.
template <class Work>
auto interruptible(Work work) {
    try {
        nanobind::gil_scoped_release unlocked;
        const std::function<bool()> interrupted = python_interrupted;
        Watch watch(interrupted);
        return work(std::function<void()>([&watch] { watch.check(); }));
    } catch (const Interrupted&) {
        throw nanobind::python_error();
    }
}

}  // namespace treewright::bindings
