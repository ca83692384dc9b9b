#include "core/oblique/cuts.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::oblique {

Cut best_cut(const SplitTally& all_right, std::span<const double> sums, double min_gap,
             double tolerance, Ordered& scratch) {
    scratch.clear();
    for (std::size_t row = 0; row < sums.size(); ++row) {
        scratch.emplace_back(sums[row], static_cast<std::uint32_t>(row));
    }
    std::ranges::sort(scratch);
    SplitTally tally = all_right;
    Cut best;
    for (std::size_t i = 0; i + 1 < scratch.size(); ++i) {
        tally.to_left(scratch[i].second);
        const double below = scratch[i].first, above = scratch[i + 1].first;
        const double gap = above - below;
        if (!(gap > min_gap) || !std::isfinite(gap) || !tally.is_allowed()) continue;
        const double score = tally.score();
        if (best.found && !(score > best.score + tolerance)) continue;
        best = {true, score, below, above};
    }
    return best;
}

Step best_step(const SplitTally& all_right, std::span<const double> distances,
               std::span<const double> slopes, double tolerance, Ordered& scratch) {
    scratch.clear();
    SplitTally tally = all_right;
    for (std::size_t row = 0; row < distances.size(); ++row) {
        const double crossing = -distances[row] / slopes[row];
        if (slopes[row] == 0.0 || !std::isfinite(crossing)) {
            if (distances[row] <= 0.0) tally.to_left(row);
            continue;
        }
        scratch.emplace_back(crossing, static_cast<std::uint32_t>(row));
        if (slopes[row] > 0.0) tally.to_left(row);
    }
    std::ranges::sort(scratch);
    Step best;
    for (std::size_t i = 0; i + 1 < scratch.size(); ++i) {
        const std::uint32_t row = scratch[i].second;
        if (slopes[row] > 0.0) {
            tally.to_right(row);
        } else {
            tally.to_left(row);
        }
        const double below = scratch[i].first, above = scratch[i + 1].first;
        const double nearly_equal = 1e-12 * (std::abs(below) + std::abs(above));
        if (!(above - below > nearly_equal) || !tally.is_allowed()) continue;
        const double score = tally.score();
        if (best.found && !(score > best.score + tolerance)) continue;
        best = {true, score, below + (above - below) / 2};
    }
    return best;
}

}  // namespace treewright::oblique
