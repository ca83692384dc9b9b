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
    std::span<double> sums;            // n_values, or as many as there are strengths, for each row
    std::span<std::uint32_t> n_trees;  // that a row was not drawn for
};

// Adds to each row the predictions of the trees that did not draw it, in the order of the trees:
// shares of classes, with `hard` a vote for the first of the largest, or a number. Tree i of
// `forest` is number first_tree + i of those that rows were drawn for. `check` may throw to
// cancel.
void add_out_of_bag(const PackedEnsemble& forest, const BinnedTable& table,
                    const RowDrawing& drawing, std::size_t first_tree, bool hard,
                    const OutOfBag& out, int n_threads, const std::function<void()>& check);

// Some rows, and what is to be found out for each: with class codes the share of its own class,
// without them the predicted number; in both cases by trees that are shrunk by each strength.
struct ShrinkageTrial {
    std::span<const std::uint32_t> rows;
    std::span<const std::int32_t> classes;  // of these rows; empty for numbers
    std::span<const double> strengths;
    double prior = 0;
};

// Adds to each row of the trial, for each strength, the shrunk predictions of the trees that did
// not draw it, in the order of the trees. No tree is changed.
void add_shrunk_out_of_bag(const PackedEnsemble& forest, const BinnedTable& table,
                           const RowDrawing& drawing, const ShrinkageTrial& trial,
                           const OutOfBag& out, int n_threads, const std::function<void()>& check);

}  // namespace treewright::histogram
