#include "core/histogram/forest/out_of_bag.hpp"

#include <algorithm>
#include <vector>

#include "core/histogram/packed/shrinkage.hpp"
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

// The predictions of one tree for the rows of a trial that it did not draw. What lies on a row's
// path is all that shrinkage needs, so no leaf is shrunk that no row comes to.
void predict_shrunk(const PackedTree& tree, const NodePredictions& own, std::size_t n_values,
                    const BinnedTable& table, const std::vector<std::uint8_t>& drawn,
                    const ShrinkageTrial& trial, std::vector<double>& out) {
    const std::size_t n_strengths = trial.strengths.size();
    for (std::size_t i = 0; i < trial.rows.size(); ++i) {
        const std::size_t row = trial.rows[i];
        if (drawn[row] > 0) continue;
        const std::size_t output =
            trial.classes.empty() ? 0 : static_cast<std::size_t>(trial.classes[i]);
        double* const found = out.data() + i * n_strengths;
        std::fill_n(found, n_strengths, own.value[output]);
        std::size_t slot = 0;
        while (!tree.nodes[slot].is_leaf()) {
            const PackedNode& node = tree.nodes[slot];
            const std::size_t child = node.child + !goes_left(tree, node, table, row);
            const double distance =
                own.value[child * n_values + output] - own.value[slot * n_values + output];
            if (distance != 0) {
                for (std::size_t s = 0; s < n_strengths; ++s) {
                    found[s] += distance * kept_part(own.weight[slot], trial.strengths[s]);
                }
            }
            slot = child;
        }
    }
}

}  // namespace

void add_shrunk_out_of_bag(const PackedEnsemble& forest, const BinnedTable& table,
                           const RowDrawing& drawing, const ShrinkageTrial& trial,
                           const OutOfBag& out, int n_threads, const std::function<void()>& check) {
    const std::size_t n_rows = trial.rows.size(), n_strengths = trial.strengths.size();
    const LeafForm form{forest.n_values, forest.values_are_sums, trial.prior};
    std::vector<std::vector<std::uint8_t>> drawn(trees_at_once);
    std::vector<std::vector<double>> found(trees_at_once);
    for (std::size_t begin = 0; begin < forest.trees.size(); begin += trees_at_once) {
        const std::size_t n = std::min(trees_at_once, forest.trees.size() - begin);
        run_tasks(n, n_threads, [&](std::size_t i, int) {
            check();
            const PackedTree& tree = *forest.trees[begin + i];
            drawn[i] = draw_rows(drawing, begin + i, table.n_rows);
            found[i].resize(n_rows * n_strengths);
            predict_shrunk(tree, predictions_of_nodes(tree, forest.columns, form), form.n_values,
                           table, drawn[i], trial, found[i]);
        });
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t at = 0; at < n_rows; ++at) {
                if (drawn[i][trial.rows[at]] > 0) continue;
                ++out.n_trees[at];
                for (std::size_t s = at * n_strengths; s < (at + 1) * n_strengths; ++s) {
                    out.sums[s] += found[i][s];
                }
            }
        }
    }
}

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
