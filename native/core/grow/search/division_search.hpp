// The best division of a column's values among children: levels, or intervals of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/grow/search/candidate.hpp"
#include "core/grow/search/column_of_node.hpp"
#include "core/grow/search/cut_source.hpp"
#include "core/grow/search/group_search.hpp"
#include "core/grow/search/two_class_subset.hpp"
#include "core/short_cuts.hpp"

namespace treewright {

template <class Index>
class DivisionSearch {
public:
    explicit DivisionSearch(ColumnOfNode<Index>& at)
        : at_(at), settings_(at.settings), groups_(at.scratch.groups) {}

    // With `split`, also how to carry the candidate out.
    Candidate evaluate(Split* split) {
        if (!at_.absolute()) at_.scratch.rows_of_group.clear();
        at_.reader.build_groups();
        Candidate candidate;
        candidate.place = at_.place;
        candidate.constant = groups_.size() + (groups_.missing_rows > 0) < 2;
        if (is_two_class_subset()) {
            const TwoClassSubset found(groups_, at_.min_side_rows(), at_.node.tolerance());
            candidate.too_small = !found.found();
            if (!found.found()) return candidate;
            std::vector<double> none;
            at_.finish(candidate, found.gain(), none, -1, 0);
            if (split) describe({true, 0, found.children(), 2, -1}, *split);
        } else {
            search_groups(candidate, split);
        }
        const auto column = static_cast<std::size_t>(at_.column.column);
        candidate.in_average = at_.context.sets_standard[column];
        return candidate;
    }

private:
    bool is_two_class_subset() const {
        if (!takes(ShortCut::two_class_subset)) return false;
        const bool two_classes = at_.targets.n_classes == 2 && at_.targets.counts_rows();
        if (at_.node.size() > TwoClassSubset::max_rows) return false;
        if (!at_.view.is_nominal() || !two_classes || settings_.measure != Measure::gini ||
            settings_.nominal != NominalSplit::subset || settings_.gain_ratio) {
            return false;
        }
        if (groups_.size() < 2 || groups_.size() > max_codes || at_.min_side_weight() > 0) {
            return false;
        }
        if (groups_.missing_rows == 0) return true;
        const auto knows = [&](std::size_t cls) {
            return at_.node.stats[cls] > groups_.missing_stats[cls];
        };
        return !at_.learns() && !at_.branches() && knows(0) && knows(1);
    }

    void search_groups(Candidate& candidate, Split* split) {
        const GroupProblem problem{groups_,
                                   settings_,
                                   at_.context.score,
                                   at_.targets,
                                   at_.context.check,
                                   at_.min_side_rows(),
                                   at_.min_side_weight(),
                                   at_.node.tolerance(),
                                   at_.scratch.rows_of_group,
                                   at_.scratch.missing_rows};
        const GroupSplit found = best_division(problem);
        candidate.too_small = !found.found && groups_.size() > 1;
        if (!found.found) return;
        std::vector<double> weights(found.n_children, 0.0);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            weights[found.child_of_group[g]] += groups_.weight[g];
        }
        at_.finish(candidate, found.score - undivided_score(problem), weights, found.missing_child,
                   0);
        if (split) describe(found, *split);
    }

    GroupSplit best_division(const GroupProblem& problem) const {
        if (!at_.view.is_nominal()) return score_division(problem, best_intervals(problem));
        switch (settings_.nominal) {
            case NominalSplit::branches: return best_branches(problem);
            case NominalSplit::subset: return best_subset(problem);
            default: return best_level_against_rest(problem);
        }
    }

    void describe(const GroupSplit& found, Split& split) const {
        const bool nominal = at_.view.is_nominal();
        split.kind = !nominal                                      ? SplitKind::intervals
                     : settings_.nominal == NominalSplit::branches ? SplitKind::branches
                                                                   : SplitKind::subset;
        split.place = at_.place;
        split.codes = groups_.codes;
        split.child_of_code = found.child_of_group;
        split.n_children = found.n_children;
        split.missing_child = found.missing_child;
        split.missing_rows = groups_.missing_rows;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if (nominal) {
                split.level_of_code.push_back(level_of(g));
            } else if (g > 0 && found.child_of_group[g] != found.child_of_group[g - 1]) {
                split.cuts.push_back(threshold_between(value_of(g - 1), value_of(g)));
            }
        }
    }

    double value_of(std::size_t group) const { return at_.value_at(GroupSource(groups_), group); }

    std::int32_t level_of(std::size_t group) const {
        if (at_.column.counted) return at_.column.levels[groups_.codes[group]];
        return at_.view.code(at_.workspace.origin[groups_.a_row[group]]);
    }

    ColumnOfNode<Index>& at_;
    const Settings& settings_;
    const Groups& groups_;
};

}  // namespace treewright
