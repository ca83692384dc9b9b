// One row, and to which side of a packed node it goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/histogram/packed/packed_trees.hpp"
#include "core/predict/rows.hpp"

namespace treewright::histogram {

// For a few rows: their trees are read as they are, and nothing is arranged for many.
class RowSides {
public:
    // The columns must outlive this.
    RowSides(std::span<const BinnedColumn> columns, const Rows& rows, std::size_t row);

    bool goes_left(const PackedTree& tree, const PackedNode& node) const {
        const std::uint32_t bin = bins_[node.column()];
        if (bin == missing_wide) return node.missing_left();
        if (columns_[node.column()].nominal) return is_in_set(tree, node, bin);
        return bin <= node.last_left();
    }

    // The number of the leaf where the row ends.
    std::size_t leaf_of(const PackedTree& tree) const;

private:
    bool is_in_set(const PackedTree& tree, const PackedNode& node, std::uint32_t bin) const;

    std::span<const BinnedColumn> columns_;
    std::vector<std::uint32_t> bins_;  // by column; missing_wide if missing
};

}  // namespace treewright::histogram
