// Growing the trees of a forest.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/drawn_rows.hpp"
#include "core/histogram/packed_trees.hpp"

namespace treewright::histogram {

struct ForestSettings : RowDrawing {
    std::size_t n_trees = 100;
    std::size_t first_tree = 0;  // trees are seeded by their number: a forest can grow on later
    std::size_t max_features = 0;
    bool random_cuts = false;    // extremely randomised trees: one cut a column
    std::int64_t max_depth = INT64_MAX;
    double min_samples_split = 2;
    double min_samples_leaf = 1;
    double min_gain = 0;         // per unit of weight
};

struct ForestData {
    const BinnedTable& table;
    std::size_t n_classes = 0;               // 0: numbers
    std::span<const std::int32_t> classes;
    std::span<const double> y;
    std::span<const double> weight;          // empty: every row counts once
};

// Trees in the order of their numbers, whatever threads grew them. `check` may throw to give up.
std::vector<PackedTree> grow_forest(const ForestData& data, const ForestSettings& settings,
                                    int n_threads, const std::function<void()>& check);

}  // namespace treewright::histogram
