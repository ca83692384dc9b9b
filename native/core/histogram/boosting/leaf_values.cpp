#include "core/histogram/boosting/leaf_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t block_size = 65'536;

double huber_step(std::span<const WeightedValue> residuals, double middle, double delta) {
    double sum = 0, weight = 0;
    for (const WeightedValue& residual : residuals) {
        sum += residual.weight * std::clamp(residual.value - middle, -delta, delta);
        weight += residual.weight;
    }
    return weight > 0 ? middle + sum / weight : middle;
}

// In the order of rows, so that sums of the same rows are the same.
std::vector<WeightedValue> residuals_of(std::span<const Traveler> rows, const LeafRenewal& renewal,
                                        std::span<const double> weight,
                                        std::span<const double> scores) {
    std::vector<WeightedValue> residuals;
    residuals.reserve(rows.size());
    for (const Traveler traveler : rows) {
        const std::uint32_t row = row_of(traveler);
        residuals.push_back(
            {renewal.target[row] - scores[row], weight.empty() ? 1.0 : weight[row]});
    }
    return residuals;
}

double renewed_value(std::vector<WeightedValue> residuals, const LeafRenewal& renewal) {
    if (renewal.kind == Renewal::quantile) return weighted_quantile(residuals, renewal.parameter);
    std::vector<WeightedValue> sorted = residuals;
    const double middle = weighted_quantile(sorted, 0.5);
    return huber_step(residuals, middle, renewal.parameter);
}

bool same(const RowOrder::Range& a, const RowOrder::Range& b) {
    return a.begin == b.begin && a.end == b.end;
}

bool goes_left(const PackedTree& tree, const BinnedTable& table, const PackedNode& node,
               std::size_t row) {
    const BinnedColumn& column = table.columns[node.column()];
    const auto words = [&] { return tree.set_words.data() + tree.nodes[node.child - 1].question; };
    if (column.is_wide()) {
        const std::uint32_t code = table.wide[node.column()][row];
        const WideSet::Side side =
            code == missing_wide ? WideSet::Side::not_met : WideSet(words()).side(code);
        return side == WideSet::Side::not_met ? node.missing_left() : side == WideSet::Side::left;
    }
    const std::uint8_t bin = table.row(row)[node.column()];
    if (bin == missing_bin) return node.missing_left();
    if (!column.nominal) return bin <= node.last_left();
    const bool met = has_bit(words() + n_words(column.n_bins), bin);
    return met ? has_bit(words(), bin) : node.missing_left();
}

}  // namespace

std::uint32_t leaf_of(const PackedTree& tree, const BinnedTable& table, std::size_t row) {
    const PackedNode* node = tree.nodes.data();
    while (!node->is_leaf()) {
        node = tree.nodes.data() + node->child + !goes_left(tree, table, *node, row);
    }
    return node->child;
}

double weighted_quantile(std::vector<WeightedValue>& values, double q) {
    if (values.empty()) return 0;
    std::ranges::sort(values, {}, &WeightedValue::value);
    double total = 0;
    for (const WeightedValue& value : values) total += value.weight;
    const double wanted = q * total, tolerance = 1e-12 * total;
    double below = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        below += values[i].weight;
        if (values[i].weight <= 0 || below < wanted - tolerance) continue;
        if (below > wanted + tolerance) return values[i].value;
        std::size_t next = i + 1;
        while (next < values.size() && values[next].weight <= 0) ++next;
        if (next == values.size()) return values[i].value;
        return values[i].value / 2 + values[next].value / 2;
    }
    return values.back().value;
}

// The leaf of each row is stored first, then all work goes row by row: several times faster than
// leaf by leaf.
void LeafValues::settle(const Gradients& gradients, const LeafRenewal& renewal,
                        const RowOrder& order, std::span<const FinishedLeaf> leaves,
                        std::span<double> scores, PackedTree& tree) {
    if (leaves.size() < std::numeric_limits<std::uint16_t>::max()) {
        settle_as(leaf_of_row_, gradients, renewal, order, leaves, scores, tree);
    } else {
        settle_as(leaf_of_row_of_many_, gradients, renewal, order, leaves, scores, tree);
    }
}

