// A leaf of a gradient tree while the tree grows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/histogram/boosting/column_choice.hpp"
#include "core/histogram/boosting/counting.hpp"
#include "core/histogram/boosting/gradient_split.hpp"
#include "core/histogram/row_order.hpp"

namespace treewright::histogram {

// A part of the tree that is not settled: a leaf, as long as it is not split.
struct Leaf {
    std::uint32_t slot = 0;
    std::uint64_t path = 1;  // a number for its place below the root, whenever it was made
    std::int64_t depth = 0;
    RowOrder::Range range;
    RowOrder::Range asked;  // the rows that its value is computed from
    Sum total = 0;
    Bounds bounds;
    ColumnChoice::Marks groups;  // of interactions that hold its path
    std::vector<Sum> sums;       // by column and bin; empty where no split is looked for
    GradientSplit split;
    // Of rows that are elsewhere: how they call the leaf, their numbers by column and bin (empty
    // where every row counts 1 in the sums), and what they add up to by level of wide columns.
    std::uint32_t node = 0;
    std::vector<std::uint32_t> counts;
    std::vector<Sum> wide_sums;
    std::vector<std::uint32_t> wide_counts;
    std::vector<Leaf> ahead;  // its children, if they were worked out before its turn

    SearchedNode searched() const { return {total, static_cast<double>(range.size()), bounds}; }
};

}  // namespace treewright::histogram
