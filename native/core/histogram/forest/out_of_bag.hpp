// Out-of-bag predictions: for the training rows of a forest, by the trees that did not draw them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/forest/drawn_rows.hpp"
#include "core/histogram/packed/packed_ensemble.hpp"

namespace treewright::histogram {

struct OutOfBag {
    std::span<double> sums;            // n_values for each row
    std::span<std::uint32_t> n_trees;  // that a row was not drawn for
};

// Adds to each row the predictions of the trees that did not draw it, in the order of the trees:
// shares of classes, with `hard` a vote for the first of the largest, or a number. Tree i of
// `forest` is number first_tree + i of those that rows were drawn for. `check` may throw to
// cancel.
void add_out_of_bag(const PackedEnsemble& forest, const BinnedTable& table,
                    const RowDrawing& drawing, std::size_t first_tree, bool hard,
                    const OutOfBag& out, int n_threads, const std::function<void()>& check);

}  // namespace treewright::histogram
