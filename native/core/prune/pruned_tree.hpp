// A tree that was pruned with its rows: what is known of its nodes, and the arrays that remain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/prune/row_lists.hpp"

namespace treewright {

enum class Became : std::uint8_t { same, leaf, branch };

// What is known of a node while the tree is pruned.
struct NodeState {
    std::int32_t question = -1;  // the node of the tree whose question is asked here; -1: a leaf
    double weight = 0.0;
    std::size_t n_rows = 0;
    double estimate = 0.0;    // of the subtree
    bool irregular = false;   // below, rows stop or are spread
    std::size_t settled = 0;  // pruned for this many whole rows; 0 if not settled

    // What was decided last, and the estimates that were compared.
    Became became = Became::same;
    double as_leaf = 0.0, as_subtree = 0.0, as_branch = 0.0;
    // The rows that it was decided by: raising a branch further up may bring others later.
    double decided_weight = 0.0, decided_errors = 0.0;
};

// The pruned tree, by reference to the tree that it was made of.
struct PrunedTree {
    std::vector<std::int32_t> origin;    // the node that stood here; -1: a leaf for a further level
    std::vector<std::int32_t> question;  // the node that asked what is asked here; -1 at a leaf
    std::vector<std::int32_t> first_child, n_children, missing_child;
    std::vector<double> value, weight;
    std::vector<std::int64_t> n_rows;
    std::vector<std::int64_t> level_start;
    std::vector<std::int32_t> level_code, level_child;
    std::vector<std::uint8_t> became;
    std::vector<double> as_leaf, as_subtree, as_branch, decided_weight, decided_errors;
};

// Depth first, the children of a node side by side, as growth leaves a tree. `counts` are the class
// weights of all nodes; a node without rows repeats those of its parent.
PrunedTree lay_out(const TreeQuestions& questions, std::span<const NodeState> states,
                   std::span<const double> counts);

}  // namespace treewright