template <class LeafNumber>
void LeafValues::settle_as(std::vector<LeafNumber>& leaf_of_row, const Gradients& gradients,
                           const LeafRenewal& renewal, const RowOrder& order,
                           std::span<const FinishedLeaf> leaves, std::span<double> scores,
                           PackedTree& tree) {
    constexpr LeafNumber no_leaf = std::numeric_limits<LeafNumber>::max();
    leaf_of_row.resize(table_.n_rows);
    if (order.all().size() < table_.n_rows) std::ranges::fill(leaf_of_row, no_leaf);
    run_tasks(leaves.size(), n_threads_, [&](std::size_t leaf, int) {
        for (const Traveler row : order.rows(leaves[leaf].range)) {
            leaf_of_row[row_of(row)] = static_cast<LeafNumber>(leaf);
        }
    });
    const std::vector<LeafSums> sums = add_up(leaf_of_row, gradients, leaves.size());
    tree.value.resize(leaves.size());
    run_tasks(leaves.size(), renewal.kind == Renewal::none ? 1 : n_threads_,
              [&](std::size_t leaf, int) {
                  const double value =
                      renewal.kind == Renewal::none
                          ? best_value(leaves, sums, leaf)
                          : renewed_value(residuals_of(order.rows(leaves[leaf].asked), renewal,
                                                       gradients.weight, scores),
                                          renewal);
                  const Bounds& bounds = leaves[leaf].bounds;
                  tree.value[leaf] = learning_rate_ * std::clamp(value, bounds.low, bounds.high);
              });
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        const std::size_t n_rows = leaves[leaf].range.size();
        tree.nodes[leaves[leaf].slot].child = static_cast<std::uint32_t>(leaf);
        tree.n_rows.push_back(static_cast<std::uint32_t>(n_rows));
        tree.weight.push_back(gradients.weight.empty() ? static_cast<double>(n_rows)
                                                       : sums[leaf].weight);
    }
    const std::size_t n_blocks = (table_.n_rows + block_size - 1) / block_size;
    run_tasks(n_blocks, n_threads_, [&](std::size_t block, int) {
        const std::size_t end = std::min(table_.n_rows, (block + 1) * block_size);
        for (std::size_t row = block * block_size; row < end; ++row) {
            const LeafNumber leaf = leaf_of_row[row];
            scores[row] += tree.value[leaf != no_leaf ? leaf : leaf_of(tree, table_, row)];
        }
    });
}

// From gradients as they were before rounding. Blocks of rows are summed apart and then in their
// order, so threads change nothing.
template <class LeafNumber>
std::vector<LeafValues::LeafSums> LeafValues::add_up(const std::vector<LeafNumber>& leaf_of_row,
                                                     const Gradients& gradients,
                                                     std::size_t n_leaves) const {
    constexpr LeafNumber no_leaf = std::numeric_limits<LeafNumber>::max();
    const std::size_t n_blocks = (table_.n_rows + block_size - 1) / block_size;
    std::vector<LeafSums> of_blocks(n_blocks * n_leaves);
    run_tasks(n_blocks, n_threads_, [&](std::size_t block, int) {
        LeafSums* of_leaf = of_blocks.data() + block * n_leaves;
        const std::size_t end = std::min(table_.n_rows, (block + 1) * block_size);
        gradients.with_hessians([&](const auto& hessian_of) {
            for (std::size_t row = block * block_size; row < end; ++row) {
                if (leaf_of_row[row] == no_leaf) continue;
                LeafSums& sums = of_leaf[leaf_of_row[row]];
                sums.gradient += gradients.first[row];
                sums.hessian += hessian_of(row);
                if (!gradients.weight.empty()) sums.weight += gradients.weight[row];
            }
        });
    });
    std::vector<LeafSums> all(of_blocks.begin(),
                              of_blocks.begin() + static_cast<std::ptrdiff_t>(n_leaves));
    for (std::size_t i = n_leaves; i < of_blocks.size(); ++i) {
        LeafSums& sums = all[i % n_leaves];
        sums.gradient += of_blocks[i].gradient;
        sums.hessian += of_blocks[i].hessian;
        sums.weight += of_blocks[i].weight;
    }
    return all;
}

double LeafValues::best_value(std::span<const FinishedLeaf> leaves, std::span<const LeafSums> sums,
                              std::size_t leaf) const {
    LeafSums asked = sums[leaf];
    if (!same(leaves[leaf].asked, leaves[leaf].range)) {
        asked = {};
        for (std::size_t other = 0; other < leaves.size(); ++other) {
            const RowOrder::Range& range = leaves[other].range;
            if (range.size() == 0 || range.begin < leaves[leaf].asked.begin ||
                range.end > leaves[leaf].asked.end) {
                continue;
            }
            asked.gradient += sums[other].gradient;
            asked.hessian += sums[other].hessian;
        }
    }
    const double shrunk = std::max(std::abs(asked.gradient) - limits_.l1, 0.0);
    const double below = asked.hessian + limits_.l2;
    return below > 0 ? -std::copysign(shrunk, asked.gradient) / below : 0.0;
}

}  // namespace treewright::histogram
