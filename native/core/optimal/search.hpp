// The best tree of small depth, by branch and bound, with a proof or with what is known in time.
#pragma once

#include <functional>

#include "core/optimal/problem.hpp"

namespace treewright::optimal {

// Tables of few questions are searched by counts of pairs of them (pair_search.hpp), others along
// their columns in sorted order. `check` is called again and again and may throw to cancel.
Solution best_tree(const Problem& problem, const Limits& limits,
                   const std::function<void()>& check);

}  // namespace treewright::optimal
