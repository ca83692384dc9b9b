// The scan: rows or groups of rows move from the right side of a cut to the left, one after
// another, and every place between two different values is a candidate threshold.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/arithmetic/as_index.hpp"
#include "core/grow/columns.hpp"
#include "core/grow/search/groups.hpp"
#include "core/grow/search/tallies.hpp"
#include "core/short_cuts.hpp"

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
    double score = -std::numeric_limits<double>::infinity();  // or what the first must beat
    std::int64_t position = -1;  // the last element or group on the left
    std::int64_t n_admissible = 0;
    double first_score = -std::numeric_limits<double>::infinity();  // of the first that was taken

    bool is_beaten_by(double found, double tolerance) const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return found > score + tolerance || (position < 0 && score == -infinity);
    }
    void take(double found, std::int64_t at) {
        if (position < 0) first_score = found;
        score = found;
        position = at;
    }
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
    if (best.is_beaten_by(score, limits.tolerance)) best.take(score, position);
}

// Offers every place after the elements [first, last]. Rows in order of a column lie far from each
// other: in tables beyond the cache, nearly all time would pass waiting for their targets.
template <class Index, class Tally>
void scan_one_by_one(const Element<Index>* known, std::int64_t first, std::int64_t last,
                     Tally& tally, const CutLimits& limits, BestCut& best) {
    constexpr std::int64_t rows_ahead = 32;
    for (std::int64_t i = first; i <= last; ++i) {
        tally.prefetch(known[std::min(i + rows_ahead, last)].row);
        tally.move(known[i].row);
        if (known[i].rank != known[i + 1].rank) offer(tally, limits, i, best);
    }
}

// One block of traced places.
template <class Index, class Tally>
class TracedBlock {
public:
    static constexpr std::int64_t size = 128;

    TracedBlock(Tally& tally, const Element<Index>* rows, std::int64_t n, double n_before)
        : tally_(tally), rows_(rows), n_(n), n_before_(n_before) {
        tally.trace(rows, n, a_, b_);
    }

    // Tests all places against a bar; returns how many might beat it.
    std::int64_t test(double bar) {
        std::int64_t promising = 0;
        for (std::int64_t i = 0; i < n_; ++i) {
            margin_[i] = tally_.margin(a_[i], b_[i], n_before_ + static_cast<double>(i), bar);
            promising += margin_[i] > 0;
        }
        return promising;
    }
    bool is_promising(std::int64_t i) const {
        return margin_[i] > 0 && rows_[i].rank != rows_[i + 1].rank;
    }
    double score(std::int64_t i) const {
        return tally_.score(a_[i], b_[i], n_before_ + static_cast<double>(i));
    }
    // The best score of every eighth promising place.
    double best_of_sample() const {
        double best = -std::numeric_limits<double>::infinity();
        for (std::int64_t i = 0; i < n_; i += 8) {
            if (is_promising(i)) best = std::max(best, score(i));
        }
        return best;
    }

private:
    Tally& tally_;
    const Element<Index>* rows_;
    std::int64_t n_;
    double n_before_;
    double a_[size], b_[size], margin_[size];
};

template <class Index, class Tally>
void scan_places(const Element<Index>* known, std::int64_t first, std::int64_t last, Tally& tally,
                 const CutLimits& limits, BestCut& best) {
    scan_one_by_one(known, first, last, tally, limits, best);
}

// The same in blocks. Most blocks hold no place that could beat the best so far; in the others a
// sample raises the bar first, so that few places are looked at one by one.
template <class Index, Traceable Tally>
void scan_places(const Element<Index>* known, std::int64_t first, std::int64_t last, Tally& tally,
                 const CutLimits& limits, BestCut& best) {
    if (!takes(ShortCut::traced_scan)) {
        return scan_one_by_one(known, first, last, tally, limits, best);
    }
    using Block = TracedBlock<Index, Tally>;
    for (std::int64_t start = first; start <= last; start += Block::size) {
        const std::int64_t n = std::min(Block::size, last - start + 1);
        const std::int64_t next = start + n, end = std::min(next + Block::size, last + 1);
        for (std::int64_t i = next; i < end; ++i) tally.prefetch(known[i].row);
        Block block(tally, known + start, n, static_cast<double>(limits.left_rows + start + 1));
        const std::int64_t promising = block.test(best.score + limits.tolerance);
        if (promising == 0) continue;
        if (promising > 16) {
            const double found = block.best_of_sample();
            // Lower than the sample's best by more than rounding, so that it stays promising.
            const double sampled = found - 2 * limits.tolerance - 1e-13 * std::abs(found);
            if (sampled > best.score + limits.tolerance) block.test(sampled);
        }
        for (std::int64_t i = 0; i < n; ++i) {
            if (!block.is_promising(i)) continue;
            const double score = block.score(i);
            if (best.is_beaten_by(score, limits.tolerance)) best.take(score, start + i);
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
    for (std::int64_t i = 0; i < std::min(first, n); ++i) tally.move(known[as_index(i)].row);
    scan_places(known.data(), first, last, tally, limits, best);
    if (limits.may_take_all && limits.right_rows >= min_rows && first <= n - 1) {
        for (std::int64_t i = std::max(first, last + 1); i < n; ++i) {
            tally.move(known[as_index(i)].row);
        }
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
