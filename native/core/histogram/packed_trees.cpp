#include "core/histogram/packed_trees.hpp"

#include "core/tree_builder.hpp"

namespace treewright::histogram {

void PackedTree::shrink() {
    nodes.shrink_to_fit();
    gain.shrink_to_fit();
    value.shrink_to_fit();
    weight.shrink_to_fit();
    n_rows.shrink_to_fit();
    sets.shrink_to_fit();
}

}  // namespace treewright::histogram
