// Work of the core without the interpreter lock, until Ctrl-C or until the result of a thread of
// ours is no longer wanted.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <functional>
#include <memory>

#include "bindings/interpreter_lock.hpp"
#include "core/arithmetic/standard_arithmetic.hpp"
#include "core/parallel/cancellation.hpp"

namespace treewright::bindings {

// While one lives, other Python threads run and this one calculates as the standard says.
struct Unlocked {
    LockReleased interpreter;
    StandardArithmetic arithmetic;
};

// For what is bound that calculates without it.
using InStandardArithmetic = nanobind::call_guard<StandardArithmetic>;

// Ctrl-C reaches the main thread alone. Other threads heed a flag, which their owner sets, and the
// one that the owner's thread heeds.
struct StopFlag {
    std::atomic<bool> is_set = false;
    std::shared_ptr<const StopFlag> above;

    bool stops() const { return is_set.load() || (above != nullptr && above->stops()); }
};
inline thread_local std::shared_ptr<const StopFlag> heeded_flag;

// Needs the interpreter lock; if true, a Python error is set.
inline bool is_unwanted() {
    if (heeded_flag == nullptr || !heeded_flag->stops()) return false;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    return true;
}

// At the start of kernels: many short ones in a row might never come to a check.
inline void cancel_if_unwanted() {
    if (is_unwanted()) throw nanobind::python_error();
}

// For kernels that run without the interpreter lock; if true, a Python error is set.
inline bool python_interrupted() {
    const LockHeld locked;
    return survive_exit(PyErr_CheckSignals) != 0 || is_unwanted();
}

// Runs `work(check)` without the interpreter lock; Ctrl-C ends it with Python's own error.
template <class Work>
auto interruptible(Work work) {
    cancel_if_unwanted();
    try {
        const Unlocked unlocked;
        const std::function<bool()> interrupted = python_interrupted;
        Watch watch(interrupted);
        return work(std::function<void()>([&watch] { watch.check(); }));
    } catch (const Interrupted&) {
        throw nanobind::python_error();
    }
}

}  // namespace treewright::bindings
