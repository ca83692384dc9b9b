#include "core/shap/tree_shap.hpp"

#include <algorithm>
#include <variant>

namespace treewright {

ShapTree::ShapTree(const TreeView& tree, std::span<const double> predictions, std::size_t n_values)
    : questions_(tree),
      question_of_(tree.n_nodes(), -1),
      first_child_(tree.first_child.begin(), tree.first_child.end()),
      share_(tree.n_nodes(), 1.0),
      own_share_(tree.n_nodes(), 0.0),
      n_levels_(tree.n_levels.begin(), tree.n_levels.end()),
      predictions_(predictions),
      n_values_(n_values) {
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        if (static_cast<NodeKind>(tree.kind[node]) == NodeKind::leaf) continue;
        question_of_[node] = static_cast<std::int32_t>(inner_.size());
        inner_.push_back(questions_.add(tree, node));
    }
    set_shares(tree);
    count_columns(tree);
}

void ShapTree::set_shares(const TreeView& tree) {
    for (std::size_t node = 0; node < n_nodes(); ++node) {
        if (is_leaf(node)) continue;
        const auto first = static_cast<std::size_t>(tree.first_child[node]);
        const auto n_children = static_cast<std::size_t>(tree.n_children[node]);
        double total = 0.0;
        for (const double weight : tree.weight.subspan(first, n_children)) total += weight;
        if (!(total > 0)) own_share_[node] = 1.0;
        for (std::size_t i = first; i < first + n_children; ++i) {
            share_[i] = tree.weight[i] > 0 ? tree.weight[i] / total : 0.0;
        }
    }
}

// Walks the tree with the number of times that each column stands on the path.
void ShapTree::count_columns(const TreeView& tree) {
    struct Visit {
        std::size_t node;
        std::int32_t next_child;
    };
    std::vector<std::size_t> n_times(n_columns(), 0);
    std::size_t n_on_path = 0;
    std::vector<bool> is_asked(n_columns(), false);
    const auto meet = [&](std::int32_t column) {
        if (column < 0) return;
        const auto at = static_cast<std::size_t>(column);
        n_on_path += n_times[at]++ == 0;
        if (!is_asked[at]) asked_columns_.push_back(at);
        is_asked[at] = true;
    };
    const auto part = [&](std::int32_t column) {
        if (column >= 0) n_on_path -= --n_times[static_cast<std::size_t>(column)] == 0;
    };
    const auto each_column = [&](std::size_t node, const auto& call) {
        call(tree.feature[node]);
        for (auto i = tree.term_start[node]; i < tree.term_start[node + 1]; ++i) {
            call(tree.term_feature[static_cast<std::size_t>(i)]);
        }
        for (auto i = tree.surrogate_start[node]; i < tree.surrogate_start[node + 1]; ++i) {
            call(tree.surrogate_feature[static_cast<std::size_t>(i)]);
        }
    };
    std::vector<Visit> stack{{0, 0}};
    while (!stack.empty()) {
        Visit& here = stack.back();
        if (here.next_child == 0) {
            each_column(here.node, meet);
            most_columns_ = std::max(most_columns_, n_on_path);
        }
        if (here.next_child < tree.n_children[here.node]) {
            stack.push_back({child(here.node, here.next_child++), 0});
        } else {
            each_column(here.node, part);
            stack.pop_back();
        }
    }
}

std::vector<double> ShapTree::expected() const {
    std::vector<double> sum(n_values_, 0.0);
    std::vector<double> reach(n_nodes(), 0.0);  // the share of the training rows that ends here
    reach[0] = 1.0;
    for (std::size_t node = 0; node < n_nodes(); ++node) {
        double ends_here = reach[node];
        if (!is_leaf(node)) {
            for (std::int32_t i = 0; i < question(node).n_children; ++i) {
                const std::size_t heir = child(node, i);
                reach[heir] = reach[node] * share_[heir];
            }
            ends_here *= own_share_[node];
        }
        for (std::size_t k = 0; k < n_values_; ++k) sum[k] += ends_here * prediction(node)[k];
    }
    return sum;
}

void ShapTree::copy_row(const Rows& rows, std::size_t row, double* values) const {
    const auto copy = [&](const auto& source) {
        for (const std::size_t column : asked_columns_) {
            values[column] =
                n_levels_[column] < 0 ? source.number(row, column) : source.code(row, column);
        }
    };
    std::visit(copy, rows);
}

}  // namespace treewright
