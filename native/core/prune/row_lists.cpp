#include "core/prune/row_lists.hpp"

#include <algorithm>
#include <variant>

#include "core/arithmetic/as_index.hpp"
#include "core/short_cuts.hpp"

namespace treewright {

TreeQuestions::TreeQuestions(const TreeView& tree, const Rows& rows)
    : tree_(tree), rows_(rows), questions_(tree), n_nodes_(tree.n_nodes()) {
    questions_of_nodes_.resize(tree.n_nodes());
    further_.resize(tree.n_nodes());
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        if (tree.n_children[node] > 0) questions_of_nodes_[node] = questions_.add(tree, node);
    }
}

const std::vector<TreeQuestions::FurtherLevel>& TreeQuestions::further_levels(
    std::int32_t node) const {
    static const std::vector<FurtherLevel> none;
    const auto& further = further_[as_index(node)];
    return further ? further->levels : none;
}

std::int32_t TreeQuestions::group_of_further_level(std::int32_t node, std::int32_t code) {
    auto& further = further_[as_index(node)];
    if (!further) further = std::make_unique<Further>();
    const auto [found, is_new] = further->group_of_code.try_emplace(code, 0);
    if (is_new) {
        found->second = static_cast<std::int32_t>(n_groups_of(node));
        further->levels.push_back({code, static_cast<std::int32_t>(n_nodes_++)});
    }
    return found->second;
}

std::size_t TreeQuestions::n_groups_of(std::int32_t node) const {
    return static_cast<std::size_t>(question(node).n_children) + further_levels(node).size();
}

std::int32_t TreeQuestions::node_of_group(std::int32_t node, std::size_t group) const {
    const auto n_children = static_cast<std::size_t>(question(node).n_children);
    if (group < n_children) {
        return tree_.first_child[as_index(node)] + static_cast<std::int32_t>(group);
    }
    return further_levels(node)[group - n_children].leaf;
}

std::vector<std::pair<std::int32_t, std::int32_t>> TreeQuestions::listed_levels(
    std::int32_t node) const {
    std::vector<std::pair<std::int32_t, std::int32_t>> levels;
    const std::size_t end = as_index(tree_.level_start[as_index(node) + 1]);
    for (std::size_t i = as_index(tree_.level_start[as_index(node)]); i < end; ++i) {
        levels.emplace_back(tree_.level_code[i], tree_.level_child[i]);
    }
    return levels;
}

std::int64_t TreeQuestions::first_level(std::int32_t node, std::size_t group) const {
    const auto number = static_cast<std::int64_t>(group);
    const Question& asked = question(node);
    if (asked.kind != NodeKind::branches) return number;
    if (number >= asked.n_children) {
        return further_levels(node)[group - static_cast<std::size_t>(asked.n_children)].code;
    }
    const std::size_t start = as_index(tree_.level_start[as_index(node)]);
    const std::size_t end = as_index(tree_.level_start[as_index(node) + 1]);
    const auto listed = tree_.level_child.subspan(start, end - start);
    // As a rule the children stand in the order of the levels.
    std::size_t at = group;
    if (group >= listed.size() || listed[group] != number) {
        at = static_cast<std::size_t>(std::ranges::find(listed, number) - listed.begin());
    }
    if (at == listed.size()) return asked.n_levels + number;
    return tree_.level_code[start + at];
}

