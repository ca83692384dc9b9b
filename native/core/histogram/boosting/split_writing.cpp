#include "core/histogram/boosting/split_writing.hpp"

#include "core/arithmetic/as_index.hpp"

namespace treewright::histogram {

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
        const std::uint32_t slot_of_set = tree.add_slots(1);
        tree.nodes[slot_of_set] = {set, 0};
    }
    const bool missing_left = split.missing_known ? split.missing_left : left_is_larger;
    const std::uint32_t child = tree.add_slots(2);
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
