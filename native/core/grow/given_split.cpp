#include "core/grow/given_split.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/grow/search/column_of_node.hpp"
#include "core/grow/search/cut_source.hpp"
#include "core/grow/search/group_search.hpp"

namespace treewright {
namespace {

using Index = std::uint32_t;

template <class ValueOf, class LevelOf>
std::uint32_t child_of(const GivenSplit& given, ValueOf value_of, LevelOf level_of,
                              std::size_t group) {
    switch (given.kind) {
        case SplitKind::threshold: return value_of(group) > given.threshold ? 1 : 0;
        case SplitKind::intervals:
            return static_cast<std::uint32_t>(
                std::ranges::lower_bound(given.cuts, value_of(group)) - given.cuts.begin());
        case SplitKind::subset:
            return std::ranges::find(given.first_levels, level_of(group)) ==
                           given.first_levels.end()
                       ? 1
                       : 0;
        default: return static_cast<std::uint32_t>(group);
    }
}

}  // namespace

Candidate score_given_split(const Context& context, const Workspace<Index>& workspace,
                            const NodeView& node, const GivenSplit& given, std::uint32_t place,
                            std::int64_t n_cuts, Split& split) {
    SearchScratch<Index> scratch;
    ColumnOfNode<Index> at(context, workspace, node, place, scratch);
    at.reader.build_groups();
    const Groups& groups = scratch.groups;
    GroupProblem problem{groups,
                         context.settings,
                         context.score,
                         workspace.targets,
                         context.check,
                         at.min_side_rows(),
                         at.min_side_weight(),
                         node.tolerance(),
                         scratch.rows_of_group,
                         scratch.missing_rows};
    const auto value_of = [&](std::size_t g) { return at.value_at(GroupSource(groups), g); };
    const auto level_of = [&](std::size_t g) {
        if (at.column.counted) return at.column.levels[groups.codes[g]];
        return at.view.code(workspace.origin[groups.a_row[g]]);
    };
    GroupSplit division{true, 0, std::vector<std::uint32_t>(groups.size(), 0), 2, -1};
    for (std::size_t g = 0; g < groups.size(); ++g) {
        division.child_of_group[g] = child_of(given, value_of, level_of, g);
    }
    if (given.kind == SplitKind::intervals) {
        division.n_children = static_cast<std::uint32_t>(given.cuts.size() + 1);
    }
    if (given.kind == SplitKind::subset && groups.size() > 0 && division.child_of_group[0]) {
        for (auto& child : division.child_of_group) child = 1 - child;
    }
    const auto find = [&] {
        return given.kind == SplitKind::branches ? best_branches(problem)
                                                 : score_division(problem, division);
    };
    GroupSplit found = find();
    if (!found.found) {  // a person's split may be smaller than the settings allow
        problem.min_rows = 1;
        problem.min_weight = 0;
        found = find();
    }
    if (!found.found) throw std::invalid_argument("a branch would have no rows, or a rate of 0");
    split.kind = given.kind;
    split.place = place;
    split.n_children = found.n_children;
    split.missing_child = found.missing_child;
    split.missing_rows = groups.missing_rows;
    if (given.kind == SplitKind::threshold) {
        split.threshold = given.threshold;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (found.child_of_group[g] == 0) split.cut_code = groups.codes[g];
        }
    } else {
        split.codes = groups.codes;
        split.child_of_code = found.child_of_group;
        split.cuts = given.cuts;
        for (std::size_t g = 0; at.view.is_nominal() && g < groups.size(); ++g) {
            split.level_of_code.push_back(level_of(g));
        }
    }
    std::vector<double> weights(found.n_children, 0.0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        weights[found.child_of_group[g]] += groups.weight[g];
    }
    Candidate candidate;
    candidate.place = place;
    candidate.in_average = context.sets_standard[static_cast<std::size_t>(given.column)];
    at.finish(candidate, found.score - undivided_score(problem), weights, found.missing_child,
              n_cuts);
    return candidate;
}

Split given_cut(const Context& context, const Workspace<Index>& workspace, const GivenSplit& given,
                std::uint32_t place) {
    const auto& column = workspace.columns[place];
    Split split;
    split.kind = SplitKind::threshold;
    split.place = place;
    split.threshold = given.threshold;
    split.n_children = 2;
    if (column.counted) {
        const auto n_left = std::ranges::upper_bound(column.values, given.threshold) -
                            column.values.begin();
        if (n_left == 0) throw std::invalid_argument("the first branch would have no rows");
        split.cut_code = static_cast<std::uint32_t>(n_left - 1);
        split.missing_rows = std::ranges::count(column.codes, missing_code);
        return split;
    }
    const auto& view = context.views[static_cast<std::size_t>(column.column)];
    const auto known = std::span(column.sorted).first(NodeGroups<Index>::n_known(column.sorted));
    const auto right = std::ranges::partition_point(known, [&](const Element<Index>& element) {
        return view.number(workspace.origin[element.row]) <= given.threshold;
    });
    if (right == known.begin()) throw std::invalid_argument("the first branch would have no rows");
    split.cut_code = (right - 1)->rank;
    split.missing_rows = static_cast<std::int64_t>(column.sorted.size() - known.size());
    return split;
}

}  // namespace treewright
