// Splits of a column that is seen as groups of equal values: branches, level subsets, intervals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/grow/search/absolute_error.hpp"
#include "core/grow/search/criterion.hpp"
#include "core/grow/search/scan.hpp"
#include "core/parallel/cancellation.hpp"

namespace treewright {

// What a search over groups needs to know about its node.
struct GroupProblem {
    const Groups& groups;
    const Settings& settings;
    const SideScore& score;
    const Targets& targets;
    const Check& check;  // may throw to cancel
    double min_rows = 1;
    double min_weight = 0;
    double tolerance = 0;
    // Least absolute error only: the rows of each group, and the rows whose value is missing.
    std::span<const std::vector<std::uint32_t>> rows_of_group;
    std::span<const std::uint32_t> missing_rows;

    // What it takes to score so many rows or groups, in multiplications.
    std::size_t work_of(std::size_t n_rows, std::size_t n_groups) const {
        const bool sorts = score.measure() == Measure::absolute_error;
        return sorts ? 32 * n_rows : 8 * n_groups * groups.n_stats;
    }
    bool missing_counts() const {
        return groups.missing_rows > 0 && (settings.missing == MissingPolicy::learned ||
                                           settings.missing == MissingPolicy::branch);
    }
};

struct GroupSplit {
    bool found = false;
    double score = 0;
    std::vector<std::uint32_t> child_of_group;
    std::uint32_t n_children = 0;  // without an own branch for missing values
    int missing_child = -1;        // learned: where they do best; -1: not learned
};

// The score of everything in one node: what a split has to improve on.
double undivided_score(const GroupProblem& problem);

// Levels beyond this are not tried in all combinations when there are more than two classes.
inline constexpr std::size_t max_levels_tried_exactly = 12;
inline constexpr std::size_t max_levels_tried_exactly_absolute = 8;
// Values beyond this are cut greedily instead of by dynamic programming.
inline constexpr std::size_t max_values_cut_exactly = 256;

// The score of a given division; missing values as the policy says.
GroupSplit score_division(const GroupProblem& problem, const GroupSplit& division);

GroupSplit best_branches(const GroupProblem& problem);
GroupSplit best_subset(const GroupProblem& problem);
GroupSplit best_level_against_rest(const GroupProblem& problem);
// The cut points alone: score_division() then scores them, missing values included.
GroupSplit best_intervals(const GroupProblem& problem);

}  // namespace treewright
