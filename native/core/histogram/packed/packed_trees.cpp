#include "core/histogram/packed/packed_trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/arithmetic/as_index.hpp"

namespace treewright::histogram {
namespace {

void add_levels(GrownTree& out, const std::uint64_t* goes_left, const BinnedColumn& column) {
    if (column.is_wide()) {
        const WideSet set(goes_left);
        for (std::size_t i = 0; i < set.size(); ++i) {
            out.level_code.push_back(column.levels[set.entry(i) >> 1]);
            out.level_child.push_back(!(set.entry(i) & 1));
        }
        return;
    }
    const std::uint64_t* met = goes_left + n_words(column.n_bins);
    for (std::size_t bin = 0; bin < as_index(column.n_bins); ++bin) {
        if (!has_bit(met, bin)) continue;
        out.level_code.push_back(column.levels[bin]);
        out.level_child.push_back(!has_bit(goes_left, bin));
    }
}

// Symmetric trees have leaves that no row came to. Products of large numbers with weights may be
// infinite where their mean is not.
double mean_of(double a, double weight_of_a, double b, double weight_of_b) {
    const double weight = weight_of_a + weight_of_b;
    if (!(weight > 0)) return a / 2 + b / 2;
    const double mean = (a * weight_of_a + b * weight_of_b) / weight;
    if (std::isfinite(mean)) return mean;
    return a * (weight_of_a / weight) + b * (weight_of_b / weight);
}

// If all bins go left, the node asks whether there is a value: intervals without cuts.
SplitKind kind_of(const PackedNode& node, const BinnedColumn& column) {
    if (column.nominal) return SplitKind::subset;
    return node.last_left() < column.cuts.size() ? SplitKind::threshold : SplitKind::intervals;
}

// Children come after their parent, so one pass backwards meets them first.
void sum_up(GrownTree& out, bool values_are_sums) {
    const std::size_t n_values = out.n_values;
    for (std::size_t node = out.kind.size(); node-- > 0;) {
        if (out.n_children[node] == 0) continue;
        const std::size_t left = as_index(out.first_child[node]), right = left + 1;
        out.weight[node] = out.weight[left] + out.weight[right];
        out.n_rows[node] = out.n_rows[left] + out.n_rows[right];
        for (std::size_t v = 0; v < n_values; ++v) {
            const double a = out.value[left * n_values + v], b = out.value[right * n_values + v];
            out.value[node * n_values + v] =
                values_are_sums ? a + b : mean_of(a, out.weight[left], b, out.weight[right]);
        }
    }
}

}  // namespace

std::uint32_t PackedTree::add_slots(std::size_t n) {
    const std::size_t first = nodes.size();
    nodes.resize(first + n);
    gain.resize(first + n, 0.0F);
    return static_cast<std::uint32_t>(first);
}

void PackedTree::shrink() {
    nodes.shrink_to_fit();
    gain.shrink_to_fit();
    value.shrink_to_fit();
    weight.shrink_to_fit();
    n_rows.shrink_to_fit();
    set_words.shrink_to_fit();
}

std::uint32_t PackedTree::add_set(int n_bins) {
    const std::size_t first = set_words.size();
    set_words.resize(first + 2 * n_words(n_bins), 0);
    return static_cast<std::uint32_t>(first);
}

void PackedTree::put_in_set(std::uint32_t set, int n_bins, int bin, bool goes_left) {
    const auto at = static_cast<std::size_t>(bin);
    const std::uint64_t bit = std::uint64_t{1} << (at % 64);
    if (goes_left) set_words[set + at / 64] |= bit;
    set_words[set + n_words(n_bins) + at / 64] |= bit;
}

std::uint32_t PackedTree::add_wide_set(std::span<const std::uint32_t> entries) {
    const std::size_t first = set_words.size();
    set_words.resize(first + 1 + (entries.size() + 1) / 2, 0);
    set_words[first] = entries.size();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        set_words[first + 1 + i / 2] |= std::uint64_t{entries[i]} << (i % 2 * 32);
    }
    return static_cast<std::uint32_t>(first);
}

WideSet::Side WideSet::side(std::uint32_t bin) const {
    std::size_t first = 0, end = size();
    while (first < end) {
        const std::size_t middle = first + (end - first) / 2;
        if (entry(middle) >> 1 < bin) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    if (first == size() || entry(first) >> 1 != bin) return Side::not_met;
    return entry(first) & 1 ? Side::left : Side::right;
}

float stored_gain(double gain) {
    constexpr double largest = std::numeric_limits<float>::max();
    return gain > 0 ? static_cast<float>(std::min(gain, largest)) : 0.0F;
}

void bins_that_go_right(const std::uint64_t* set, int n_bins, bool missing_left,
                        std::uint64_t (&right)[n_slots / 64]) {
    const std::uint64_t unknown = missing_left ? 0 : ~std::uint64_t{0};
    std::ranges::fill(right, unknown);
    const std::size_t n = n_words(n_bins);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t met = set[n + i];
        right[i] = (met & ~set[i]) | (~met & unknown);
    }
}

