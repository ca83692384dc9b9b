// Growing the trees of a forest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/forest/drawn_rows.hpp"
#include "core/histogram/packed/packed_trees.hpp"

namespace treewright::histogram {

struct ForestSettings : RowDrawing {
    std::size_t n_trees = 100;
    std::size_t first_tree = 0;  // trees are seeded by their number: a forest can grow on later
    std::size_t max_features = 0;
    bool random_cuts = false;  // extremely randomized trees: one cut or set a column
    std::int64_t max_depth = INT64_MAX;
    double min_samples_split = 2;
    double min_samples_leaf = 1;
    bool weights_are_counts = false;      // a row of weight k counts as k rows in the limits above
    double min_weight_fraction_leaf = 0;  // of the weight that is drawn for a tree
    double min_gain = -1;       // per unit of weight; below 0: a split need not gain anything
    double min_level_rows = 2;  // of columns with more than 255 levels: levels of fewer rows in a
                                // node go with missing values
    bool entropy = false;       // classes: instead of Gini
    std::size_t max_leaf_nodes = SIZE_MAX;  // fewer: the largest gain first
};

struct ForestData {
    const BinnedTable& table;
    std::size_t n_classes = 0;  // 0: numbers
    std::span<const std::int32_t> classes;
    std::span<const double> y;
    std::span<const double> weight;  // empty: every row counts once

    std::size_t n_draws(const RowDrawing& drawing) const {
        return drawing.drawing == Drawing::all_rows ? table.n_rows
                                                    : std::min(drawing.n_drawn, table.n_rows);
    }
};

// Trees in the order of their numbers, whatever threads grew them. `check` may throw to cancel.
std::vector<PackedTree> grow_forest(const ForestData& data, const ForestSettings& settings,
                                    int n_threads, const std::function<void()>& check);

}  // namespace treewright::histogram
