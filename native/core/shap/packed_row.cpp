// The same values as in walk.hpp, up to rounding, for trees in which one column decides at each
// node and sends the row to one child. Each column is known by a chance of t; `chance` is that of
// coming to a node, and a(t), b(t) are the expected predictions below its children: a is the one
// that the row goes to, with a share s of the node's weight.
//
// If no node above asks the column, b is entered by g = (1 - s) (1 - t): only if the column is not
// known. Below the node, a - g (a - b) is expected, and the column's part is the integral of
//
//     (1 - s) chance (a - b)
//
// If nodes above ask it and the row goes the way that they lead, by shares of a product u, they
// lead here by f = u + (1 - u) t. Then g = u (1 - s) (1 - t) / f, and the part is the integral of
//
//     u (1 - s) chance (a - b) / f^2
//
// If the row does not go the way that they lead, the column is not known here: s a + (1 - s) b is
// expected, and the column has no part in it.
//
// So the work is a few products of short vectors at each inner node, without the steps, routes and
// copies that one_row.hpp needs. A row of a forest of 500 trees and 2.1 million nodes takes 72 ms
// of processor time; tree by tree it took 910 ms (python -m benchmarks.shapley).
#include "core/shap/packed_row.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/histogram/packed/row_sides.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/shap/quadrature.hpp"

namespace treewright {
namespace {

using histogram::BinnedColumn;
using histogram::LeafPrediction;
using histogram::PackedEnsemble;
using histogram::PackedNode;
using histogram::PackedTree;
using histogram::RowSides;

constexpr std::size_t trees_of_task = 8;  // their parts are added up first, whoever works
constexpr std::size_t most_depth = 200;   // what a small stack has room for
constexpr std::index_sequence<2, 3, 4, 5, 6, 8, 12, 16> sizes;  // pairs of points

// The weights of a tree, from its leaves.
class TreeWeights {
public:
    explicit TreeWeights(const PackedEnsemble& ensemble, const ExplainedOutput& explained)
        : ensemble_(ensemble), explained_(explained) {
        for (const BinnedColumn& column : ensemble.columns) has_sets_ |= column.nominal;
    }

    // False if the tree is of a kind that needs a ShapTree.
    bool read(const PackedTree& tree) {
        walk_down(tree);
        if (deepest_ > most_depth || n_columns_ > 2 * most_points) return false;
        for (std::size_t i = n_inner_; i-- > 0;) {
            const std::size_t slot = inner_[i], left = tree.nodes[slot].child, right = left + 1;
            const double total = weight_[left] + weight_[right];
            weight_[slot] = total;
            if (!(total > 0)) {
                if (ensemble_.values_are_sums) return false;
                left_share[slot] = no_share;
                expected[slot] = expected[left] / 2 + expected[right] / 2;
                continue;
            }
            const double share = weight_[left] / total;
            left_share[slot] = share;
            expected[slot] = share * expected[left] + (1 - share) * expected[right];
        }
        return true;
    }

    static constexpr double no_share = -1.0;
    static constexpr std::size_t most_points = 32;

    // Enough for exact integrals.
    std::size_t n_points() const { return std::max<std::size_t>(1, (n_columns_ + 1) / 2); }

    // By slot:
    std::vector<double> expected;    // what a node predicts if no column is known
    std::vector<double> left_share;  // of an inner node; no_share if no training row came here

private:
    // The columns that a path asks are the lower bits of a word, its length the upper ones. If
    // there are too many columns for that, every question counts as one more column.
    static constexpr int n_bits = 52;
    static constexpr std::uint64_t one_question = std::uint64_t{1} << n_bits;

    // Lists the inner nodes, and reads the leaves.
    void walk_down(const PackedTree& tree) {
        const std::size_t n = tree.nodes.size();
        for (auto* numbers : {&expected, &left_share, &weight_}) numbers->resize(n);
        path_.resize(n);
        inner_.resize(n);
        const bool has_bits = ensemble_.columns.size() <= n_bits;
        std::uint64_t longest = one_question;
        int most_bits = 0;
        n_inner_ = 0;
        path_[0] = one_question;  // so that no node has 0
        for (std::size_t slot = 0; slot < n; ++slot) {
            const std::uint64_t path = path_[slot];
            const PackedNode& node = tree.nodes[slot];
            if (path == 0) continue;
            if (node.is_leaf()) {
                weight_[slot] = tree.weight[node.child];
                expected[slot] = prediction(tree, node.child);
                continue;
            }
            inner_[n_inner_++] = static_cast<std::uint32_t>(slot);
            std::uint64_t below = path + one_question;
            if (has_bits) below |= std::uint64_t{1} << node.column();
            most_bits = std::max(most_bits, std::popcount(below & (one_question - 1)));
            longest = std::max(longest, below);
            path_[node.child] = path_[node.child + 1] = below;
            const bool has_set = has_sets_ && ensemble_.columns[node.column()].nominal;
            if (has_set) path_[node.child - 1] = 0;
        }
        deepest_ = static_cast<std::size_t>(longest >> n_bits) - 1;
        n_columns_ = has_bits ? static_cast<std::size_t>(most_bits) : deepest_;
    }

