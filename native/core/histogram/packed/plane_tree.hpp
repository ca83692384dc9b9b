// A small tree arranged so that many rows find their leaves at once, without walking.
//
// The leaves stand in a line and every row starts with a bit for each. All nodes are asked, in any
// order: a row that goes to the second child of a node loses the leaves below the first. The lowest
// bit that is left is the row's leaf (Lucchese et al. 2015, QuickScorer). Bits are stored in planes
// of eight leaves, a byte for each row, so one comparison of bytes serves 16 rows or more. The
// smaller child of a node counts as the first: its leaves are in fewer planes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/histogram/packed/packed_trees.hpp"
#include "core/histogram/packed/row_blocks.hpp"
#include "core/histogram/packed/set_streams.hpp"

namespace treewright::histogram {

class PlaneTree {
public:
    static constexpr std::size_t max_leaves = 64;
    static constexpr std::size_t rows_at_once = 64;

    // Whether the tree can be arranged so: few leaves, no column with more than 255 levels.
    static bool fits(const PackedTree& tree, std::span<const BinnedColumn> columns);

    PlaneTree(const PackedTree& tree, std::span<const BinnedColumn> columns, RowBlocks& blocks);

    // For each row of a block the place of its leaf in the line. `places` has room for whole groups
    // of rows. Streams of the tree's own are written.
    void find(RowBlock& block, std::uint8_t* places) const;

    // The number of the leaf at each place.
    const std::vector<std::uint32_t>& leaves() const { return leaves_; }

private:
    // Rows whose byte is above `bin`, or those whose is not, lose the leaves `lost` of one plane.
    struct Loss {
        std::uint32_t stream;
        std::uint8_t bin;
        std::uint8_t lost;
    };
    // The losses of one plane: first the rows above, then the others.
    struct Plane {
        std::uint32_t above, not_above, end;
    };
    class Builder;

    template <class Vector>
    void find_places(const RowBlock& block, std::size_t first, std::uint8_t* places) const;
    void find_by_16(const RowBlock& block, std::uint8_t* places) const;
    void find_by_32(const RowBlock& block, std::uint8_t* places) const;

    std::vector<Loss> losses_;
    std::vector<Plane> planes_;
    SetStreams sets_;
    std::vector<std::uint32_t> leaves_;
};

}  // namespace treewright::histogram
