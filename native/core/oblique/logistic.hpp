// Logistic regression of a few columns: where the line between two groups of rows would lie.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace treewright::oblique {

// The slopes of the columns, each (n_rows,) with mean 0 and deviation 1, and the constant last.
// `group` is 0 or 1 for each row. A small ridge keeps the slopes finite where a line separates
// the groups. The rounds begin at `start`, which is as long as the result.
std::vector<double> logistic_slopes(std::span<const double* const> columns,
                                    std::span<const double> group, std::span<const double> weight,
                                    std::vector<double> start, const std::function<void()>& check);

}  // namespace treewright::oblique
