#include "core/histogram/packed/symmetric_tree.hpp"

#include <algorithm>

namespace treewright::histogram {
namespace {

bool ask_the_same(const PackedTree& tree, const PackedNode& a, const PackedNode& b,
                  const BinnedColumn& column) {
    if (a.column() != b.column()) return false;
    if (!column.nominal) return a.last_left() == b.last_left();
    std::uint64_t right_of_a[n_slots / 64], right_of_b[n_slots / 64];
    const std::uint64_t* const words = tree.set_words.data();
    bins_that_go_right(words + tree.nodes[a.child - 1].question, column.n_bins, a.missing_left(),
                       right_of_a);
    bins_that_go_right(words + tree.nodes[b.child - 1].question, column.n_bins, b.missing_left(),
                       right_of_b);
    return std::ranges::equal(right_of_a, right_of_b);
}

// The inner nodes of each level, those that are reached by going right after the others; the leaves
// come last. Nothing if a level has both, or asks different questions.
std::vector<std::vector<PackedNode>> levels_of(const PackedTree& tree,
                                               std::span<const BinnedColumn> columns) {
    std::vector<std::vector<PackedNode>> levels{{tree.nodes[0]}};
    while (!levels.back()[0].is_leaf()) {
        const std::vector<PackedNode>& nodes = levels.back();
        const BinnedColumn& column = columns[nodes[0].column()];
        if (levels.size() > SymmetricTree::max_depth || column.is_wide()) return {};
        for (const PackedNode& node : nodes) {
            if (node.is_leaf() || !ask_the_same(tree, nodes[0], node, column)) return {};
        }
        std::vector<PackedNode> next;
        for (const unsigned right : {0U, 1U}) {
            for (const PackedNode& node : nodes) next.push_back(tree.nodes[node.child + right]);
        }
        levels.push_back(std::move(next));
    }
    const auto is_leaf = [](const PackedNode& node) { return node.is_leaf(); };
    return std::ranges::all_of(levels.back(), is_leaf) ? levels
                                                       : std::vector<std::vector<PackedNode>>{};
}

}  // namespace

std::optional<SymmetricTree> SymmetricTree::of(const PackedTree& tree,
                                               std::span<const BinnedColumn> columns,
                                               RowBlocks& blocks) {
    const auto levels = levels_of(tree, columns);
    if (levels.empty()) return std::nullopt;
    SymmetricTree out;
    for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
        const PackedNode& node = levels[l][0];
        const BinnedColumn& column = columns[node.column()];
        if (column.nominal) {
            out.levels_.push_back({out.sets_.add(tree, node, column, blocks), 0, false});
        } else {
            const bool one_side = std::ranges::all_of(levels[l], [&](const PackedNode& other) {
                return other.missing_left() == node.missing_left();
            });
            out.levels_.push_back({blocks.use(node.column(), one_side && node.missing_left()),
                                   node.last_left(), !one_side});
        }
    }
    for (const PackedNode& leaf : levels.back()) out.leaves_.push_back(leaf.child);
    return out;
}

bool SymmetricTree::find(RowBlock& block, std::uint8_t* places) const {
    for (const Level& level : levels_) {
        if (level.must_be_known && block.has_missing[level.stream]) return false;
    }
    sets_.fill(block);
    const std::size_t n_rows = block.stride;  // a copy: bytes written might alias it
    std::fill_n(places, n_rows, std::uint8_t{0});
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        const std::uint8_t* const bins = block.stream(levels_[l].stream);
        const std::uint8_t last_left = levels_[l].last_left;
        const auto bit = static_cast<std::uint8_t>(1U << l);
        for (std::size_t row = 0; row < n_rows; ++row) {
            places[row] |= bins[row] > last_left ? bit : 0;
        }
    }
    return true;
}

}  // namespace treewright::histogram
