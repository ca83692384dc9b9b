// Tests on sets of levels, evaluated for a whole block before the other tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/histogram/packed/packed_trees.hpp"
#include "core/histogram/packed/row_blocks.hpp"

namespace treewright::histogram {

// Each set fills one of the block's own streams with 1 for rows that go right, 0 for others. So the
// node compares like those of numbers: above 0 goes right.
class SetStreams {
public:
    // The number of the stream for a node of a column with at most 255 levels.
    std::uint32_t add(const PackedTree& tree, const PackedNode& node, const BinnedColumn& column,
                      RowBlocks& blocks) {
        Set set{blocks.use(node.column(), false), {}};
        bins_that_go_right(tree.set_words.data() + tree.nodes[node.child - 1].question,
                           column.n_bins, node.missing_left(), set.right);
        sets_.push_back(set);
        return static_cast<std::uint32_t>(sets_.size() - 1);
    }

    void fill(RowBlock& block) const {
        for (std::size_t i = 0; i < sets_.size(); ++i) {
            const std::uint8_t* const bins = block.stream(sets_[i].stream);
            std::uint8_t* const out = block.stream(i);
            for (std::size_t row = 0; row < block.n_rows; ++row) {
                out[row] = has_bit(sets_[i].right, bins[row]);
            }
        }
    }

private:
    struct Set {
        std::uint32_t stream;  // of the column
        std::uint64_t right[n_slots / 64];
    };
    std::vector<Set> sets_;
};

}  // namespace treewright::histogram