RowList RowLists::copy(std::span<const RowList> parts) {
    const std::size_t begin = arena_.size();
    for (const RowList part : parts) {
        const std::size_t at = arena_.size();
        arena_.resize(at + part.size());
        std::copy_n(arena_.begin() + static_cast<std::ptrdiff_t>(part.begin), part.size(),
                    arena_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return {begin, arena_.size()};
}

SplitList RowLists::split(std::int32_t node, RowList list) {
    find_targets(node, list);
    const std::size_t n_groups = questions_.n_groups_of(node);
    const bool spreads = std::ranges::find(targets_, spread_to_all) != targets_.end();
    return spreads ? split_and_spread(node, list, n_groups) : split_in_place(list, n_groups);
}

void RowLists::find_targets(std::int32_t node, RowList list) {
    const Question& asked = questions_.question(node);
    const auto listed = rows(list);
    targets_.resize(listed.size());
    const bool is_number = asked.kind == NodeKind::threshold && asked.n_levels < 0 &&
                           takes(ShortCut::compared_numbers);
    const auto ask = [&](const auto& source) {
        if (is_number) return compare_numbers(asked, source, listed);
        for (std::size_t i = 0; i < listed.size(); ++i) {
            targets_[i] = questions_.all().child(asked, source, listed[i].row);
        }
        if (asked.other_child < 0) return;
        for (std::size_t i = 0; i < listed.size(); ++i) {
            if (targets_[i] != asked.other_child) continue;
            const std::int32_t code = source.code(listed[i].row, as_index(asked.feature));
            targets_[i] = questions_.group_of_further_level(node, code);
        }
    };
    std::visit(ask, questions_.rows());
}

// Without a branch, so that many rows are on their way from memory at once: a tenth less time for
// the fully grown Covertype tree (cover_error_pruning in benchmarks/workloads.py).
template <typename R>
void RowLists::compare_numbers(const Question& asked, const R& source,
                               std::span<const ListedRow> listed) {
    bool any_missing = false;
    for (std::size_t i = 0; i < listed.size(); ++i) {
        const double value = source.number(listed[i].row, static_cast<std::size_t>(asked.feature));
        targets_[i] = value > asked.threshold;
        any_missing |= value != value;
    }
    if (!any_missing) return;
    for (std::size_t i = 0; i < listed.size(); ++i) {
        targets_[i] = questions_.all().child(asked, source, listed[i].row);
    }
}

SplitList RowLists::split_in_place(RowList list, std::size_t n_groups) {
    const auto group_of = [&](std::size_t i) {  // rows that stop come last
        return targets_[i] < 0 ? n_groups : static_cast<std::size_t>(targets_[i]);
    };
    ends_.assign(n_groups + 1, 0);
    for (std::size_t i = 0; i < list.size(); ++i) ++ends_[group_of(i)];
    SplitList result{groups_.size(), n_groups, {}, false};
    std::size_t at = list.begin;
    for (std::size_t group = 0; group <= n_groups; ++group) {
        const RowList part{at, at + ends_[group]};
        ends_[group] = at - list.begin;  // from here on: where the next row of the group goes
        at = part.end;
        if (group < n_groups) {
            groups_.push_back(part);
        } else {
            result.stopped = part;
        }
    }
    sorted_.resize(list.size());
    const auto first = arena_.begin() + static_cast<std::ptrdiff_t>(list.begin);
    for (std::size_t i = 0; i < list.size(); ++i) {
        sorted_[ends_[group_of(i)]++] = first[static_cast<std::ptrdiff_t>(i)];
    }
    std::ranges::copy(sorted_, first);
    return result;
}

std::vector<double> RowLists::shares(std::int32_t node, RowList list, std::size_t n_groups) const {
    std::vector<double> share(n_groups, 0.0);
    const auto listed = rows(list);
    double known = 0.0;
    for (std::size_t i = 0; i < listed.size(); ++i) {
        if (targets_[i] < 0) continue;
        share[static_cast<std::size_t>(targets_[i])] += listed[i].weight;
        known += listed[i].weight;
    }
    if (known <= 0) {  // no row here has the value: as in training
        const TreeView& tree = questions_.tree();
        const auto weights = tree.weight.subspan(as_index(tree.first_child[as_index(node)]),
                                                  as_index(questions_.question(node).n_children));
        std::ranges::copy(weights, share.begin());
        for (const double weight : weights) known += weight;
    }
    for (double& weight : share) weight = known > 0 ? weight / known : 0.0;
    return share;
}

SplitList RowLists::split_and_spread(std::int32_t node, RowList list, std::size_t n_groups) {
    const std::vector<double> share = shares(node, list, n_groups);
    SplitList result{groups_.size(), n_groups, {}, true};
    std::vector<std::vector<std::uint32_t>> known(n_groups + 1);
    std::vector<std::uint32_t> missing;
    for (std::uint32_t i = 0; i < list.size(); ++i) {
        if (targets_[i] == spread_to_all) {
            missing.push_back(i);
        } else {
            known[targets_[i] < 0 ? n_groups : static_cast<std::size_t>(targets_[i])].push_back(i);
        }
    }
    for (std::size_t group = 0; group < n_groups; ++group) {
        const std::size_t begin = arena_.size();
        for (const std::uint32_t i : known[group]) arena_.push_back(arena_[list.begin + i]);
        if (share[group] > 0) {
            for (const std::uint32_t i : missing) {
                ListedRow part = arena_[list.begin + i];
                part.weight *= share[group];
                arena_.push_back(part);
            }
        }
        groups_.push_back({begin, arena_.size()});
    }
    const std::size_t begin = arena_.size();
    for (const std::uint32_t i : known[n_groups]) arena_.push_back(arena_[list.begin + i]);
    result.stopped = {begin, arena_.size()};
    return result;
}

}  // namespace treewright
