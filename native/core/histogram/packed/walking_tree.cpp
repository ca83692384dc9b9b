#include "core/histogram/packed/walking_tree.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/short_cuts.hpp"

namespace treewright::histogram {
namespace {

// Rows walked side by side, and steps between two looks at who has arrived.
constexpr std::size_t n_lanes = 8;
constexpr int steps_at_once = 6;

}  // namespace

WalkingTree::WalkingTree(const PackedTree& tree, std::span<const BinnedColumn> columns,
                         RowBlocks& blocks)
    : nodes_(tree.nodes.size()) {
    std::vector<bool> is_node(tree.nodes.size(), true);
    std::uint32_t some_stream = 0;
    for (std::size_t slot = 0; slot < tree.nodes.size(); ++slot) {
        const PackedNode& node = tree.nodes[slot];
        if (!is_node[slot]) continue;
        if (node.is_leaf()) {
            nodes_[slot] = {some_stream << 8 | 255, static_cast<std::uint32_t>(slot)};
        } else if (columns[node.column()].nominal) {
            is_node[node.child - 1] = false;
            add_set(tree, slot, columns[node.column()], blocks);
        } else {
            some_stream = blocks.use(node.column(), node.missing_left());
            nodes_[slot] = {some_stream << 8 | node.last_left(), node.child};
        }
    }
}

void WalkingTree::add_set(const PackedTree& tree, std::size_t slot, const BinnedColumn& column,
                          RowBlocks& blocks) {
    only_numbers_ = false;
    const PackedNode& node = tree.nodes[slot];
    const std::uint64_t* const words = tree.set_words.data() + tree.nodes[node.child - 1].question;
    nodes_[slot] = {node.question, node.child | is_set};
    Node& place = nodes_[node.child - 1];
    if (column.is_wide()) {
        place = {static_cast<std::uint32_t>(wide_words_.size()),
                is_set | blocks.use_wide(node.column())};
        wide_words_.insert(wide_words_.end(), words, words + 1 + (words[0] + 1) / 2);
        return;
    }
    place = {static_cast<std::uint32_t>(right_.size()), blocks.use(node.column(), false)};
    std::uint64_t right[n_slots / 64];
    bins_that_go_right(words, column.n_bins, node.missing_left(), right);
    right_.insert(right_.end(), std::begin(right), std::end(right));
}

// One step of one row, whatever the question.
std::uint32_t WalkingTree::step(std::uint32_t slot, const RowBlock& block, std::size_t row) const {
    const Node& node = nodes_[slot];
    if (!(node.child & is_set)) return node.next(block.bytes.data() + row, block.stride);
    const std::uint32_t child = node.child & ~is_set;
    const Node& set = nodes_[child - 1];
    if (!(set.child & is_set)) {
        const std::uint8_t bin = block.bytes[set.child * block.stride + row];
        return child + has_bit(right_.data() + set.question, bin);
    }
    const std::uint32_t bin = block.wide[(set.child & ~is_set) * block.stride + row];
    const auto side = WideSet(wide_words_.data() + set.question).side(bin);
    const bool unknown_right = !(node.question >> 8 & 1);
    const bool right =
        side == WideSet::Side::not_met ? unknown_right : side == WideSet::Side::right;
    return child + right;
}

void WalkingTree::walk(const RowBlock& block, std::uint32_t* ends) const {
    if (only_numbers_ && takes(ShortCut::prediction_lanes)) return walk_numbers(block, ends);
    for (std::size_t row = 0; row < block.n_rows; ++row) {
        std::uint32_t at = 0;
        for (std::uint32_t next; (next = step(at, block, row)) != at;) at = next;
        ends[row] = at;
    }
}

void WalkingTree::walk_numbers(const RowBlock& block, std::uint32_t* ends) const {
    std::vector<std::uint16_t> walking(block.n_rows + n_lanes);  // rows that have not arrived
    std::fill_n(ends, block.n_rows, 0U);
    std::iota(walking.begin(), walking.end(), std::uint16_t{0});
    const Node* const nodes = nodes_.data();
    const std::size_t stride = block.stride;
    for (std::size_t n_walking = block.n_rows, n_left; n_walking > 0; n_walking = n_left) {
        n_left = 0;
        // The last group is filled up with its own last row, which then walks in several lanes.
        std::fill_n(walking.begin() + static_cast<std::ptrdiff_t>(n_walking), n_lanes - 1,
                    walking[n_walking - 1]);
        for (std::size_t group = 0; group < n_walking; group += n_lanes) {
            std::array<const std::uint8_t*, n_lanes> row;
            std::array<std::uint32_t, n_lanes> at;
            for (std::size_t lane = 0; lane < n_lanes; ++lane) {
                row[lane] = block.bytes.data() + walking[group + lane];
                at[lane] = ends[walking[group + lane]];
            }
            for (int step = 0; step < steps_at_once; ++step) {
                for (std::size_t lane = 0; lane < n_lanes; ++lane) {
                    at[lane] = nodes[at[lane]].next(row[lane], stride);
                }
            }
            const std::size_t n_real = std::min(n_lanes, n_walking - group);
            for (std::size_t lane = 0; lane < n_real; ++lane) {
                const std::uint16_t i = walking[group + lane];
                ends[i] = at[lane];
                walking[n_left] = i;
                n_left += nodes[at[lane]].child != at[lane];
            }
        }
    }
}

void WalkingTree::walk_one(std::span<const WalkingTree* const> trees, const RowBlock& block,
                           std::size_t row, std::uint32_t* ends) {
    std::ranges::fill_n(ends, static_cast<std::ptrdiff_t>(trees.size()), 0U);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t i = 0; i < trees.size(); ++i) {
            const std::uint32_t next = trees[i]->step(ends[i], block, row);
            moved |= next != ends[i];
            ends[i] = next;
        }
    }
}

}  // namespace treewright::histogram
