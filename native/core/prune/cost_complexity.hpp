// Cost-complexity pruning: the price of a leaf at which each subtree stops being worth its leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright {

// A tree as pruning sees it, one entry per node; children are contiguous and after their parent.
struct SubtreeRisks {
    std::span<const std::int32_t> first_child;
    std::span<const std::int32_t> n_children;  // 0 at a leaf
    std::span<const double> as_leaf;           // risk of the node if it were a leaf
    std::span<const double> stopped;           // risk of the rows that end at an inner node

    std::size_t n_nodes() const { return first_child.size(); }
};

// Weakest links (Breiman and others, 1984): the smallest subtree of least risk + price x leaves
// has cut every node whose price is not above it. Infinite at leaves; never rising downwards.
void weakest_link_prices(const SubtreeRisks& tree, std::span<double> prices);

// The same by the rule of R's rpart, one pass from the leaves up: the risk that a subtree saves for
// each leaf it has more than one, where a child that saves less than the node with it counts as a
// leaf. Subtrees that save no more than `least` count as leaves from the start.
void saving_per_leaf_prices(const SubtreeRisks& tree, double least, std::span<double> prices);

}  // namespace treewright
