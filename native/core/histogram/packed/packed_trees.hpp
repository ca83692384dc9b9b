// Trees of an ensemble in compact form: eight bytes a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/grow/grown_tree.hpp"
#include "core/histogram/binned_table.hpp"

namespace treewright::histogram {

// Bits, one for each bin of a nominal column.
inline std::size_t n_words(int n_bins) { return (static_cast<std::size_t>(n_bins) + 63) / 64; }
inline bool has_bit(const std::uint64_t* words, std::size_t bin) {
    return words[bin / 64] >> (bin % 64) & 1;
}

// The set of a column with more than 255 levels holds only the levels met at the node, since dense
// sets of 10,000 levels would outweigh the tree: their number, then ascending halves of words that
// say bin << 1 | goes left.
class WideSet {
public:
    enum class Side : std::uint8_t { right, left, not_met };

    explicit WideSet(const std::uint64_t* words) : words_(words) {}
    std::size_t size() const { return words_[0]; }
    std::uint32_t entry(std::size_t at) const {
        return static_cast<std::uint32_t>(words_[1 + at / 2] >> (at % 2 * 32));
    }
    Side side(std::uint32_t bin) const;

private:
    const std::uint64_t* words_;
};

// An inner node asks one column: bins up to a given one go left, or those of a set. Its children
// are neighbors. Where a set begins among the words of the tree stands in a slot of its own, right
// before the children.
struct PackedNode {
    static constexpr std::uint32_t leaf = UINT32_MAX;

    std::uint32_t question =
        leaf;                 // column << 9 | missing goes left << 8 | last bin that goes left
    std::uint32_t child = 0;  // the left one; of a leaf: its number

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
    std::vector<float> gain;            // by slot: what the split takes away, times weight
    std::vector<double> value;          // n_values for each leaf
    std::vector<double> weight;         // of each leaf
    std::vector<std::uint32_t> n_rows;  // of each leaf
    std::vector<std::uint64_t>
        set_words;  // of a set: bins that go left, then those met in training

    std::size_t n_leaves() const { return n_rows.size(); }
    std::uint32_t add_slots(std::size_t n);  // returns the first of n new ones
    void shrink();

    // A new set; the number is what its slot holds.
    std::uint32_t add_set(int n_bins);
    void put_in_set(std::uint32_t set, int n_bins, int bin, bool goes_left);

    // The same for a column with more than 255 levels, all at once: bin << 1 | goes left,
    // ascending.
    std::uint32_t add_wide_set(std::span<const std::uint32_t> entries);
};

// The gain as trees store it: never negative, and finite.
float stored_gain(double gain);

// Bits of the bins that go right, missing ones included, of the set of a column with at most 255
// levels: a level that was not met goes where missing goes.
void bins_that_go_right(const std::uint64_t* set, int n_bins, bool missing_left,
                        std::uint64_t (&right)[n_slots / 64]);

// The number of each slot's node in the unpacked tree; -1 where a slot holds the number of a set.
std::vector<std::int32_t> node_of_slot(const PackedTree& tree,
                                       const std::vector<BinnedColumn>& columns);

// The number of each leaf's node in the unpacked tree.
std::vector<std::int32_t> nodes_of_leaves(const PackedTree& tree,
                                          const std::vector<BinnedColumn>& columns);

// The same tree in the form that everything else reads. Values of inner nodes are the sums of their
// leaves (weights of classes), or their means by weight (numbers).
GrownTree unpacked(const PackedTree& tree, const std::vector<BinnedColumn>& columns,
                   std::size_t n_values, bool values_are_sums);

}  // namespace treewright::histogram
