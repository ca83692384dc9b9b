// The binned table of Python, and how long work on it is stopped.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
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

// Trees know bins only by their numbers.
inline void require_same_bins(std::span<const histogram::BinnedColumn> columns,
                              std::span<const histogram::BinnedColumn> others, const char* name) {
    require(std::ranges::equal(columns, others, histogram::same_bins),
            std::string(name) + ": a table that was cut into other bins");
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
