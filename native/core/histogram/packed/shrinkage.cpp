#include "core/histogram/packed/shrinkage.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace treewright::histogram {
namespace {

double sum_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

NodePredictions predictions_of_nodes(const PackedTree& tree,
                                     const std::vector<BinnedColumn>& columns,
                                     const LeafForm& form) {
    const std::size_t n = form.n_values;
    const std::vector<std::int32_t> numbers = node_of_slot(tree, columns);
    NodePredictions out;
    out.weight.assign(tree.nodes.size(), 0.0);
    out.value.assign(tree.nodes.size() * n, 0.0);
    // Sums first. Children come after their parent, so one pass backwards meets them first.
    for (std::size_t slot = tree.nodes.size(); slot-- > 0;) {
        if (numbers[slot] < 0) continue;
        const PackedNode& node = tree.nodes[slot];
        double* const value = out.value.data() + slot * n;
        if (node.is_leaf()) {
            out.weight[slot] = tree.weight[node.child];
            const double scale = form.values_are_sums ? 1.0 : out.weight[slot];
            for (std::size_t k = 0; k < n; ++k) value[k] = tree.value[node.child * n + k] * scale;
            continue;
        }
        const double* const left = out.value.data() + node.child * n;
        out.weight[slot] = out.weight[node.child] + out.weight[node.child + 1];
        for (std::size_t k = 0; k < n; ++k) value[k] = left[k] + left[n + k];
    }
    for (std::size_t slot = 0; slot < tree.nodes.size(); ++slot) {
        if (numbers[slot] < 0) continue;
        const PackedNode& node = tree.nodes[slot];
        const std::span<double> value(out.value.data() + slot * n, n);
        if (!form.values_are_sums) {
            if (node.is_leaf()) {
                std::copy_n(tree.value.data() + node.child * n, n, value.data());
            } else if (out.weight[slot] > 0) {
                for (double& sum : value) sum /= out.weight[slot];
            }
            continue;
        }
        const double prior = slot == 0 ? form.prior : 0.0;
        const double total = sum_of(value) + prior;
        for (double& sum : value) sum = (sum + prior / static_cast<double>(n)) / total;
    }
    return out;
}

PackedTree shrunk(const PackedTree& tree, const std::vector<BinnedColumn>& columns,
                  const LeafForm& form, double strength) {
    const std::size_t n = form.n_values;
    const std::vector<std::int32_t> numbers = node_of_slot(tree, columns);
    const NodePredictions own = predictions_of_nodes(tree, columns, form);
    std::vector<double> value = own.value;  // becomes the shrunk one, parents first
    for (std::size_t slot = 0; slot < tree.nodes.size(); ++slot) {
        const PackedNode& node = tree.nodes[slot];
        if (numbers[slot] < 0 || node.is_leaf()) continue;
        const double kept = kept_part(own.weight[slot], strength);
        for (std::size_t child = node.child; child <= node.child + std::size_t{1}; ++child) {
            for (std::size_t k = 0; k < n; ++k) {
                const double distance = own.value[child * n + k] - own.value[slot * n + k];
                value[child * n + k] = value[slot * n + k] + distance * kept;
            }
        }
    }
    PackedTree out = tree;
    for (std::size_t slot = 0; slot < tree.nodes.size(); ++slot) {
        const PackedNode& node = tree.nodes[slot];
        if (numbers[slot] < 0 || !node.is_leaf()) continue;
        const std::span<double> leaf(out.value.data() + node.child * n, n);
        const double total = form.values_are_sums ? sum_of(leaf) : 1.0;
        for (std::size_t k = 0; k < n; ++k) {
            // Rounding can take a share below zero.
            const double found = value[slot * n + k];
            leaf[k] = form.values_are_sums ? std::max(found, 0.0) * total : found;
        }
    }
    return out;
}

}  // namespace treewright::histogram
