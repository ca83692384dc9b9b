// A packed tree arranged for walking over the streams of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/histogram/packed/packed_trees.hpp"
#include "core/histogram/packed/row_blocks.hpp"

namespace treewright::histogram {

// The slots are those of the packed tree, so an end is found again there.
class WalkingTree {
public:
    WalkingTree(const PackedTree& tree, std::span<const BinnedColumn> columns, RowBlocks& blocks);

    // The slots where the rows of a block end.
    void walk(const RowBlock& block, std::uint32_t* ends) const;

    // The slots where one row ends in several trees.
    static constexpr std::size_t trees_at_once = 8;
    static void walk_one(std::span<const WalkingTree* const> trees, const RowBlock& block,
                         std::size_t row, std::uint32_t* ends);

private:
    // Bytes up to the last left one go to `child`, the others to the slot after it. A leaf is its
    // own child and all bytes go left: rows that have arrived may go on stepping.
    struct Node {
        std::uint32_t question;  // stream << 8 | last byte that goes left
        std::uint32_t child;

        std::uint32_t next(const std::uint8_t* row, std::size_t stride) const {
            return child + (row[(question >> 8) * stride] > (question & 255));
        }
    };
    // Marks the child of a node that tests a set. The slot before its children then holds where
    // the set begins and its stream; of a column with more than 255 levels, the wide one, marked
    // too.
    static constexpr std::uint32_t is_set = std::uint32_t{1} << 31;

    void add_set(const PackedTree& tree, std::size_t slot, const BinnedColumn& column,
                 RowBlocks& blocks);
    std::uint32_t step(std::uint32_t slot, const RowBlock& block, std::size_t row) const;
    void walk_numbers(const RowBlock& block, std::uint32_t* ends) const;

    std::vector<Node> nodes_;
    std::vector<std::uint64_t> right_;  // bits of bins that go right, that of missing included
    std::vector<std::uint64_t> wide_words_;
    bool only_numbers_ = true;
};

}  // namespace treewright::histogram
