// What a search reads and what it finds: the node, the candidate of a column, the split.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/grow/columns.hpp"
#include "core/grow/grown_tree.hpp"
#include "core/grow/search/absolute_error.hpp"
#include "core/grow/search/criterion.hpp"
#include "core/grow/settings.hpp"

namespace treewright {

// What all nodes of one growth share.
struct Context {
    const Settings& settings;
    std::span<const ColumnView> views;
    const SideScore& score;
    const Check& check;                         // may throw to cancel
    LargeVector<double> n_log2_n;               // entropy of counts
    std::vector<LargeVector<double>> distinct;  // C4.5: the values of each numeric column
    std::vector<char> sets_standard;            // C4.5, rule 5: by column
    std::vector<double> least_gap;              // J48: 0 unless some values are closer
};

// One node as the search sees it.
struct NodeView {
    std::size_t begin = 0, end = 0;
    double weight = 0;        // raw
    double score_weight = 0;  // as the scores see it
    double impurity = 0;      // per unit of score weight
    double rounding = 0;      // of scores: those of numbers far from their mean are much larger
    std::vector<double> stats;
    RankedTargets ranked;  // least absolute error only
    // Two-valued columns: for each bundle, rows by bit and class where the bit is set.
    std::vector<std::vector<std::uint32_t>> bit_counts;
    const std::uint32_t* class_table = nullptr;  // of counted columns: see class_tables.hpp
    // A column has found this much; others that find less need not say how much.
    double gain_to_beat = -std::numeric_limits<double>::infinity();

    std::size_t size() const { return end - begin; }
    double tolerance() const { return std::max(1e-12 * impurity * score_weight, rounding); }
};

struct Candidate {
    bool valid = false;
    bool usable = false;      // the sides are large enough; C4.5 averages over these
    bool constant = false;    // no descendant can split on the column either
    bool too_small = false;   // there are cuts, but none leaves enough on each side
    bool in_average = true;   // C4.5, rule 5
    std::uint32_t place = 0;  // among the workspace's columns
    double gain = 0;          // per unit of node weight
    double score = 0;         // what columns compete by
    std::int64_t n_cuts = 0;  // thresholds that C4.5's correction counts
    // The neighbors of a cut: values, or else the training rows to look them up in, which is
    // done for few candidates.
    bool is_cut = false, has_values = false;
    double below = 0, above = 0;
    std::uint32_t row_below = 0, row_above = 0;
    std::uint32_t cut_code = 0;  // the last code or rank on the left
    int missing_child = -1;      // learned: where missing rows do best
    std::int64_t missing_rows = 0;
};

// All that is needed to carry a split out.
struct Split {
    SplitKind kind = SplitKind::leaf;
    std::uint32_t place = 0;
    double threshold = 0;
    std::uint32_t cut_code = 0;        // threshold: the last code or rank on the left
    double cut_value = 0;              // bins: the last value on the left, in bin `cut_code`
    std::vector<std::uint32_t> codes;  // other kinds: codes at the node, rising
    std::vector<std::uint32_t> child_of_code;
    std::vector<std::int32_t> level_of_code;  // nominal: the level behind each code
    std::vector<double> cuts;                 // intervals
    std::uint32_t n_children = 0;             // without empty and missing branches
    int missing_child = -1;                   // learned: where missing rows do best
    std::int64_t missing_rows = 0;
};

// A number t with a <= t < b, finite; the midpoint if there is one. Equal a and b: that number.
// The lowest number stands for minus infinity too: sort_key() takes them for one value.
inline double threshold_between(double a, double b) {
    constexpr double largest = std::numeric_limits<double>::max();
    if (a == b) return std::max(a, -largest);
    const bool is_lowest = a <= -largest;
    if (is_lowest && std::isinf(b)) return 0.0;
    if (is_lowest) return -largest;
    if (std::isinf(b)) return largest;
    double t = a + (b - a) / 2;
    if (!std::isfinite(t)) t = a / 2 + b / 2;
    return t >= b || t < a ? a : t;
}

// The threshold of a candidate cut; 0 for other kinds of split.
inline double threshold_of(const Context& context, int column, const Candidate& candidate) {
    if (!candidate.is_cut) return 0.0;
    const auto at = static_cast<std::size_t>(column);
    const auto& view = context.views[at];
    const double below = candidate.has_values ? candidate.below : view.number(candidate.row_below);
    const double above = candidate.has_values ? candidate.above : view.number(candidate.row_above);
    const double t = threshold_between(below, above);
    if (!context.settings.data_value_thresholds || context.distinct[at].empty()) return t;
    // A value that lies exactly midway must not be lost to rounding: 14.95 + 0.04 / 2 < 14.97.
    const double slack = std::isfinite(above - below) ? 1e-6 * (above - below) : 0.0;
    const double value = *(std::ranges::upper_bound(context.distinct[at], t + slack) - 1);
    return value > std::numeric_limits<double>::lowest() ? value : t;
}

// How to carry a candidate cut out.
inline Split split_at(const Context& context, int column, const Candidate& candidate) {
    Split split;
    split.kind = SplitKind::threshold;
    split.place = candidate.place;
    split.threshold = threshold_of(context, column, candidate);
    split.cut_code = candidate.cut_code;
    if (!candidate.has_values) {
        const auto& view = context.views[static_cast<std::size_t>(column)];
        split.cut_value = view.number(candidate.row_below);
    }
    split.n_children = 2;
    split.missing_child = candidate.missing_child;
    split.missing_rows = candidate.missing_rows;
    return split;
}

}  // namespace treewright
