#include "core/histogram/gradient_split.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::histogram {

// The bins of a column with values in the node, in the order in which they may be cut.
struct SplitSearch::Bins {
    const Sum* sums;
    const std::uint32_t* counts;  // null: not known
    std::uint32_t n_rows = 0;
    int n = 0;
    std::array<std::uint8_t, n_slots> order;
};

struct SplitSearch::Found {
    double strength;       // to beat: of both children together
    double open = 0;       // the best of those with perhaps too few rows on a side
    int n_left = 0;        // bins on the left; 0: nothing found
    bool missing_left = false;
    Sum left = 0;
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

double SplitSearch::shrunk(double gradient) const {
    return std::copysign(std::max(std::abs(gradient) - l1_, 0.0), gradient);
}

double SplitSearch::strength(Sum sum) const {
    const double gradient = shrunk(gradient_of(sum));
    return gradient * gradient / (hessian_of(sum) + l2_);
}

double SplitSearch::value(Sum sum) const {
    return -shrunk(gradient_of(sum)) / (hessian_of(sum) + l2_) * value_unit_;
}

// Compares without dividing: a / b + c / d > bar is a d + c b > bar b d.
template <bool Counted>
void SplitSearch::scan(const Bins& bins, Sum total, bool missing_left, Found& found) const {
    Sum left = missing_left ? bins.sums[missing_bin] : 0;
    double rows_left = 0;
    if constexpr (Counted) rows_left = missing_left ? bins.counts[missing_bin] : 0;
    for (int i = 0; i < bins.n; ++i) {
        const int bin = bins.order[i];
        left += bins.sums[bin];
        if constexpr (Counted) rows_left += bins.counts[bin];
        const Sum right = total - left;
        const double hessian_left = hessian_of(left), hessian_right = hessian_of(right);
        if (hessian_left < min_hessian_ || hessian_right < min_hessian_) continue;
        const double least = std::min(hessian_left, hessian_right);
        if constexpr (Counted) {
            if (std::min(rows_left, bins.n_rows - rows_left) < min_samples_) continue;
        } else if (hessian_counts_ && least < min_samples_) {
            continue;
        }
        const double gradient_left = shrunk(gradient_of(left));
        const double gradient_right = shrunk(gradient_of(right));
        const double a = hessian_left + l2_, b = hessian_right + l2_;
        const double above = gradient_left * gradient_left * b + gradient_right * gradient_right * a;
        if (!(above > found.strength * (a * b))) continue;
        const double strength = above / (a * b);
        if (!Counted && !hessian_counts_ && least < sure_hessian_) {
            found.open = std::max(found.open, strength);
            continue;
        }
        found.strength = strength;
        found.n_left = i + 1;
        found.missing_left = missing_left;
        found.left = left;
    }
}

void SplitSearch::search(const BinnedColumn& column, int number, const Sum* sums, Sum total,
                         const CountRows& count_rows, GradientSplit& best) const {
    Bins bins{sums, nullptr, 0, 0, {}};
    const Sum missing = sums[missing_bin];
    if (column.nominal) {
        for (int bin = 0; bin < column.n_bins; ++bin) {
            if (sums[bin] != 0) bins.order[bins.n++] = static_cast<std::uint8_t>(bin);
        }
        // Ties and all, an order that depends on the sums alone.
        std::array<double, n_slots> mean;
        for (int i = 0; i < bins.n; ++i) {
            const Sum sum = sums[bins.order[i]];
            mean[bins.order[i]] = gradient_of(sum) / (hessian_of(sum) + l2_ + 1e-9);
        }
        std::stable_sort(bins.order.begin(), bins.order.begin() + bins.n,
                         [&](int a, int b) { return mean[a] < mean[b]; });
    } else {
        bins.n = column.n_bins;
        for (int bin = 0; bin < column.n_bins; ++bin) {
            bins.order[bin] = static_cast<std::uint8_t>(bin);
        }
    }
    const double parent = strength(total);
    const double bar = parent + std::max(min_gain_, best.gain / gain_unit_);
    Found found{bar, 0, 0, false, 0};
    const auto scan_both = [&]<bool Counted>() {
        scan<Counted>(bins, total, false, found);
        if (missing != 0) scan<Counted>(bins, total, true, found);
    };
    scan_both.template operator()<false>();
    if (found.open > found.strength) {
        std::array<std::uint32_t, n_slots> counts{};
        count_rows(number, counts);
        bins.counts = counts.data();
        for (const std::uint32_t n : counts) bins.n_rows += n;
        found = {bar, 0, 0, false, 0};
        scan_both.template operator()<true>();
    }
    if (found.n_left == 0) return;
    best.gain = (found.strength - parent) * gain_unit_;
    best.column = number;
    best.left = found.left;
    best.goes_left.fill(0);
    for (int i = 0; i < found.n_left; ++i) best.goes_left[bins.order[i]] = 1;
    best.goes_left[missing_bin] = found.missing_left;
    best.last_bin = column.nominal ? -1 : found.n_left - 1;
}

}  // namespace treewright::histogram
