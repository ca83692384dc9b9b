#include "core/histogram/boosting/leaf_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/arithmetic/order_free_sum.hpp"
#include "core/parallel/row_shares.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t least_rows = 4'096;  // that are worth a task

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

bool is_within(const RowOrder::Range& part, const RowOrder::Range& whole) {
    return part.size() > 0 && part.begin >= whole.begin && part.end <= whole.end;
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
void LeafValues::settle(const Gradients& gradients, const Units& units, const LeafRenewal& renewal,
                        const RowOrder& order, std::span<const FinishedLeaf> leaves,
                        std::span<double> scores, PackedTree& tree) {
    if (leaves.size() < std::numeric_limits<std::uint16_t>::max()) {
        settle_as(leaf_of_row_, gradients, units, renewal, order, leaves, scores, tree);
    } else {
        settle_as(leaf_of_row_of_many_, gradients, units, renewal, order, leaves, scores, tree);
    }
}

template <class LeafNumber>
void LeafValues::settle_as(std::vector<LeafNumber>& leaf_of_row, const Gradients& gradients,
                           const Units& units, const LeafRenewal& renewal, const RowOrder& order,
                           std::span<const FinishedLeaf> leaves, std::span<double> scores,
                           PackedTree& tree) {
    constexpr LeafNumber no_leaf = std::numeric_limits<LeafNumber>::max();
    note_leaves(order, leaves, leaf_of_row);
    const std::vector<LeafTotals> totals =
        totals_of(add_up_leaves(leaf_of_row, gradients, units.largest, leaves.size(), n_threads_),
                  units.largest, leaves);
    tree.value.resize(leaves.size());
    run_tasks(leaves.size(), renewal.kind == Renewal::none ? 1 : n_threads_,
              [&](std::size_t leaf, int) {
                  const double value =
                      renewal.kind == Renewal::none
                          ? best_value(totals[leaf])
                          : renewed_value(residuals_of(order.rows(leaves[leaf].asked), renewal,
                                                       gradients.weight, scores),
                                          renewal);
                  tree.value[leaf] = value_of(value, leaves[leaf]);
              });
    write_rows(leaves, totals, !gradients.weight.empty(), tree);
    const RowShares shares = share_rows(table_.n_rows, n_threads_, least_rows);
    run_tasks(shares.size(), n_threads_, [&](std::size_t share, int) {
        const std::size_t begin = shares.begin(share), end = shares.end(share);
        for (std::size_t row = begin; row < end; ++row) {
            const LeafNumber leaf = leaf_of_row[row];
            scores[row] += tree.value[leaf != no_leaf ? leaf : leaf_of(tree, table_, row)];
        }
        note_bytes(static_cast<double>((end - begin) * (2 * sizeof(double) + sizeof leaf_of_row[0])));
    });
}

template <class LeafNumber>
void LeafValues::note_leaves(const RowOrder& order, std::span<const FinishedLeaf> leaves,
                             std::vector<LeafNumber>& leaf_of_row) const {
    struct Part {
        std::size_t leaf;
        RowOrder::Range rows;
    };
    leaf_of_row.resize(table_.n_rows);
    if (order.all().size() < table_.n_rows) {
        std::ranges::fill(leaf_of_row, std::numeric_limits<LeafNumber>::max());
    }
    const std::size_t size =
        share_rows(order.all().size(), n_threads_, least_rows).rows_of_block();
    std::vector<Part> parts;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        const RowOrder::Range& range = leaves[leaf].range;
        for (std::size_t begin = range.begin; begin < range.end; begin += size) {
            parts.push_back({leaf, {begin, std::min(range.end, begin + size), range.copy}});
        }
    }
    run_tasks(parts.size(), n_threads_, [&](std::size_t i, int) {
        for (const Traveler row : order.rows(parts[i].rows)) {
            leaf_of_row[row_of(row)] = static_cast<LeafNumber>(parts[i].leaf);
        }
        note_bytes(static_cast<double>(parts[i].rows.size() * (sizeof(Traveler) + sizeof leaf_of_row[0])));
    });
}

template <class LeafNumber>
std::vector<LeafSums> add_up_leaves(const std::vector<LeafNumber>& leaf_of_row,
                                    const Gradients& gradients, const LargestGradients& largest,
                                    std::size_t n_leaves, int n_threads) {
    constexpr LeafNumber no_leaf = std::numeric_limits<LeafNumber>::max();
    const std::size_t n_rows = leaf_of_row.size();
    const SumUnits of_gradient(largest.gradient, n_rows), of_hessian(largest.hessian, n_rows),
        of_weight(largest.weight, n_rows);
    // A part adds to the sums of all leaves, so it is not much smaller than their number.
    const RowShares shares = share_rows(n_rows, n_threads, std::max(least_rows, 4 * n_leaves));
    std::vector<LeafSums> parts(shares.size() * n_leaves);
    run_tasks(shares.size(), n_threads, [&](std::size_t share, int) {
        const std::size_t begin = shares.begin(share), end = shares.end(share);
        LeafSums* const of_leaf = parts.data() + share * n_leaves;
        gradients.with_hessians([&](const auto& hessian_of) {
            for (std::size_t row = begin; row < end; ++row) {
                if (leaf_of_row[row] == no_leaf) continue;
                LeafSums& sums = of_leaf[leaf_of_row[row]];
                of_gradient.add(gradients.first[row], sums.gradient);
                of_hessian.add(hessian_of(row), sums.hessian);
                if (!gradients.weight.empty()) of_weight.add(gradients.weight[row], sums.weight);
            }
        });
        note_bytes(static_cast<double>((end - begin) * (sizeof(double) + sizeof leaf_of_row[0])));
    });
    for (std::size_t i = n_leaves; i < parts.size(); ++i) parts[i % n_leaves] += parts[i];
    parts.resize(n_leaves);
    return parts;
}

