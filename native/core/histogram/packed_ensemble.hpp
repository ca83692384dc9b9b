// The trees of an ensemble, and how the columns that they ask were cut into bins.
#pragma once

#include <cstddef>
#include <vector>

#include "core/histogram/packed_trees.hpp"

namespace treewright::histogram {

struct PackedEnsemble {
    std::vector<PackedTree> trees;
    std::vector<BinnedColumn> columns;
    std::size_t n_values = 1;      // of a leaf
    bool values_are_sums = false;  // weights of classes; otherwise means

    std::size_t n_bytes() const;
};

}  // namespace treewright::histogram
