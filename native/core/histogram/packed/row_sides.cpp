#include "core/histogram/packed/row_sides.hpp"

#include <algorithm>
#include <variant>

namespace treewright::histogram {
namespace {

template <class R>
std::uint32_t bin_of(const BinnedColumn& column, const R& rows, std::size_t row, std::size_t at) {
    if (column.nominal) {
        const auto found = std::ranges::find(column.levels, rows.code(row, at));
        if (found == column.levels.end()) return missing_wide;
        return static_cast<std::uint32_t>(found - column.levels.begin());
    }
    if (column.coded && rows.code(row, at) < 0) return missing_wide;
    const double value = column.coded ? rows.code(row, at) : rows.number(row, at);
    if (value != value) return missing_wide;
    const auto cut = std::ranges::lower_bound(column.cuts, value);
    return static_cast<std::uint32_t>(cut - column.cuts.begin());
}

}  // namespace

RowSides::RowSides(std::span<const BinnedColumn> columns, const Rows& rows, std::size_t row)
    : columns_(columns), bins_(columns.size()) {
    std::visit(
        [&](const auto& source) {
            for (std::size_t at = 0; at < columns.size(); ++at) {
                bins_[at] = bin_of(columns[at], source, row, at);
            }
        },
        rows);
}

// Levels that were not met in training go where missing values go.
bool RowSides::is_in_set(const PackedTree& tree, const PackedNode& node, std::uint32_t bin) const {
    const BinnedColumn& column = columns_[node.column()];
    const std::uint64_t* const set = tree.set_words.data() + tree.nodes[node.child - 1].question;
    if (column.is_wide()) {
        const auto side = WideSet(set).side(bin);
        return side == WideSet::Side::not_met ? node.missing_left() : side == WideSet::Side::left;
    }
    const bool is_met = has_bit(set + n_words(column.n_bins), bin);
    return is_met ? has_bit(set, bin) : node.missing_left();
}

std::size_t RowSides::leaf_of(const PackedTree& tree) const {
    std::size_t slot = 0;
    while (!tree.nodes[slot].is_leaf()) {
        const PackedNode& node = tree.nodes[slot];
        slot = node.child + std::size_t{!goes_left(tree, node)};
    }
    return tree.nodes[slot].child;
}

}  // namespace treewright::histogram