    double prediction(const PackedTree& tree, std::size_t leaf) const {
        if (explained_.prediction == LeafPrediction::value) return tree.value[leaf];
        const double* const values = tree.value.data() + leaf * ensemble_.n_values;
        const double* const end = values + ensemble_.n_values;
        if (explained_.prediction == LeafPrediction::vote) {
            return std::max_element(values, end) == values + explained_.output;
        }
        double sum = 0;
        for (const double* value = values; value < end; ++value) sum += *value;
        return values[explained_.output] / sum;
    }

    const PackedEnsemble& ensemble_;
    const ExplainedOutput& explained_;
    bool has_sets_ = false;
    std::vector<double> weight_;       // by slot
    std::vector<std::uint64_t> path_;  // by slot; 0 for the number of a set
    std::vector<std::uint32_t> inner_;
    std::size_t n_inner_ = 0, deepest_ = 0, n_columns_ = 0;
};

typedef double Pair __attribute__((vector_size(2 * sizeof(double))));

// A function of t, at the points of the quadrature.
template <std::size_t n_pairs>
struct Function {
    std::array<Pair, n_pairs> at;

    void fill(double value) { at.fill(Pair{} + value); }
};

template <std::size_t n_pairs>
class RowInTree {
    using F = Function<n_pairs>;

public:
    static constexpr std::size_t n_points = 2 * n_pairs;

    // Adds to `parts`. `shares` has a 1 for every column, also afterwards.
    RowInTree(const PackedTree& tree, const TreeWeights& weights, const RowSides& sides,
              double* shares, double* parts)
        : tree_(tree), weights_(weights), sides_(sides), shares_(shares), parts_(parts) {}

    void run() {
        static const Quadrature points(n_points);
        F chance, expected;
        for (std::size_t i = 0; i < n_points; ++i) {
            known_.at[i / 2][i % 2] = points.point[i];
            not_known_.at[i / 2][i % 2] = 1 - points.point[i];
            chance.at[i / 2][i % 2] = points.weight[i];
        }
        if (!is_leaf(0)) visit(0, chance, 1.0, expected);
    }

private:
    static constexpr double is_astray = -1.0;  // of shares_: the row does not go this way

    // A node that asks a column which led the row here, or which no node above asks.
    struct Fork {
        std::size_t column;
        std::size_t own, other;  // where the row goes, and the other child
        double share;            // of the first
        bool is_other_end;
    };

    bool is_leaf(std::size_t slot) const { return tree_.nodes[slot].is_leaf(); }

    void below(std::size_t slot, const F& chance, double scale, F& out) {
        if (is_leaf(slot)) {
            out.fill(weights_.expected[slot]);
        } else {
            visit(slot, chance, scale, out);
        }
    }

    // Writes the expected prediction; the chance to come here is `scale` times `chance`.
    void visit(std::size_t slot, const F& chance, double scale, F& out) {
        const PackedNode& node = tree_.nodes[slot];
        const double left_share = weights_.left_share[slot];
        const bool has_weight = left_share != TreeWeights::no_share;
        const std::size_t left = node.child, right = left + 1;
        const double above = shares_[node.column()];
        if (above == is_astray) {
            const bool are_ends = is_leaf(left) && is_leaf(right);
            if (are_ends || !has_weight) return out.fill(weights_.expected[slot]);
            F other;
            below(left, chance, scale * left_share, out);
            below(right, chance, scale * (1 - left_share), other);
            for (std::size_t i = 0; i < n_pairs; ++i) {
                out.at[i] = other.at[i] + left_share * (out.at[i] - other.at[i]);
            }
            return;
        }
        Fork fork{node.column(), left, right, left_share, false};
        if (!sides_.goes_left(tree_, node)) {
            fork = {node.column(), right, left, 1 - left_share, false};
        }
        // Where no training row came, the node itself predicts unless the column is known.
        if (!has_weight) fork = {node.column(), fork.own, slot, 0.0, true};
        if (above == 1) {
            ask<true>(fork, chance, scale, out);
        } else {
            ask<false>(fork, chance, scale, out);
        }
    }

