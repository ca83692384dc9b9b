#include "core/grow/search/group_search.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

#include "core/grow/search/group_contest.hpp"

namespace treewright {

double undivided_score(const GroupProblem& problem) {
    Pile all(problem);
    for (std::size_t g = 0; g < problem.groups.size(); ++g) all.add(g);
    if (problem.missing_counts()) all.add_missing();
    return all.score(all.stats().data());
}

GroupSplit score_division(const GroupProblem& problem, const GroupSplit& division) {
    Contest contest(problem);
    if (division.found) contest.enter(division.child_of_group, division.n_children, true);
    return contest.result();
}

GroupSplit best_branches(const GroupProblem& problem) {
    const std::size_t n = problem.groups.size();
    if (n + (problem.missing_counts() && problem.settings.missing == MissingPolicy::branch) < 2) {
        return {};
    }
    Contest contest(problem);
    // One child a group: scored group by group, not by going through all groups for each child.
    std::vector<double> score(n);
    double sum = 0.0;
    std::uint32_t n_large = 0;
    std::vector<char> large(n);
    std::vector<std::size_t> falls;  // groups that cannot be a side of their own
    Pile pile(problem);
    for (std::size_t g = 0; g < n; ++g) {
        pile.clear();
        pile.add(g);
        if (!pile.may_stand()) falls.push_back(g);
        score[g] = pile.score(contest.parent().data());
        large[g] = pile.is_large_enough();
        n_large += large[g] ? 1u : 0u;
        sum += score[g];
    }
    const bool learned =
        problem.missing_counts() && problem.settings.missing == MissingPolicy::learned;
    if (falls.size() > (learned ? 1 : 0)) return {};
    std::vector<std::uint32_t> child(n);
    std::iota(child.begin(), child.end(), 0u);
    const auto n_children = static_cast<std::uint32_t>(n);
    if (!learned) {
        contest.keep(child, n_children, -1, sum, n_large);
        return contest.result();
    }
    for (std::size_t g = 0; g < n; ++g) {
        pile.clear();
        pile.add(g);
        pile.add_missing();
        // The missing rows may lift the one group that cannot stand alone.
        if (!falls.empty() && (falls[0] != g || !pile.may_stand())) continue;
        const double with_missing = sum - score[g] + pile.score(contest.parent().data());
        const std::uint32_t grown = n_large + (pile.is_large_enough() && !large[g] ? 1 : 0);
        contest.keep(child, n_children, static_cast<int>(g), with_missing, grown);
    }
    return contest.result();
}

}  // namespace treewright
