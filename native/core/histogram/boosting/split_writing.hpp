// How a split that was found becomes part of a packed tree.
#pragma once

#include <cstdint>
#include <vector>

#include "core/histogram/boosting/gradient_split.hpp"
#include "core/histogram/packed/packed_trees.hpp"

namespace treewright::histogram {

// The number of the split's set of levels, 0 for a column that is none of levels.
std::uint32_t add_set(PackedTree& tree, const BinnedColumn& column, const GradientSplit& split);

// Returns the slot of the left child. Where no value is missing, the larger child would take it.
std::uint32_t add_split(PackedTree& tree, std::uint32_t slot, const GradientSplit& split,
                        bool nominal, std::uint32_t set, bool left_is_larger);

// Sides of a wide column by level, and last for the missing ones; empty for other columns.
std::vector<std::uint8_t> wide_sides(const BinnedColumn& column, const GradientSplit& split);

}  // namespace treewright::histogram
