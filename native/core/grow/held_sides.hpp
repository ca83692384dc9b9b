// The sides of a split at a node of a held table: rows, weights, classes, means.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/grow/search/candidate.hpp"
#include "core/grow/workspace.hpp"

namespace treewright {

// The rows on one side of a split. Sums run in the order of the node's rows.
struct SideSums {
    std::int64_t n_rows = 0;
    double weight = 0;               // numbers only
    double mean = 0, squares = 0;    // numbers only: the latter from the mean, times weight
    std::vector<double> of_class;    // weight of each class
};

// The best split of a column at a node.
struct ColumnBest {
    int n_values = 0;  // different known values at the node: 0, 1, or 2 for more
    bool found = false;
    Split split;
    std::int64_t n_cuts = 0;       // thresholds that C4.5's correction counts
    int missing_side = -1;         // where missing rows count; -1: they are left out
    std::vector<SideSums> sides;   // of the split; empty if nothing was found
    SideSums counted;              // numbers only: all sides together
    SideSums left_out, missing;    // rows without a side, and those whose value is missing
};

// Adds up the rows of each side of some numbers; rows of a negative side are left out.
std::vector<SideSums> number_sides(std::span<const double> y, std::span<const double> weight,
                                   std::span<const std::int32_t> side, std::size_t n_sides);

// Fills in the sides of `best.split`; `y` is the target of the rows as it was given, for least
// squares. Other measures of numbers are left to the caller.
void add_up_sides(const Workspace<std::uint32_t>& workspace, const NodeView& node,
                  const WorkColumn<std::uint32_t>& column, const Settings& settings,
                  std::span<const double> y, ColumnBest& best);

}  // namespace treewright
