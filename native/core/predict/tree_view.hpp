// A tree as kernels see it: the arrays of treewright.tree.Tree, as spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright {

enum class NodeKind : std::uint8_t { leaf, threshold, branches, intervals, subset, oblique };

// TreeView::missing_child, when it is not the number of a child.
inline constexpr std::int32_t stop_here = -1;
inline constexpr std::int32_t spread_to_all = -2;

// A level code that is no level: the value is missing, or the level was never seen in training.
inline constexpr std::int32_t no_level = -1;

// These arrays are not checked here: they come from the grower or have passed check_tree.
struct TreeView {
    std::span<const std::uint8_t> kind;
    std::span<const std::int32_t> feature;
    std::span<const double> threshold;
    std::span<const std::int32_t> first_child;
    std::span<const std::int32_t> n_children;
    std::span<const std::int32_t> missing_child;
    std::span<const double> weight;

    // Groups of side arrays: entries start[i] to start[i + 1] belong to node i.
    std::span<const std::int64_t> level_start;
    std::span<const std::int32_t> level_code;
    std::span<const std::int32_t> level_child;
    std::span<const std::int64_t> cut_start;
    std::span<const double> cut;
    std::span<const std::int64_t> term_start;
    std::span<const std::int32_t> term_feature;
    std::span<const double> term_weight;
    std::span<const std::int64_t> surrogate_start;
    std::span<const std::uint8_t> surrogate_kind;
    std::span<const std::int32_t> surrogate_feature;
    std::span<const double> surrogate_threshold;
    std::span<const std::uint8_t> surrogate_flip;
    std::span<const std::int64_t> surrogate_level_start;
    std::span<const std::int32_t> surrogate_level_code;
    std::span<const std::int32_t> surrogate_level_child;

    std::span<const std::int32_t> n_levels;  // of each column; -1 for a numeric one
    bool unseen_to_majority = false;         // an unseen level follows the heaviest child

    std::size_t n_nodes() const { return kind.size(); }
};

}  // namespace treewright
