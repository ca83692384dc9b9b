// Hierarchical shrinkage of packed trees (Agarwal and others, 2022): from the root down, a node
// predicts its parent's shrunk value + (own - parent's own) x n / (n + strength), where n is the
// weight of the parent.
#pragma once

#include <cstddef>
#include <vector>

#include "core/histogram/packed/packed_trees.hpp"

namespace treewright::histogram {

// What leaves hold, and how much weight of equal shares of all classes the root gets in addition:
// then no share is 0 after shrinkage, also of a class that a tree has not drawn.
struct LeafForm {
    std::size_t n_values = 1;
    bool values_are_sums = false;  // weights of classes; otherwise means
    double prior = 0;
};

// All nodes of a tree by slot; slots that hold sets stay 0.
struct NodePredictions {
    std::vector<double> weight;
    std::vector<double> value;  // n_values for each: shares of classes, or the mean
};
NodePredictions predictions_of_nodes(const PackedTree& tree,
                                     const std::vector<BinnedColumn>& columns,
                                     const LeafForm& form);

// How much of the distance to a parent of this weight is kept.
inline double kept_part(double parent_weight, double strength) {
    return parent_weight > 0 ? parent_weight / (parent_weight + strength) : 0;
}

// The tree with shrunk leaves; leaves keep their weight.
PackedTree shrunk(const PackedTree& tree, const std::vector<BinnedColumn>& columns,
                  const LeafForm& form, double strength);

}  // namespace treewright::histogram
