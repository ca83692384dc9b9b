// What a search knows of the trees on some rows.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/optimal/problem.hpp"

namespace treewright::optimal {

inline constexpr Weight no_limit = Weight{1} << 62;

// Questions at the root that are followed up side by side, whatever the number of threads.
inline constexpr std::size_t asked_together = 8;

using Plan = std::vector<PlannedNode>;

struct Task {
    int depth = 0;
    std::int64_t leaves = 0;
    Weight cutoff = no_limit;  // trees that cost this or more are of no use
};

struct Found {
    Weight cost = no_limit;  // of the plan
    Plan plan;
    Weight bound = 0;      // no tree on these rows costs less, even if leaves may be small
    bool complete = true;  // false: time ran out
};

struct SideBounds {
    Weight left = 0, right = 0;
};

inline std::int64_t n_leaves(const Plan& plan) {
    return static_cast<std::int64_t>(plan.size() + 1) / 2;
}

inline std::int64_t most_leaves(int depth) { return std::int64_t{1} << depth; }

// A leaf beats a tree of equal cost, and fewer leaves beat more.
inline void take_if_better(Found& best, Weight cost, Plan plan) {
    if (cost < best.cost || (cost == best.cost && plan.size() < best.plan.size())) {
        best.cost = cost;
        best.plan = std::move(plan);
    }
}

inline Plan joined(PlannedNode root, const Plan& left, const Plan& right) {
    Plan plan{root};
    plan.insert(plan.end(), left.begin(), left.end());
    plan.insert(plan.end(), right.begin(), right.end());
    return plan;
}

// What the search as a whole has come to, if a tree of the cost `start_cost` was known before.
inline Solution solution_of(Found found, Weight start_cost, std::int64_t n_searched) {
    const Weight known = found.cost < start_cost ? found.cost : start_cost;
    const Weight bound = found.complete || found.bound > known ? known : found.bound;
    return {std::move(found.plan), found.cost, bound, bound == known, n_searched};
}

}  // namespace treewright::optimal
