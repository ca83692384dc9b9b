#include "core/prune/pruned_tree.hpp"

#include <algorithm>
#include <utility>

namespace treewright {
namespace {

// The children of a node in the pruned tree, and what leads to them.
struct Family {
    std::vector<std::int32_t> children;
    std::int32_t missing_child = stop_here;
    std::vector<std::pair<std::int32_t, std::int32_t>> levels;  // code, number of the child
};

class Layout {
public:
    Layout(const TreeQuestions& questions, std::span<const NodeState> states,
           std::span<const double> counts)
        : questions_(questions), states_(states), counts_(counts), k_(counts.size() / states.size()) {}

    PrunedTree pruned() {
        place_nodes();
        tree_.level_start.push_back(0);
        for (std::size_t place = 0; place < nodes_.size(); ++place) write(place);
        return std::move(tree_);
    }

private:
    void place_nodes() {
        add_node(0, 0);
        std::vector<std::size_t> open{0};
        while (!open.empty()) {
            const std::size_t place = open.back();
            open.pop_back();
            const Family family = family_of(nodes_[place]);
            if (family.children.empty()) continue;
            const std::size_t first = nodes_.size();
            tree_.first_child[place] = static_cast<std::int32_t>(first);
            for (const std::int32_t child : family.children) add_node(child, place);
            for (std::size_t child = nodes_.size(); child-- > first;) open.push_back(child);
        }
    }
    void add_node(std::int32_t node, std::size_t parent) {
        nodes_.push_back(node);
        parents_.push_back(parent);
        tree_.first_child.push_back(0);
    }

    const NodeState& state(std::int32_t node) const {
        return states_[static_cast<std::size_t>(node)];
    }

    // Children in the order of their levels; further levels have a leaf if rows came with them.
    Family family_of(std::int32_t node) const {
        Family family;
        const std::int32_t asked = state(node).question;
        if (asked < 0) return family;
        const Question& question = questions_.question(asked);
        std::vector<std::int32_t> number_of(questions_.n_groups_of(asked), stop_here);
        for (const std::size_t group : groups_of(asked)) {
            number_of[group] = static_cast<std::int32_t>(family.children.size());
            family.children.push_back(questions_.node_of_group(asked, group));
        }
        family.missing_child = question.missing_child;
        if (question.missing_child >= 0) {
            family.missing_child = number_of[static_cast<std::size_t>(question.missing_child)];
        }
        for (const auto& [code, child] : questions_.listed_levels(asked)) {
            family.levels.emplace_back(code, number_of[static_cast<std::size_t>(child)]);
        }
        for (std::size_t i = 0; i < questions_.further_levels(asked).size(); ++i) {
            const std::int32_t number =
                number_of[static_cast<std::size_t>(question.n_children) + i];
            if (number >= 0)
                family.levels.emplace_back(questions_.further_levels(asked)[i].code, number);
        }
        std::ranges::sort(family.levels);
        return family;
    }

    std::vector<std::size_t> groups_of(std::int32_t asked) const {
        const Question& question = questions_.question(asked);
        const auto n_children = static_cast<std::size_t>(question.n_children);
        std::vector<std::size_t> groups;
        for (std::size_t group = n_children; group < questions_.n_groups_of(asked); ++group) {
            if (state(questions_.node_of_group(asked, group)).n_rows > 0) groups.push_back(group);
        }
        const std::size_t n_listed = questions_.listed_levels(asked).size() + groups.size();
        const bool all_listed =
            n_listed == static_cast<std::size_t>(std::max(question.n_levels, 0));
        for (std::size_t group = 0; group < n_children; ++group) {
            const bool is_other = static_cast<std::int32_t>(group) == question.other_child;
            if (!(is_other && all_listed)) groups.push_back(group);
        }
        std::ranges::stable_sort(
            groups, {}, [&](std::size_t group) { return questions_.first_level(asked, group); });
        return groups;
    }

    void write(std::size_t place) {
        const std::int32_t node = nodes_[place];
        const NodeState& here = state(node);
        const Family family = family_of(node);
        const bool is_new = static_cast<std::size_t>(node) >= questions_.n_nodes_of_tree();
        tree_.origin.push_back(is_new ? -1 : node);
        tree_.question.push_back(here.question);
        tree_.n_children.push_back(static_cast<std::int32_t>(family.children.size()));
        tree_.missing_child.push_back(family.missing_child);
        const bool is_empty = here.n_rows == 0 && place > 0;
        const double* const value = is_empty ? tree_.value.data() + parents_[place] * k_
                                             : counts_.data() + static_cast<std::size_t>(node) * k_;
        const std::vector<double> copy(value, value + k_);
        tree_.value.insert(tree_.value.end(), copy.begin(), copy.end());
        tree_.weight.push_back(here.weight);
        tree_.n_rows.push_back(static_cast<std::int64_t>(here.n_rows));
        for (const auto& [code, child] : family.levels) {
            tree_.level_code.push_back(code);
            tree_.level_child.push_back(child);
        }
        tree_.level_start.push_back(static_cast<std::int64_t>(tree_.level_code.size()));
        tree_.became.push_back(static_cast<std::uint8_t>(here.became));
        tree_.as_leaf.push_back(here.as_leaf);
        tree_.as_subtree.push_back(here.as_subtree);
        tree_.as_branch.push_back(here.as_branch);
        tree_.decided_weight.push_back(here.decided_weight);
        tree_.decided_errors.push_back(here.decided_errors);
    }

    const TreeQuestions& questions_;
    std::span<const NodeState> states_;
    std::span<const double> counts_;
    std::size_t k_;
    std::vector<std::int32_t> nodes_;   // at each place
    std::vector<std::size_t> parents_;  // their places
    PrunedTree tree_;
};

}  // namespace

PrunedTree lay_out(const TreeQuestions& questions, std::span<const NodeState> states,
                   std::span<const double> counts) {
    return Layout(questions, states, counts).pruned();
}

}  // namespace treewright