    template <bool is_first>
    void ask(const Fork& fork, const F& chance, double scale, F& out) {
        const double above = shares_[fork.column], lost = above * (1 - fork.share);
        const bool is_own_end = is_leaf(fork.own);
        const bool is_other_end = fork.is_other_end || lost == 0 || is_leaf(fork.other);
        F astray, factor;
        for (std::size_t i = 0; i < n_pairs; ++i) {
            astray.at[i] = lost * not_known_.at[i];
            factor.at[i] = chance.at[i];
            if constexpr (!is_first) {
                const Pair inverse = 1.0 / (above + (1 - above) * known_.at[i]);
                astray.at[i] *= inverse;
                factor.at[i] *= inverse * inverse;
            }
        }
        Pair sum{};
        if (is_own_end && is_other_end) {
            const double own = weights_.expected[fork.own];
            const double difference = own - weights_.expected[fork.other];
            for (std::size_t i = 0; i < n_pairs; ++i) {
                sum += factor.at[i];
                out.at[i] = own - astray.at[i] * difference;
            }
            parts_[fork.column] += scale * lost * difference * (sum[0] + sum[1]);
            return;
        }
        F to, other;
        if (is_own_end) {
            out.fill(weights_.expected[fork.own]);
        } else {
            for (std::size_t i = 0; i < n_pairs; ++i) {
                to.at[i] = chance.at[i] * (1.0 - astray.at[i]);
            }
            shares_[fork.column] = above * fork.share;
            visit(fork.own, to, scale, out);
        }
        if (is_other_end) {
            other.fill(weights_.expected[fork.other]);
        } else {
            for (std::size_t i = 0; i < n_pairs; ++i) to.at[i] = chance.at[i] * astray.at[i];
            shares_[fork.column] = is_astray;
            visit(fork.other, to, scale, other);
        }
        shares_[fork.column] = above;
        for (std::size_t i = 0; i < n_pairs; ++i) {
            const Pair difference = out.at[i] - other.at[i];
            sum += factor.at[i] * difference;
            out.at[i] -= astray.at[i] * difference;
        }
        parts_[fork.column] += scale * lost * (sum[0] + sum[1]);
    }

    const PackedTree& tree_;
    const TreeWeights& weights_;
    const RowSides& sides_;
    // Of each column: the product of the shares by which its nodes led the row here.
    double* shares_;
    double* parts_;
    F known_, not_known_;  // t and 1 - t
};

// The smallest number of points that is enough.
template <std::size_t... n_pairs, class... Arguments>
void add_parts(std::index_sequence<n_pairs...>, std::size_t n_points, Arguments&... arguments) {
    bool is_done = false;
    const auto add = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
        if (is_done || n_points > 2 * n) return;
        RowInTree<n>(arguments...).run();
        is_done = true;
    };
    (add(std::integral_constant<std::size_t, n_pairs>{}), ...);
}

}  // namespace

std::optional<RowParts> shap_of_row(const PackedEnsemble& ensemble, const Rows& rows,
                                    const ExplainedOutput& explained, int n_threads,
                                    const Check& check) {
    const RowSides sides(ensemble.columns, rows, 0);
    const bool takes_turns = explained.prediction == LeafPrediction::value;
    const std::size_t first = takes_turns ? explained.output : 0;
    const std::size_t step = takes_turns ? explained.n_outputs : 1;
    const std::size_t n_trees = ensemble.trees.size(), n_columns = ensemble.columns.size();
    const std::size_t n_tasks = (n_trees + trees_of_task * step - 1) / (trees_of_task * step);
    std::vector<double> bases(n_tasks, 0.0), parts(n_tasks * n_columns, 0.0);
    std::atomic<bool> is_possible = true;
    run_tasks(n_tasks, n_threads, [&](std::size_t task, int) {
        TreeWeights weights(ensemble, explained);
        std::vector<double> shares(n_columns, 1.0);
        const std::size_t begin = first + task * trees_of_task * step;
        const std::size_t end = std::min(n_trees, begin + trees_of_task * step);
        for (std::size_t at = begin; at < end && is_possible; at += step) {
            check();
            const PackedTree& tree = *ensemble.trees[at];
            if (!weights.read(tree)) is_possible = false;
            if (!is_possible) return;
            bases[task] += weights.expected[0];
            double* own_shares = shares.data();
            double* own_parts = parts.data() + task * n_columns;
            add_parts(sizes, weights.n_points(), tree, weights, sides, own_shares, own_parts);
        }
    });
    if (!is_possible) return std::nullopt;
    RowParts found{0.0, std::vector<double>(n_columns, 0.0)};
    for (std::size_t task = 0; task < n_tasks; ++task) {
        found.base += bases[task];
        for (std::size_t column = 0; column < n_columns; ++column) {
            found.parts[column] += parts[task * n_columns + column];
        }
    }
    return found;
}

}  // namespace treewright
