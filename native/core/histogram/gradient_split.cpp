#include "core/histogram/gradient_split.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::histogram {

// The bins of a column with rows in the node, in the order in which they may be cut, and the sums
// up to each of them.
struct SplitSearch::Bins {
    int n = 0;
    std::array<std::uint8_t, n_slots> order;
    std::array<double, n_slots> gradient, hessian;
    const std::uint32_t* counts = nullptr;  // of rows by bin, where they are known
    double n_rows = 0;

    void sum_up(const Sum* sums, Sum before) {
        for (int i = 0; i < n; ++i) {
            before += sums[order[i]];
            gradient[i] = gradient_of(before);
            hessian[i] = hessian_of(before);
        }
    }
};

struct SplitSearch::Found {
    double strength;  // to beat: of both children together
    double open = 0;  // the best of those with perhaps too few rows on a side
    int n_left = 0;   // bins on the left; 0: nothing found
    bool missing_left = false;
};

SplitSearch::SplitSearch(const SplitLimits& limits, const Units& units)
    : min_samples_(limits.min_samples_leaf),
      l1_(limits.l1 * units.gradient),
      l2_(limits.l2 * units.hessian),
      min_hessian_(std::max(limits.min_child_hessian * units.hessian, 1e-300)),
      sure_hessian_(limits.min_samples_leaf * units.largest_hessian),
      gain_unit_(units.hessian / (units.gradient * units.gradient)),
      value_unit_(units.hessian / units.gradient),
      hessian_counts_(units.largest_hessian == 1 && units.hessian == 1) {
    min_gain_ = limits.min_gain / gain_unit_;
}

// By L1, towards 0; only its square and its sign matter.
double SplitSearch::shrunk(double gradient) const {
    return gradient - std::min(std::max(gradient, -l1_), l1_);
}

double SplitSearch::strength(Sum sum) const {
    const double gradient = shrunk(gradient_of(sum));
    return gradient * gradient / (hessian_of(sum) + l2_);
}

double SplitSearch::value(Sum sum) const {
    return -shrunk(gradient_of(sum)) / (hessian_of(sum) + l2_) * value_unit_;
}

// Looks at every cut between the bins. Most columns hold nothing that beats the best so far: a
// first look, without a division and without a branch, says so.
void SplitSearch::scan(const Bins& bins, Sum total, bool missing_left, Found& found) const {
    const double gradient = gradient_of(total), hessian = hessian_of(total);
    int first = 0, end = bins.n;
    while (first < end && bins.hessian[first] < min_hessian_) ++first;
    while (first < end && hessian - bins.hessian[end - 1] < min_hessian_) --end;

    const double bar = found.strength;
    unsigned any = 0;
    for (int i = first; i < end; ++i) {
        const double left = shrunk(bins.gradient[i]), right = shrunk(gradient - bins.gradient[i]);
        const double a = bins.hessian[i] + l2_, b = hessian - bins.hessian[i] + l2_;
        any |= left * left * b + right * right * a > bar * (a * b);
    }
    if (any == 0) return;

    double rows_left = missing_left && bins.counts ? bins.counts[missing_bin] : 0;
    for (int i = 0; i < end; ++i) {
        if (bins.counts) rows_left += bins.counts[bins.order[i]];
        if (i < first) continue;
        const double left = shrunk(bins.gradient[i]), right = shrunk(gradient - bins.gradient[i]);
        const double a = bins.hessian[i] + l2_, b = hessian - bins.hessian[i] + l2_;
        const double above = left * left * b + right * right * a;
        if (!(above > found.strength * (a * b))) continue;
        const double least = std::min(bins.hessian[i], hessian - bins.hessian[i]);
        if (bins.counts) {
            if (std::min(rows_left, bins.n_rows - rows_left) < min_samples_) continue;
        } else if (hessian_counts_) {
            if (least < min_samples_) continue;
        } else if (least < sure_hessian_) {
            found.open = std::max(found.open, above / (a * b));
            continue;
        }
        found.strength = above / (a * b);
        found.n_left = i + 1;
        found.missing_left = missing_left;
    }
}

void SplitSearch::search(const BinnedColumn& column, int number, const Sum* sums, Sum total,
                         const CountRows& count_rows, GradientSplit& best) const {
    Bins bins;
    for (int bin = 0; bin < column.n_bins; ++bin) {
        bins.order[bins.n] = static_cast<std::uint8_t>(bin);
        bins.n += sums[bin] != 0;
    }
    if (column.nominal) sort_levels(sums, bins);
    const double parent = strength(total);
    const double bar = parent + std::max(min_gain_, best.gain / gain_unit_);
    Found found{bar};
    const Sum missing = sums[missing_bin];
    const auto scan_both = [&] {
        bins.sum_up(sums, 0);
        scan(bins, total, false, found);
        if (missing == 0) return;
        bins.sum_up(sums, missing);
        scan(bins, total, true, found);
    };
    scan_both();
    if (found.open > found.strength) {
        std::array<std::uint32_t, n_slots> counts{};
        count_rows(number, counts);
        bins.counts = counts.data();
        for (const std::uint32_t n : counts) bins.n_rows += n;
        found = {bar};
        scan_both();
    }
    if (found.n_left == 0) return;
    best.gain = (found.strength - parent) * gain_unit_;
    best.column = number;
    best.left = found.missing_left ? missing : 0;
    best.goes_left.fill(0);
    best.last_bin = column.nominal ? -1 : bins.order[found.n_left - 1];
    for (int bin = 0; bin <= best.last_bin; ++bin) best.goes_left[bin] = 1;
    for (int i = 0; i < found.n_left; ++i) {
        best.goes_left[bins.order[i]] = 1;
        best.left += sums[bins.order[i]];
    }
    best.goes_left[missing_bin] = found.missing_left;
}

// By the mean of the gradient: one of the cuts in this order is the best of all sets.
void SplitSearch::sort_levels(const Sum* sums, Bins& bins) const {
    std::array<double, n_slots> mean;
    for (int i = 0; i < bins.n; ++i) {
        const Sum sum = sums[bins.order[i]];
        mean[bins.order[i]] = gradient_of(sum) / (hessian_of(sum) + l2_ + 1e-9);
    }
    std::stable_sort(bins.order.begin(), bins.order.begin() + bins.n,
                     [&](int a, int b) { return mean[a] < mean[b]; });
}

}  // namespace treewright::histogram
