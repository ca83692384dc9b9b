// Shapley values: what each column of a row adds to a tree's prediction.
//
// A game on the columns: value(S) is the tree's prediction if only the columns of S are known, and
// the Shapley value of a column is the mean of what it adds over all orders in which columns may
// become known. For the unknown columns stand the training rows (every child, in proportion to its
// weight) or the values of given background rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/predict/questions.hpp"
#include "core/predict/rows.hpp"
#include "core/predict/tree_view.hpp"

namespace treewright {

// A tree arranged for Shapley values. Immutable, so many threads may share one.
class ShapTree {
public:
    // `predictions` holds n_values numbers per node and must outlive this.
    ShapTree(const TreeView& tree, std::span<const double> predictions, std::size_t n_values);

    std::size_t n_nodes() const { return question_of_.size(); }
    std::size_t n_values() const { return n_values_; }
    std::size_t n_columns() const { return n_levels_.size(); }

    bool is_leaf(std::size_t node) const { return question_of_[node] < 0; }
    const Question& question(std::size_t node) const {
        return inner_[static_cast<std::size_t>(question_of_[node])];
    }
    const Questions& questions() const { return questions_; }
    std::size_t child(std::size_t node, std::int32_t number) const {
        return static_cast<std::size_t>(first_child_[node] + number);
    }
    const double* prediction(std::size_t node) const {
        return predictions_.data() + node * n_values_;
    }

    // Of a node in the weight of all children of its parent.
    double share(std::size_t node) const { return share_[node]; }
    // 1 where no child has weight, so that the node itself predicts; else 0.
    double own_share(std::size_t node) const { return own_share_[node]; }

    // The most columns that the tests of one path from the root read, surrogates included.
    std::size_t most_columns() const { return most_columns_; }

    // The base value, if no column is known: the mean over the leaves by training weight.
    std::vector<double> expected() const;

    // A row as one number per column, the number itself or the code of a level; columns that no
    // node tests are left alone.
    void copy_row(const Rows& rows, std::size_t row, double* values) const;

private:
    void set_shares(const TreeView& tree);
    void count_columns(const TreeView& tree);

    Questions questions_;
    std::vector<Question> inner_;
    std::vector<std::int32_t> question_of_;  // of each node: an index into inner_; -1 at a leaf
    std::vector<std::int32_t> first_child_;
    std::vector<double> share_;
    std::vector<double> own_share_;
    std::vector<std::int32_t> n_levels_;
    std::size_t most_columns_ = 0;
    std::vector<std::size_t> asked_columns_;
    std::span<const double> predictions_;
    std::size_t n_values_;
};

// Who works, who may stop it, and where the results go: they are added to what is in `out`.
struct ShapWork {
    int n_threads;
    const std::function<bool()>& interrupted;
    std::span<double> out;
};

// For unknown columns stand the training rows; `out` is (n_rows, n_columns, n_values).
void add_shap_by_weight(const ShapTree& tree, const Rows& rows, const ShapWork& work);

// The Shapley interaction index of every pair of columns, half of it on each side of the diagonal,
// which stays as it is; `out` is (n_rows, n_columns, n_columns, n_values).
void add_shap_of_pairs(const ShapTree& tree, const Rows& rows, const ShapWork& work);

// For unknown columns stand the background rows, one as good as another; `out` is (n_rows,
// n_columns, n_values).
void add_shap_against(const ShapTree& tree, const Rows& rows, const Rows& background,
                      const ShapWork& work);

// A row of numbers and codes, as questions read rows.
struct PlainRow {
    const double* values;

    double number(std::size_t, std::size_t column) const { return values[column]; }
    std::int32_t code(std::size_t, std::size_t column) const {
        return static_cast<std::int32_t>(values[column]);
    }
};

}  // namespace treewright
