// Error-based pruning with subtree raising, as in C4.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/large_vector.hpp"
#include "core/predict/rows.hpp"
#include "core/predict/tree_view.hpp"
#include "core/prune/error_estimate.hpp"
#include "core/prune/pruned_tree.hpp"

namespace treewright {

struct TrainingTargets {
    std::span<const std::int32_t> codes;
    std::span<const double> weights;  // empty: every row counts once
    Folder folder = {};               // of lists of all rows; none: memory
};

// From the leaves up, a subtree is replaced by a leaf or by its largest branch, whichever is
// expected to make no more errors. All rows of the subtree go to the branch that is raised, and
// what is below is pruned again. The tree does not depend on the number of threads. `interrupted` is
// asked now and then; when it says yes, Interrupted is thrown.
PrunedTree prune_by_errors(const TreeView& tree, const Rows& rows, const TrainingTargets& targets,
                           const ErrorSettings& settings, int n_threads,
                           const std::function<bool()>& interrupted);

}  // namespace treewright
