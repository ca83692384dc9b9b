// The best split of a node, from the sums of its gradients by bin.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/gradients.hpp"

namespace treewright::histogram {

struct SplitLimits {
    double min_samples_leaf = 20;
    double min_child_hessian = 1e-3;
    double l1 = 0, l2 = 0;
    double min_gain = 0;
};

struct GradientSplit {
    double gain = 0;  // what the loss falls by, twice
    int column = -1;  // -1: no split
    std::array<std::uint8_t, n_slots> goes_left{};  // by bin, that of missing values included
    int last_bin = -1;  // of a number: the last that goes left
    Sum left = 0;    // sums of the left child
    bool found() const { return column >= 0; }
};

// Fills the numbers of a node's rows by bin of a column.
using CountRows = std::function<void(int column, std::span<std::uint32_t, n_slots> counts)>;

class SplitSearch {
public:
    SplitSearch(const SplitLimits& limits, const Units& units);

    // Takes the split by this column into `best` if it is better. Rows are counted only where sums
    // of second derivatives leave it open whether enough rows are on both sides.
    void search(const BinnedColumn& column, int number, const Sum* sums, Sum total,
                const CountRows& count_rows, GradientSplit& best) const;

    double to_gain(double quantised) const { return quantised * gain_unit_; }
    double value(Sum sum) const;  // the constant that lowers the loss most

private:
    struct Bins;
    struct Found;
    void sort_levels(const Sum* sums, Bins& bins) const;
    void scan(const Bins& bins, Sum total, bool missing_left, Found& found) const;

    double shrunk(double gradient) const;
    double strength(Sum sum) const;

    double min_samples_, l1_, l2_, min_hessian_, sure_hessian_, min_gain_, gain_unit_, value_unit_;
    bool hessian_counts_;  // every row has the second derivative 1
};

}  // namespace treewright::histogram