LeafSums add_up_rows(std::span<const Traveler> rows, const Gradients& gradients,
                     const LargestGradients& largest, std::size_t n_rows_of_all) {
    const SumUnits of_gradient(largest.gradient, n_rows_of_all),
        of_hessian(largest.hessian, n_rows_of_all), of_weight(largest.weight, n_rows_of_all);
    LeafSums sums;
    gradients.with_hessians([&](const auto& hessian_of) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t row = row_of(rows[i]);
            const std::uint32_t later = row_of(rows[std::min(i + rows_ahead, rows.size() - 1)]);
            __builtin_prefetch(gradients.first.data() + later);
            if (!gradients.second.empty()) __builtin_prefetch(gradients.second.data() + later);
            of_gradient.add(gradients.first[row], sums.gradient);
            of_hessian.add(hessian_of(row), sums.hessian);
            if (!gradients.weight.empty()) of_weight.add(gradients.weight[row], sums.weight);
        }
    });
    return sums;
}

// The rows that a value is computed from come leaf by leaf, and ascending in each: sums of the same
// rows are the same as those of rows in memory.
std::vector<double> renewed_values(std::span<const FinishedLeaf> leaves,
                                   std::span<const std::uint32_t> leaf_of_row,
                                   const LeafRenewal& renewal, std::span<const double> weight,
                                   std::span<const double> scores, int n_threads) {
    std::vector<std::vector<WeightedValue>> residuals(leaves.size());
    for (std::size_t row = 0; row < leaf_of_row.size(); ++row) {
        if (leaf_of_row[row] >= leaves.size()) continue;
        residuals[leaf_of_row[row]].push_back(
            {renewal.target[row] - scores[row], weight.empty() ? 1.0 : weight[row]});
    }
    std::vector<std::size_t> in_order(leaves.size());
    std::iota(in_order.begin(), in_order.end(), std::size_t{0});
    std::ranges::sort(in_order, {}, [&](std::size_t leaf) { return leaves[leaf].range.begin; });
    std::vector<double> values(leaves.size());
    run_tasks(leaves.size(), n_threads, [&](std::size_t leaf, int) {
        std::vector<WeightedValue> asked;
        for (const std::size_t other : in_order) {
            if (other != leaf && !is_within(leaves[other].range, leaves[leaf].asked)) continue;
            asked.insert(asked.end(), residuals[other].begin(), residuals[other].end());
        }
        values[leaf] = renewed_value(std::move(asked), renewal);
    });
    return values;
}

// The rows that a leaf's value is computed from may be those of several leaves.
std::vector<LeafValues::LeafTotals> LeafValues::totals_of(
    std::span<const LeafSums> sums, const LargestGradients& largest,
    std::span<const FinishedLeaf> leaves) const {
    const std::size_t n_rows = table_.n_rows, n_leaves = leaves.size();
    const SumUnits of_gradient(largest.gradient, n_rows), of_hessian(largest.hessian, n_rows),
        of_weight(largest.weight, n_rows);
    std::vector<LeafTotals> all(n_leaves);
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        LeafSums asked = sums[leaf];
        if (!same(leaves[leaf].asked, leaves[leaf].range)) {
            asked.gradient = asked.hessian = {};
            for (std::size_t other = 0; other < n_leaves; ++other) {
                if (!is_within(leaves[other].range, leaves[leaf].asked)) continue;
                asked.gradient += sums[other].gradient;
                asked.hessian += sums[other].hessian;
            }
        }
        all[leaf] = {of_gradient.value(asked.gradient), of_hessian.value(asked.hessian),
                     of_weight.value(asked.weight)};
    }
    return all;
}

void LeafValues::settle(std::span<const LeafSums> sums, const LargestGradients& largest,
                        bool weighted, std::span<const double> renewed,
                        std::span<const FinishedLeaf> leaves, PackedTree& tree) const {
    const std::vector<LeafTotals> totals = totals_of(sums, largest, leaves);
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        const double best = renewed.empty() ? best_value(totals[leaf]) : renewed[leaf];
        tree.value.push_back(value_of(best, leaves[leaf]));
    }
    write_rows(leaves, totals, weighted, tree);
}

void LeafValues::write_rows(std::span<const FinishedLeaf> leaves,
                            std::span<const LeafTotals> totals, bool weighted, PackedTree& tree) {
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        const std::size_t n_rows = leaves[leaf].range.size();
        tree.nodes[leaves[leaf].slot].child = static_cast<std::uint32_t>(leaf);
        tree.n_rows.push_back(static_cast<std::uint32_t>(n_rows));
        tree.weight.push_back(weighted ? totals[leaf].weight : static_cast<double>(n_rows));
    }
}

double LeafValues::value_of(double best, const FinishedLeaf& leaf) const {
    return learning_rate_ * std::clamp(best, leaf.bounds.low, leaf.bounds.high);
}

double LeafValues::best_value(const LeafTotals& asked) const {
    const double shrunk = std::max(std::abs(asked.gradient) - limits_.l1, 0.0);
    const double below = asked.hessian + limits_.l2;
    return below > 0 ? -std::copysign(shrunk, asked.gradient) / below : 0.0;
}

}  // namespace treewright::histogram
