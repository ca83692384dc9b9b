// The binned table of Python, and how long work on it is stopped.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "core/histogram/binned_table.hpp"
#include "core/watch.hpp"

namespace treewright::bindings {

// Runs `work(check)` without the interpreter lock; Ctrl-C ends it with Python's own error.
template <class Work>
auto interruptible(Work work) {
    try {
        nb::gil_scoped_release unlocked;
        const std::function<bool()> interrupted = python_interrupted;
        Watch watch(interrupted);
        return work(std::function<void()>([&watch] { watch.check(); }));
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
}

// Weights that may be None: then the span is empty.
struct BorrowedWeights {
    std::vector<Buffer> buffers;
    std::span<const double> values;

    BorrowedWeights(nb::handle weight, std::size_t n_rows) {
        if (weight.is_none()) return;
        buffers.emplace_back(weight, "weight");
        values = buffers.back().elements<double>();
        require(values.size() == n_rows, "weight: one value per row");
    }
};

}  // namespace treewright::bindings
