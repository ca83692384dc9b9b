// Trees of an ensemble, kept small: eight bytes a node.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/grown_tree.hpp"
#include "core/histogram/binned_table.hpp"

namespace treewright::histogram {

// Which bins of a nominal column go left, and which were met in training at all.
struct LevelSet {
    std::array<std::uint64_t, 4> left{}, met{};

    static bool holds(const std::array<std::uint64_t, 4>& set, unsigned bin) {
        return set[bin / 64] >> (bin % 64) & 1;
    }
    void add(unsigned bin, bool goes_left) {
        met[bin / 64] |= std::uint64_t{1} << (bin % 64);
        left[bin / 64] |= std::uint64_t{goes_left} << (bin % 64);
    }
};

// An inner node asks one column: bins up to a given one go left, or those of a set. Its children are
// neighbours. A set's number stands in a slot of its own, right before the children.
struct PackedNode {
    static constexpr std::uint32_t leaf = UINT32_MAX;

    std::uint32_t question = leaf;  // column << 9 | missing goes left << 8 | last bin that goes left
    std::uint32_t child = 0;        // the left one; of a leaf: its number

    static PackedNode inner(std::uint32_t column, bool missing_left, unsigned bin,
                            std::uint32_t child) {
        return {column << 9 | std::uint32_t{missing_left} << 8 | bin, child};
    }
    bool is_leaf() const { return question == leaf; }
    std::uint32_t column() const { return question >> 9; }
    bool missing_left() const { return question >> 8 & 1; }
    std::uint8_t last_left() const { return static_cast<std::uint8_t>(question); }
};
inline constexpr std::size_t max_columns = (std::size_t{1} << 23) - 1;

struct PackedTree {
    std::vector<PackedNode> nodes;
    std::vector<float> gain;             // by slot: what the split takes away, times weight
    std::vector<double> value;           // n_values for each leaf
    std::vector<double> weight;          // of each leaf
    std::vector<std::uint32_t> n_rows;   // of each leaf
    std::vector<LevelSet> sets;

    std::size_t n_leaves() const { return n_rows.size(); }
    void shrink();
};

// The same tree in the form that everything else reads. Values of inner nodes are the sums of their
// leaves (weights of classes), or their means by weight (numbers).
GrownTree unpacked(const PackedTree& tree, const std::vector<BinnedColumn>& columns,
                   std::size_t n_values, bool values_are_sums);

}  // namespace treewright::histogram
