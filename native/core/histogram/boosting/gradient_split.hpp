// The best split of a node, from the sums of its gradients by bin.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/gradients.hpp"

namespace treewright::histogram {

struct SplitLimits {
    double min_samples_leaf = 20;
    double min_child_hessian = 1e-3;
    double l1 = 0, l2 = 0;
    double min_gain = 0;
    // For sets of more than few_levels, where the best of many is easily found by chance:
    double nominal_l2 = 0;  // added to l2 in the gain
    double nominal_smoothing =
        0;                      // so many rows of the node's mean join each level's, for its place
    double min_level_rows = 0;  // levels of fewer rows, about, go where missing values go
};
inline constexpr std::size_t few_levels = 4;

// The values that a node may predict.
struct Bounds {
    static constexpr double none = std::numeric_limits<double>::infinity();
    double low = -none, high = none;
    bool any() const { return low > -none || high < none; }
};

struct GradientSplit {
    double strength = 0;  // of both children, in the units of the sums
    double surplus = 0;   // of that over what the node is worth
    double gain = 0;      // what the loss falls by, twice: the same in the loss's own units
    int column = -1;      // -1: no split
    int last_bin = -1;    // of numbers: the last that goes left
    bool missing_left = false;
    bool missing_known = false;                     // rows say where missing values go
    std::array<std::uint8_t, n_slots> goes_left{};  // by bin, that of missing values included
    std::array<std::uint8_t, n_slots> met{};  // of levels: those that have a side of their own
    std::vector<std::uint32_t> wide;  // of a wide column, the same: bin << 1 | goes left, ascending
    Sum left = 0;                     // sums of the left child
    bool found() const { return column >= 0; }
};

// The bin to cut after, if `last` is the last bin with rows on the left: in the middle of those
// without rows, so that values that were not drawn go to the nearer side; after all bins where only
// missing values go right.
int middle_of_gap(std::span<const Sum> sums, int last);

// A node as the search sees it.
struct SearchedNode {
    Sum total = 0;
    double n_rows = 0;
    Bounds bounds;
};

// What a node's rows add up to at those levels of a wide column that they have, ascending.
struct WideSums {
    std::vector<std::uint32_t> level;
    std::vector<Sum> sum;
    std::vector<std::uint32_t> n_rows;
    Sum missing = 0;
    std::uint32_t n_missing = 0;
};

// Fills the numbers of a node's rows by bin of a column.
using CountRows = std::function<void(int column, std::span<std::uint32_t, n_slots> counts)>;

// The columns of a node, in an order in which good ones are likely to come first. It changes no
// result: on ties the column of the smallest number wins.
struct SearchedColumns {
    std::span<const BinnedColumn> described;   // all columns of the table
    std::span<const std::int32_t> directions;  // of all: predictions rise (1) or fall (-1)
    std::span<const std::int32_t> numbers;     // those to search, none of them wide
    const Sum* sums = nullptr;                 // of all columns
};

// Space that searches use again: sums up to each bin of a column that has rows, and the cuts after
// which there are certainly enough rows on both sides, missing values on the right or on the left.
struct SummedColumn {
    int n = 0;
    std::array<std::uint8_t, n_slots> bin;
    std::array<Sum, n_slots> sums;
    struct Cuts {
        int first, end;
    } sure[2];
};
using SearchScratch = std::vector<SummedColumn>;

class SplitSearch {
public:
    SplitSearch(const SplitLimits& limits, const Units& units);

    // Takes the best split by some columns into `best` if it is better. Rows are counted only where
    // sums of second derivatives leave it open whether enough rows are on both sides of a cut that
    // is better than all that are certain.
    void search(const SearchedColumns& columns, const SearchedNode& node,
                const CountRows& count_rows, SearchScratch& scratch, GradientSplit& best) const;
    void search_wide(int number, const WideSums& sums, const SearchedNode& node,
                     GradientSplit& best) const;

    // For a level of nodes that ask the same: the order in which bins may be cut, from the sums of
    // all nodes together, and what one node's children are worth after each cut (added to the
    // spans; an empty one is left alone).
    struct LevelOrder {
        std::vector<std::uint32_t> order;
        Sum extra = 0;  // rows with no value, and those of rare levels
        double l2 = 0;
    };
    LevelOrder order_for_level(bool nominal, std::span<const Sum> sums, Sum missing,
                               const SearchedNode& all) const;
    void add_worth(const LevelOrder& order, const Sum* sums, const SearchedNode& node,
                   int direction, std::span<double> missing_right,
                   std::span<double> missing_left) const;

    // What a node is worth with its best value; children have to be worth more.
    double worth(const SearchedNode& node) const;
    double enough(double parent) const;
    double to_gain(double worth) const { return std::ldexp(worth, gain_exponent_); }
    double value(Sum sum, const Bounds& bounds) const;  // that lowers the loss most

private:
    struct Cuts;
    struct Found;
    struct Levels;
    double shrunk(double gradient) const;
    double bounded(double gradient, double hessian, double l2, const Bounds& bounds,
                   double& value) const;
    double bounded_strength(Sum left, const SearchedNode& node, double l2, int direction) const;
    bool is_too_small(Sum left, Sum total) const {
        return std::min(hessian_of(left), hessian_of(total - left)) < min_hessian_;
    }
    Levels order_levels(std::span<const Sum> sums, const SearchedNode& node, Cuts& cuts) const;
    Found start(const SearchedNode& node, int number, const GradientSplit& best) const;
    void search_one(const SearchedColumns& columns, int number, const SearchedNode& node,
                    const CountRows& count_rows, GradientSplit& best) const;
    void sum_up(const SearchedColumns& columns, int number, const SearchedNode& node,
                SummedColumn& out) const;
    void search_sure(const SearchedColumns& columns, int number, const SearchedNode& node,
                     const SummedColumn& summed, GradientSplit& best) const;
    bool open_may_win(const SearchedColumns& columns, int number, const SearchedNode& node,
                      const SummedColumn& summed, const GradientSplit& best) const;
    void look(const Cuts& cuts, const SearchedNode& node, Found& found) const;
    bool may_win(const Cuts& cuts, const SearchedNode& node, Sum extra, double bar) const;
    float shortlist(const Cuts& cuts, const SearchedNode& node, bool missing_left,
                    float* strengths) const;
    void scan(const Cuts& cuts, const SearchedNode& node, bool missing_left, Found& found) const;
    void scan_bounded(const Cuts& cuts, const SearchedNode& node, bool missing_left,
                      Found& found) const;
    bool enough_rows(const Cuts& cuts, const SearchedNode& node, int at, bool missing_left,
                     double strength, Found& found) const;
    bool take(const Cuts& cuts, const Found& found, const SearchedNode& node, int number,
              GradientSplit& best) const;

    SplitLimits limits_;
    double l1_, l2_, nominal_l2_, sure_hessian_, min_gain_, value_unit_;
    int gain_exponent_;  // the square of a unit may overflow
    std::int32_t min_hessian_;
    bool hessian_counts_;  // every row has the second derivative 1
    bool floats_do_;       // no number of the first look leaves the range of float
};

}  // namespace treewright::histogram
