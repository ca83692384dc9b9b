#include "core/histogram/forest/out_of_bag.hpp"

#include <algorithm>
#include <vector>

#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t trees_at_once = 16;
constexpr std::size_t rows_at_once = 1024;

bool goes_left(const PackedTree& tree, const PackedNode& node, const BinnedTable& table,
               std::size_t row) {
    const std::uint32_t at = node.column();
    const BinnedColumn& column = table.columns[at];
    if (column.is_wide()) {
        const std::uint32_t code = table.wide[at][row];
        if (code == missing_wide) return node.missing_left();
        const WideSet set(tree.set_words.data() + tree.nodes[node.child - 1].question);
        const WideSet::Side side = set.side(code);
        return side == WideSet::Side::not_met ? node.missing_left() : side == WideSet::Side::left;
    }
    const std::uint8_t bin = table.row(row)[at];
    if (bin == missing_bin) return node.missing_left();
    if (!column.nominal) return bin <= node.last_left();
    const std::uint64_t* left = tree.set_words.data() + tree.nodes[node.child - 1].question;
    return has_bit(left + n_words(column.n_bins), bin) ? has_bit(left, bin) : node.missing_left();
}

std::uint32_t leaf_of(const PackedTree& tree, const BinnedTable& table, std::size_t row) {
    const PackedNode* node = tree.nodes.data();
    while (!node->is_leaf()) {
        node = tree.nodes.data() + node->child + !goes_left(tree, *node, table, row);
    }
    return node->child;
}

void add_prediction(const PackedEnsemble& forest, const double* value, bool hard, double* sums) {
    const std::size_t n = forest.n_values;
    if (!forest.values_are_sums) {
        for (std::size_t v = 0; v < n; ++v) sums[v] += value[v];
    } else if (hard) {
        sums[std::max_element(value, value + n) - value] += 1;
    } else {
        double total = 0;
        for (std::size_t v = 0; v < n; ++v) total += value[v];
        for (std::size_t v = 0; v < n; ++v) sums[v] += value[v] / total;
    }
}

}  // namespace

void add_out_of_bag(const PackedEnsemble& forest, const BinnedTable& table,
                    const RowDrawing& drawing, std::size_t first_tree, bool hard,
                    const OutOfBag& out, int n_threads, const std::function<void()>& check) {
    std::vector<std::vector<std::uint8_t>> drawn(trees_at_once);
    for (std::size_t begin = 0; begin < forest.trees.size(); begin += trees_at_once) {
        const std::size_t n = std::min(trees_at_once, forest.trees.size() - begin);
        run_tasks(n, n_threads, [&](std::size_t i, int) {
            check();
            drawn[i] = draw_rows(drawing, first_tree + begin + i, table.n_rows);
        });
        const std::size_t n_chunks = (table.n_rows + rows_at_once - 1) / rows_at_once;
        run_tasks(n_chunks, n_threads, [&](std::size_t chunk, int) {
            check();
            const std::size_t end = std::min(table.n_rows, (chunk + 1) * rows_at_once);
            for (std::size_t i = 0; i < n; ++i) {
                const PackedTree& tree = *forest.trees[begin + i];
                for (std::size_t row = chunk * rows_at_once; row < end; ++row) {
                    if (drawn[i][row] > 0) continue;
                    const std::uint32_t leaf = leaf_of(tree, table, row);
                    add_prediction(forest, tree.value.data() + leaf * forest.n_values, hard,
                                   out.sums.data() + row * forest.n_values);
                    ++out.n_trees[row];
                }
            }
        });
    }
}

}  // namespace treewright::histogram
