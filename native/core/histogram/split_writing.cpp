#include "core/histogram/split_writing.hpp"

#include <algorithm>
#include <limits>

#include "core/as_index.hpp"

namespace treewright::histogram {

float stored_gain(double gain) {
    constexpr double largest = std::numeric_limits<float>::max();
    return gain > 0 ? static_cast<float>(std::min(gain, largest)) : 0.0F;
}

std::uint32_t add_slots(PackedTree& tree, std::size_t n) {
    const std::size_t first = tree.nodes.size();
    tree.nodes.resize(first + n);
    tree.gain.resize(first + n, 0.0F);
    return static_cast<std::uint32_t>(first);
}

std::uint32_t add_set(PackedTree& tree, const BinnedColumn& column, const GradientSplit& split) {
    if (!column.nominal) return 0;
    if (column.is_wide()) return tree.add_wide_set(split.wide);
    const std::uint32_t set = tree.add_set(column.n_bins);
    for (int bin = 0; bin < column.n_bins; ++bin) {
        if (!split.met[as_index(bin)]) continue;
        tree.put_in_set(set, column.n_bins, bin, split.goes_left[as_index(bin)]);
    }
    return set;
}

std::uint32_t add_split(PackedTree& tree, std::uint32_t slot, const GradientSplit& split,
                        bool nominal, std::uint32_t set, bool left_is_larger) {
    if (nominal) {
        const std::uint32_t slot_of_set = add_slots(tree, 1);
        tree.nodes[slot_of_set] = {set, 0};
    }
    const bool missing_left = split.missing_known ? split.missing_left : left_is_larger;
    const std::uint32_t child = add_slots(tree, 2);
    tree.nodes[slot] =
        PackedNode::inner(static_cast<std::uint32_t>(split.column), missing_left,
                          nominal ? 0 : static_cast<unsigned>(split.last_bin), child);
    tree.gain[slot] = stored_gain(split.gain);
    return child;
}

std::vector<std::uint8_t> wide_sides(const BinnedColumn& column, const GradientSplit& split) {
    if (!column.is_wide()) return {};
    std::vector<std::uint8_t> sides(static_cast<std::size_t>(column.n_bins) + 1,
                                    split.missing_left);
    for (const std::uint32_t entry : split.wide) sides[entry >> 1] = entry & 1;
    return sides;
}

}  // namespace treewright::histogram
