#include "core/oblique/cuts.hpp"

#include <cmath>
#include <cstddef>

namespace treewright::oblique {

Cut best_cut(const SplitTally& all_right, std::span<const double> sums, double min_gap,
             double tolerance, RowOrder& scratch) {
    scratch.clear();
    for (std::size_t row = 0; row < sums.size(); ++row) scratch.add(sums[row], row);
    scratch.sort();
    SplitTally tally = all_right;
    Cut best;
    for (std::size_t i = 0; i + 1 < scratch.size(); ++i) {
        tally.to_left(scratch.row(i));
        const double below = scratch.number(i), above = scratch.number(i + 1);
        const double gap = above - below;
        if (!(gap > min_gap) || !std::isfinite(gap) || !tally.is_allowed()) continue;
        const double score = tally.score();
        if (best.found && !(score > best.score + tolerance)) continue;
        best = {true, score, below, above};
    }
    return best;
}

Step best_step(const SplitTally& all_right, std::span<const double> distances,
               std::span<const double> slopes, double tolerance, RowOrder& scratch) {
    scratch.clear();
    SplitTally tally = all_right;
    for (std::size_t row = 0; row < distances.size(); ++row) {
        const double crossing = -distances[row] / slopes[row];
        if (slopes[row] == 0.0 || !std::isfinite(crossing)) {
            if (distances[row] <= 0.0) tally.to_left(row);
            continue;
        }
        scratch.add(crossing, row);
        if (slopes[row] > 0.0) tally.to_left(row);
    }
    scratch.sort();
    Step best;
    for (std::size_t i = 0; i + 1 < scratch.size(); ++i) {
        const std::size_t row = scratch.row(i);
        if (slopes[row] > 0.0) {
            tally.to_right(row);
        } else {
            tally.to_left(row);
        }
        const double below = scratch.number(i), above = scratch.number(i + 1);
        const double nearly_equal = 1e-12 * (std::abs(below) + std::abs(above));
        if (!(above - below > nearly_equal) || !tally.is_allowed()) continue;
        const double score = tally.score();
        if (best.found && !(score > best.score + tolerance)) continue;
        best = {true, score, below + (above - below) / 2};
    }
    return best;
}

}  // namespace treewright::oblique
