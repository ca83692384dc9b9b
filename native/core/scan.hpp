// The scan: rows or groups of rows move from the right side of a cut to the left, one after
// another, and every place between two different values is a candidate threshold.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/groups.hpp"
#include "core/tallies.hpp"

namespace treewright {

// What a side of a cut must hold, and what it holds before the scan begins (missing rows).
struct CutLimits {
    double min_rows = 1;
    double min_weight = 0;
    double total_weight = 0;
    std::int64_t left_rows = 0, right_rows = 0;
    bool may_take_all = false;  // the last cut, all known rows left: missing rows are on the right
    double tolerance = 0;
};

struct BestCut {
    double score = -std::numeric_limits<double>::infinity();
    std::int64_t position = -1;   // the last element or group on the left
    std::int64_t n_admissible = 0;
};

// Offers the present place of the tally to `best`.
template <class Tally>
inline void offer(Tally& tally, const CutLimits& limits, std::int64_t position, BestCut& best) {
    if (limits.min_weight > 0) {
        const double left = tally.left_weight();
        const double least = limits.min_weight * (1 - 1e-9);
        if (left < least || limits.total_weight - left < least) return;
    }
    ++best.n_admissible;
    const double bar = best.score + limits.tolerance;
    if (!tally.beats(bar)) return;
    const double score = tally.score();
    if (score > bar || best.position < 0) {
        best.score = score;
        best.position = position;
    }
}

// Offers every place after the elements [first, last], place by place.
template <class Index, class Tally>
void scan_places(const Element<Index>* known, std::int64_t first, std::int64_t last, Tally& tally,
                 const CutLimits& limits, BestCut& best) {
    for (std::int64_t i = first; i <= last; ++i) {
        tally.move(known[i].row);
        if (known[i].rank != known[i + 1].rank) offer(tally, limits, i, best);
    }
}

// The same in blocks: most blocks hold no place that could beat the best so far.
template <class Index, Traceable Tally>
void scan_places(const Element<Index>* known, std::int64_t first, std::int64_t last, Tally& tally,
                 const CutLimits& limits, BestCut& best) {
    constexpr std::int64_t block = 128;
    double a[block], b[block];
    for (std::int64_t start = first; start <= last; start += block) {
        const std::int64_t n = std::min(block, last - start + 1);
        const auto* from = known + start;
        for (std::int64_t i = 0; i < n; ++i) tally.step(from[i].row, a[i], b[i]);
        const auto before = static_cast<double>(limits.left_rows + start + 1);
        double bar = best.score + limits.tolerance;
        std::int64_t promising = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            promising += tally.margin(a[i], b[i], before + static_cast<double>(i), bar) > 0;
        }
        if (promising == 0) continue;
        for (std::int64_t i = 0; i < n; ++i) {
            const double left = before + static_cast<double>(i);
            if (from[i].rank == from[i + 1].rank || !(tally.margin(a[i], b[i], left, bar) > 0)) {
                continue;
            }
            const double score = tally.score(a[i], b[i], left);
            if (score > bar || best.position < 0) {
                best.score = score;
                best.position = start + i;
                bar = score + limits.tolerance;
            }
        }
    }
}

template <class Index, class Tally>
void scan_rows(std::span<const Element<Index>> known, Tally& tally, const CutLimits& limits,
               BestCut& best) {
    const auto n = static_cast<std::int64_t>(known.size());
    const auto min_rows = static_cast<std::int64_t>(std::ceil(limits.min_rows));
    const std::int64_t first = std::max<std::int64_t>(1, min_rows - limits.left_rows) - 1;
    const std::int64_t last = n - 1 - std::max<std::int64_t>(1, min_rows - limits.right_rows);
    for (std::int64_t i = 0; i < std::min(first, n); ++i) tally.move(known[i].row);
    scan_places(known.data(), first, last, tally, limits, best);
    if (limits.may_take_all && limits.right_rows >= min_rows && first <= n - 1) {
        for (std::int64_t i = std::max(first, last + 1); i < n; ++i) tally.move(known[i].row);
        offer(tally, limits, n - 1, best);
    }
}

template <class Tally>
void scan_groups(const Groups& groups, Tally& tally, const CutLimits& limits, BestCut& best) {
    std::int64_t left = limits.left_rows, right = limits.right_rows;
    for (const auto rows : groups.rows) right += rows;
    const std::size_t n_cuts = limits.may_take_all ? groups.size() : groups.size() - 1;
    for (std::size_t g = 0; g < n_cuts; ++g) {
        tally.move(groups.of(g), groups.weight[g]);
        left += groups.rows[g];
        right -= groups.rows[g];
        if (static_cast<double>(left) < limits.min_rows || left == 0) continue;
        if (static_cast<double>(right) < limits.min_rows || right == 0) break;
        if (!groups.may_cut_after.empty() && !groups.may_cut_after[g]) continue;
        offer(tally, limits, static_cast<std::int64_t>(g), best);
    }
}

}  // namespace treewright
