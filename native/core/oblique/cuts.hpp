// Where sums are cut best, and how far a combination is best moved in some direction.
#pragma once

#include <span>

#include "core/oblique/row_order.hpp"
#include "core/oblique/split_tally.hpp"

namespace treewright::oblique {

// Sides whose scores differ by less than this share of the node's weight are equally good.
inline constexpr double tie_share = 1e-12;

struct Cut {
    bool found = false;
    double score = 0.0;
    double below = 0.0, above = 0.0;  // the sums next to the cut
};

// The best cut of the sums, the first on ties. Sums closer than `min_gap` are not separated, and
// infinite ones are never separated from the others: they only count.
Cut best_cut(const SplitTally& all_right, std::span<const double> sums, double min_gap,
             double tolerance, RowOrder& scratch);

struct Step {
    bool found = false;
    double score = 0.0;
    double size = 0.0;
};

// Rows with distance + size * slope <= 0 lie on the left: the size with the purest sides, after
// Murthy, Kasif and Salzberg (1994), who move one coefficient of a hyperplane so.
Step best_step(const SplitTally& all_right, std::span<const double> distances,
               std::span<const double> slopes, double tolerance, RowOrder& scratch);

}  // namespace treewright::oblique
