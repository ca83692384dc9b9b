// Trees that separate rows by chance: rows that are soon alone are unusual (Liu, Ting, Zhou
// 2008).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/grow/columns.hpp"
#include "core/grow/grown_tree.hpp"
#include "core/histogram/forest/drawn_rows.hpp"

namespace treewright::histogram {

struct IsolationSettings : RowDrawing {
    std::size_t n_trees = 100;
    std::size_t first_tree = 0;    // trees are seeded by their number: a forest can grow on later
    std::size_t max_features = 0;  // columns drawn for a tree
    std::int64_t max_depth = INT64_MAX;
};

// Each node draws a column that has more than one value there, then a threshold between its least
// and largest value, or a set of its levels. Rows with a missing value all go to one side, drawn
// with the chance of its share of rows. A leaf's value is its depth and the depth that a random
// tree would still need to separate its rows. `check` may throw to cancel.
std::vector<GrownTree> grow_isolation_trees(std::span<const ColumnView> columns, std::size_t n_rows,
                                            const IsolationSettings& settings, int n_threads,
                                            const std::function<void()>& check);

// The mean depth of n rows in a random tree that is grown until they are all alone.
double mean_isolation_depth(double n);

}  // namespace treewright::histogram