std::vector<std::int32_t> node_of_slot(const PackedTree& tree,
                                       const std::vector<BinnedColumn>& columns) {
    std::vector<bool> is_set(tree.nodes.size(), false);
    for (std::size_t slot = 0; slot < tree.nodes.size(); ++slot) {
        const PackedNode& node = tree.nodes[slot];
        if (is_set[slot] || node.is_leaf()) continue;
        if (columns[node.column()].nominal) is_set[node.child - 1] = true;
    }
    std::vector<std::int32_t> numbers(tree.nodes.size(), -1);
    std::int32_t next = 0;
    for (std::size_t slot = 0; slot < tree.nodes.size(); ++slot) {
        if (!is_set[slot]) numbers[slot] = next++;
    }
    return numbers;
}

std::vector<std::int32_t> nodes_of_leaves(const PackedTree& tree,
                                          const std::vector<BinnedColumn>& columns) {
    const std::vector<std::int32_t> numbers = node_of_slot(tree, columns);
    std::vector<std::int32_t> nodes(tree.n_leaves());
    for (std::size_t slot = 0; slot < numbers.size(); ++slot) {
        const PackedNode& node = tree.nodes[slot];
        if (numbers[slot] >= 0 && node.is_leaf()) nodes[node.child] = numbers[slot];
    }
    return nodes;
}

GrownTree unpacked(const PackedTree& tree, const std::vector<BinnedColumn>& columns,
                   std::size_t n_values, bool values_are_sums) {
    const std::vector<std::int32_t> numbers = node_of_slot(tree, columns);
    const std::size_t n_nodes = static_cast<std::size_t>(std::ranges::max(numbers)) + 1;
    GrownTree out;
    out.n_values = n_values;
    out.kind.assign(n_nodes, static_cast<std::uint8_t>(SplitKind::leaf));
    out.feature.assign(n_nodes, -1);
    out.threshold.assign(n_nodes, 0.0);
    out.first_child.assign(n_nodes, 0);
    out.n_children.assign(n_nodes, 0);
    out.missing_child.assign(n_nodes, missing_stops);
    out.value.assign(n_nodes * n_values, 0.0);
    out.weight.assign(n_nodes, 0.0);
    out.n_rows.assign(n_nodes, 0);
    out.impurity.assign(n_nodes, 0.0);
    out.gain.assign(n_nodes, 0.0);
    out.score.assign(n_nodes, 0.0);
    out.stop_reason.assign(n_nodes, static_cast<std::uint8_t>(StopReason::none));
    out.split_order.assign(n_nodes, -1);
    out.level_start.push_back(0);
    for (std::size_t slot = 0; slot < tree.nodes.size(); ++slot) {
        if (numbers[slot] < 0) continue;
        const auto node = static_cast<std::size_t>(numbers[slot]);
        const PackedNode& packed = tree.nodes[slot];
        if (packed.is_leaf()) {
            std::copy_n(tree.value.begin() + static_cast<std::ptrdiff_t>(packed.child * n_values),
                        n_values, out.value.begin() + static_cast<std::ptrdiff_t>(node * n_values));
            out.weight[node] = tree.weight[packed.child];
            out.n_rows[node] = tree.n_rows[packed.child];
        } else {
            const BinnedColumn& column = columns[packed.column()];
            out.kind[node] = static_cast<std::uint8_t>(kind_of(packed, column));
            out.feature[node] = static_cast<std::int32_t>(packed.column());
            out.first_child[node] = numbers[packed.child];
            out.n_children[node] = 2;
            out.missing_child[node] = !packed.missing_left();
            out.score[node] = tree.gain[slot];
            if (column.nominal) {
                add_levels(out, tree.set_words.data() + tree.nodes[packed.child - 1].question,
                           column);
            } else if (packed.last_left() < column.cuts.size()) {
                out.threshold[node] = column.cuts[packed.last_left()];
            }
        }
        out.level_start.push_back(static_cast<std::int64_t>(out.level_code.size()));
    }
    sum_up(out, values_are_sums);
    std::int32_t order = 0;
    for (std::size_t node = 0; node < n_nodes; ++node) {
        if (out.n_children[node] == 0) continue;
        out.gain[node] = out.weight[node] > 0 ? out.score[node] / out.weight[node] : 0.0;
        out.split_order[node] = order++;
    }
    return out;
}

}  // namespace treewright::histogram
