// The search for the best tree of a table with few questions, by counts of pairs of them.
#pragma once

#include <functional>
#include <optional>

#include "core/optimal/problem.hpp"

namespace treewright::optimal {

// Nothing if the table is not for this search; then `best_tree` goes along sorted columns.
std::optional<Solution> best_tree_by_pairs(const Problem& problem, const Limits& limits,
                                           const std::function<void()>& check);

}  // namespace treewright::optimal
