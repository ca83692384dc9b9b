#include "core/predict/questions.hpp"

#include <span>

#include "core/arithmetic/as_index.hpp"

namespace treewright {
namespace {

template <typename T>
std::span<const T> part(std::span<const T> all, std::span<const std::int64_t> start,
                        std::size_t owner) {
    return all.subspan(as_index(start[owner]), as_index(start[owner + 1] - start[owner]));
}

}  // namespace

Questions::Questions(const TreeView& tree)
    : cuts_(tree.cut.begin(), tree.cut.end()),
      term_features_(tree.term_feature.begin(), tree.term_feature.end()),
      term_weights_(tree.term_weight.begin(), tree.term_weight.end()) {}

Question Questions::add(const TreeView& tree, std::size_t node) {
    Question question{};
    question.kind = static_cast<NodeKind>(tree.kind[node]);
    question.n_children = tree.n_children[node];
    question.feature = tree.feature[node];
    question.n_levels = question.feature < 0 ? -1 : tree.n_levels[as_index(question.feature)];
    question.missing_child = tree.missing_child[node];
    question.heaviest_child = question.other_child = not_known;
    question.threshold = tree.threshold[node];
    if (tree.unseen_to_majority) {
        const auto weights =
            tree.weight.subspan(as_index(tree.first_child[node]), as_index(tree.n_children[node]));
        question.heaviest_child =
            static_cast<std::int32_t>(std::ranges::max_element(weights) - weights.begin());
    }
    set_levels(tree, node, question);
    const auto& side_start = question.kind == NodeKind::oblique ? tree.term_start : tree.cut_start;
    question.side_start = static_cast<std::size_t>(side_start[node]);
    question.side_end = static_cast<std::size_t>(side_start[node + 1]);
    add_surrogates(tree, node, question);
    return question;
}

void Questions::set_levels(const TreeView& tree, std::size_t node, Question& question) {
    const auto children = part(tree.level_child, tree.level_start, node);
    if (children.empty()) return;
    question.levels = level_maps_.add(part(tree.level_code, tree.level_start, node), children);
    if (question.kind != NodeKind::branches) return;
    // Children in order: those with levels, the one of all further levels, the one of missing.
    const std::int32_t n_own = *std::ranges::max_element(children) + 1;
    const std::int32_t n_further =
        tree.n_children[node] - n_own - (question.missing_child >= n_own ? 1 : 0);
    if (n_further > 0) question.other_child = n_own;
}

void Questions::add_surrogates(const TreeView& tree, std::size_t node, Question& question) {
    question.surrogate_start = surrogates_.size();
    for (auto i = static_cast<std::size_t>(tree.surrogate_start[node]);
         i < static_cast<std::size_t>(tree.surrogate_start[node + 1]); ++i) {
        const std::int32_t feature = tree.surrogate_feature[i];
        surrogates_.push_back(
            {static_cast<NodeKind>(tree.surrogate_kind[i]), tree.surrogate_flip[i] != 0, feature,
             tree.n_levels[as_index(feature)], tree.surrogate_threshold[i],
             level_maps_.add(part(tree.surrogate_level_code, tree.surrogate_level_start, i),
                             part(tree.surrogate_level_child, tree.surrogate_level_start, i))});
    }
    question.surrogate_end = surrogates_.size();
}

}  // namespace treewright
