// A tree with the same test at all nodes of a level: the outcomes are the bits of the leaf's place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/histogram/packed/packed_trees.hpp"
#include "core/histogram/packed/row_blocks.hpp"
#include "core/histogram/packed/set_streams.hpp"

namespace treewright::histogram {

class SymmetricTree {
public:
    static constexpr std::size_t max_depth = 8;

    // Nothing if the tree is not symmetric, or too deep for places of one byte.
    static std::optional<SymmetricTree> of(const PackedTree& tree,
                                           std::span<const BinnedColumn> columns,
                                           RowBlocks& blocks);

    // For each row of a block the place of its leaf: bit l is set if it goes right at level l.
    // `places` has room for the stride of the block. Streams of the tree's own are written. False
    // if values are missing that nodes of one level send to different sides.
    bool find(RowBlock& block, std::uint8_t* places) const;

    // The number of the leaf at each place.
    const std::vector<std::uint32_t>& leaves() const { return leaves_; }

private:
    struct Level {
        std::uint32_t stream;
        std::uint8_t last_left;
        bool must_be_known;
    };

    std::vector<Level> levels_;
    SetStreams sets_;
    std::vector<std::uint32_t> leaves_;
};

}  // namespace treewright::histogram
