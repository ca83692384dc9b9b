// The question that all nodes of a level ask, for symmetric trees.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/histogram/boosting/counting.hpp"
#include "core/histogram/boosting/gradient_split.hpp"

namespace treewright::histogram {

struct LevelNode {
    SearchedNode node;
    const Sum* sums = nullptr;  // by column and bin
};
// What the rows of a node, by its number, add up to by level of a wide column.
using WideOfNode = std::function<WideSums(std::size_t node)>;

// Takes the best question by a column into `best` if it is worth more to all nodes together. A node
// that a cut would leave with too little on a side adds only what it is worth undivided. Levels of
// a wide column are first brought together in at most 255 neighbors of the common order.
void search_level(const SplitSearch& search, const BinnedTable& table, int column, int direction,
                  std::span<const LevelNode> nodes, double enough, const WideOfNode& wide_of,
                  GradientSplit& best);

}  // namespace treewright::histogram
