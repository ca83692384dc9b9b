// Model trees: a regression tree with a linear model at every node (Quinlan 1992, Wang and Witten
// 1997).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace treewright::model_tree {

// A column without missing values. Of a ranked one the values are 0, 1, 2 ...: places of levels in
// an order.
struct Column {
    std::span<const double> values;
    bool is_ranked = false;
    double unit = 1.0;  // a power of two that brings the values to at most about one
};

struct TrainingRows {
    std::vector<Column> columns;
    std::span<const double> target;
    std::span<const double> weights;  // empty: every row counts one

    double weight(std::uint32_t row) const { return weights.empty() ? 1.0 : weights[row]; }
};

enum class Criterion : std::uint8_t { fifth_root, standard_deviation };
enum class TermRule : std::uint8_t { none, all, akaike, adjusted_error };

struct ModelTreeSettings {
    Criterion criterion = Criterion::fifth_root;  // of the variance: what a split is to reduce
    TermRule terms = TermRule::akaike;            // none: every model is a mean
    double min_split = 4.0;                       // least weight of a node that is split
    double min_leaf = 2.0;                        // least weight on each side of a split
    double min_share = 0.2;       // and more than this share of the node, rounded down
    double min_deviation = 0.05;  // a node whose deviation is below this share of all is a leaf
    std::int64_t max_depth = INT64_MAX;
    double penalty = 2.0;  // errors are expected to be (n + penalty v) / (n - v) times as large
    bool prune = true;
};

// What a linear model may use of a column: its value, or whether its rank is at least `cut`.
struct Term {
    std::int32_t column = 0;
    std::int32_t cut = 0;  // 0: the value itself

    auto operator<=>(const Term&) const = default;
};

// Parallel arrays, one entry per node; children lie side by side after their parent. Entries
// term_start[i] to term_start[i + 1] are the terms of node i.
struct ModelTree {
    std::vector<std::int32_t> feature;  // -1 at a leaf
    std::vector<double> cut;            // value <= cut goes to the first child
    std::vector<std::int32_t> first_child;
    std::vector<std::int64_t> n_rows;
    std::vector<double> weight, mean, deviation, gain;
    std::vector<std::uint8_t> stop_reason;  // of treewright.tree.layout.STOP_REASONS

    std::vector<double> intercept;
    std::vector<std::int64_t> term_start;
    std::vector<std::int32_t> term_column, term_cut;
    std::vector<double> coefficient;

    std::vector<double> model_error;    // root of the mean square that the node's model leaves
    std::vector<double> subtree_error;  // that the models of the leaves below leave, before pruning
    std::vector<std::int64_t> subtree_parameters;
};

// `check` may throw to cancel. The tree does not depend on the number of threads.
ModelTree grow_model_tree(const TrainingRows& rows, const ModelTreeSettings& settings,
                          int n_threads, const std::function<void()>& check);

}  // namespace treewright::model_tree
