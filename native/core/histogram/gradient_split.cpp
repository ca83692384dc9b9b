#include "core/histogram/gradient_split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace treewright::histogram {
namespace {

std::int32_t whole_gradient(Sum sum) { return static_cast<std::int32_t>(sum >> 32); }
std::int32_t whole_hessian(Sum sum) { return static_cast<std::int32_t>(sum); }
Sum sum_of_halves(std::int32_t gradient, std::int32_t hessian) {
    return (static_cast<Sum>(gradient) << 32) + hessian;
}

}  // namespace

// The places where a column may be cut: after each of n bins in some order. Sums and numbers of rows
// are of all bins up to there; `extra` are rows that may go to either side, those with no value.
struct SplitSearch::Cuts {
    int n = 0;
    int direction = 0;
    double l2 = 0;
    const std::int32_t* gradient = nullptr;
    const std::int32_t* hessian = nullptr;
    const std::uint32_t* rows = nullptr;  // null: not counted
    Sum extra = 0;
    double extra_rows = 0;
};

struct SplitSearch::Found {
    double strength;  // to beat: of both children together
    double open = 0;  // the best of those with perhaps too few rows on a side
    int n_left = 0;   // bins on the left; 0: nothing found
    bool missing_left = false;
};

// Levels in the order in which they are cut; the others are among the extra rows.
struct SplitSearch::Levels {
    std::vector<std::uint32_t> order;
    std::vector<std::int32_t> gradient, hessian;
};

SplitSearch::SplitSearch(const SplitLimits& limits, const Units& units)
    : limits_(limits),
      l1_(limits.l1 * units.gradient),
      l2_(limits.l2 * units.hessian),
      nominal_l2_(limits.nominal_l2 * units.hessian),
      sure_hessian_(limits.min_samples_leaf * units.largest_hessian),
      gain_unit_(units.hessian / (units.gradient * units.gradient)),
      value_unit_(units.hessian / units.gradient),
      hessian_counts_(units.largest_hessian == 1 && units.hessian == 1),
      floats_do_(l1_ == 0 && l2_ + nominal_l2_ < 0x1p50) {
    min_gain_ = limits.min_gain / gain_unit_;
    // Every row has a second derivative of at least one unit, so 1 says that a side is not empty.
    const double least = std::ceil(limits.min_child_hessian * units.hessian);
    min_hessian_ = static_cast<std::int32_t>(std::clamp(least, 1.0, 2147483647.0));
}

// By L1, towards 0.
double SplitSearch::shrunk(double gradient) const {
    return gradient - std::min(std::max(gradient, -l1_), l1_);
}

// What an answer within bounds takes off the loss, twice; without them, gradient^2 / hessian.
double SplitSearch::bounded(double gradient, double hessian, double l2, const Bounds& bounds,
                            double& value) const {
    const double below = hessian + l2;
    value = std::clamp(below > 0 ? -shrunk(gradient) / below : 0.0, bounds.low / value_unit_,
                       bounds.high / value_unit_);
    return -(2 * gradient * value + (hessian + l2) * value * value + 2 * l1_ * std::abs(value));
}

double SplitSearch::worth(const SearchedNode& node) const {
    double value = 0;
    return bounded(gradient_of(node.total), hessian_of(node.total), l2_, node.bounds, value);
}

double SplitSearch::value(Sum sum, const Bounds& bounds) const {
    double value = 0;
    bounded(gradient_of(sum), hessian_of(sum), l2_, bounds, value);
    return value * value_unit_;
}

// Rounding must not make a gain of nothing.
double SplitSearch::enough(double parent) const { return parent * (1 + 1e-12) + min_gain_; }

SplitSearch::Found SplitSearch::start(const SearchedNode& node, const GradientSplit& best) const {
    return {std::max(enough(worth(node)), best.strength)};
}

// Most columns hold nothing that beats the best so far: a first look, without a division, without a
// branch and in short numbers, says so. It errs only towards a closer look.
bool SplitSearch::may_win(const Cuts& cuts, const SearchedNode& node, Sum extra,
                          double bar) const {
    const std::int32_t all_gradient = whole_gradient(node.total);
    const std::int32_t all_hessian = whole_hessian(node.total);
    const std::int32_t extra_gradient = whole_gradient(extra);
    const std::int32_t extra_hessian = whole_hessian(extra);
    const std::int32_t least = min_hessian_;
    const auto l2 = static_cast<float>(cuts.l2);
    const auto low_bar = static_cast<float>(bar * (1 - 1e-5));
    const std::int32_t* __restrict gradients = cuts.gradient;
    const std::int32_t* __restrict hessians = cuts.hessian;
    std::int32_t any = 0;
    for (int i = 0; i < cuts.n; ++i) {
        const std::int32_t hessian = hessians[i] + extra_hessian;
        const std::int32_t gradient = gradients[i] + extra_gradient;
        const auto left = static_cast<float>(gradient);
        const auto right = static_cast<float>(all_gradient - gradient);
        const float a = static_cast<float>(hessian) + l2;
        const float b = static_cast<float>(all_hessian - hessian) + l2;
        const std::int32_t fits = (hessian >= least) & (all_hessian - hessian >= least);
        any |= fits & static_cast<std::int32_t>(left * left * b + right * right * a >
                                                low_bar * (a * b));
    }
    return any != 0;
}

// Whether both sides of a cut have enough rows; where that is not known, it is noted.
bool SplitSearch::enough_rows(const Cuts& cuts, const SearchedNode& node, int at,
                              bool missing_left, double strength, Found& found) const {
    if (cuts.rows) {
        const double left = cuts.rows[at] + (missing_left ? cuts.extra_rows : 0.0);
        return std::min(left, node.n_rows - left) >= limits_.min_samples_leaf;
    }
    const Sum extra = missing_left ? cuts.extra : 0;
    const double left = static_cast<double>(cuts.hessian[at]) + hessian_of(extra);
    const double least = std::min(left, hessian_of(node.total) - left);
    if (hessian_counts_) return least >= limits_.min_samples_leaf;
    if (least >= sure_hessian_) return true;
    found.open = std::max(found.open, strength);
    return false;
}

void SplitSearch::scan(const Cuts& cuts, const SearchedNode& node, bool missing_left,
                       Found& found) const {
    const Sum extra = missing_left ? cuts.extra : 0;
    if (floats_do_ && !may_win(cuts, node, extra, found.strength)) return;
    const double all_gradient = gradient_of(node.total), all_hessian = hessian_of(node.total);
    for (int i = 0; i < cuts.n; ++i) {
        const double hessian = cuts.hessian[i] + hessian_of(extra);
        if (hessian < min_hessian_ || all_hessian - hessian < min_hessian_) continue;
        const double gradient = cuts.gradient[i] + gradient_of(extra);
        const double left = shrunk(gradient), right = shrunk(all_gradient - gradient);
        const double a = hessian + cuts.l2, b = all_hessian - hessian + cuts.l2;
        const double above = left * left * b + right * right * a;
        if (!(above > found.strength * (a * b))) continue;
        const double strength = above / (a * b);
        if (!enough_rows(cuts, node, i, missing_left, strength, found)) continue;
        found = {strength, found.open, i + 1, missing_left};
    }
}

// Where answers are bounded, or must rise or fall with the column.
void SplitSearch::scan_bounded(const Cuts& cuts, const SearchedNode& node, bool missing_left,
                               Found& found) const {
    const Sum extra = missing_left ? cuts.extra : 0;
    const double all_gradient = gradient_of(node.total), all_hessian = hessian_of(node.total);
    for (int i = 0; i < cuts.n; ++i) {
        const double hessian = cuts.hessian[i] + hessian_of(extra);
        if (hessian < min_hessian_ || all_hessian - hessian < min_hessian_) continue;
        const double gradient = cuts.gradient[i] + gradient_of(extra);
        double left = 0, right = 0;
        const double strength =
            bounded(gradient, hessian, cuts.l2, node.bounds, left) +
            bounded(all_gradient - gradient, all_hessian - hessian, cuts.l2, node.bounds, right);
        if (!(strength > found.strength) || cuts.direction * (right - left) < 0) continue;
        if (!enough_rows(cuts, node, i, missing_left, strength, found)) continue;
        found = {strength, found.open, i + 1, missing_left};
    }
}

void SplitSearch::look(const Cuts& cuts, const SearchedNode& node, Found& found) const {
    const bool is_bounded = cuts.direction != 0 || node.bounds.any();
    for (const bool missing_left : {false, true}) {
        if (missing_left && cuts.extra == 0) return;
        if (is_bounded) {
            scan_bounded(cuts, node, missing_left, found);
        } else {
            scan(cuts, node, missing_left, found);
        }
    }
}

bool SplitSearch::take(const Cuts& cuts, const Found& found, const SearchedNode& node, int number,
                       GradientSplit& best) const {
    if (found.n_left == 0) return false;
    best.strength = found.strength;
    best.gain = to_gain(found.strength - worth(node));
    best.column = number;
    best.last_bin = -1;
    best.missing_left = found.missing_left;
    best.missing_known = cuts.extra != 0;
    const int last = found.n_left - 1;
    best.left = sum_of_halves(cuts.gradient[last], cuts.hessian[last]) +
                (found.missing_left ? cuts.extra : 0);
    best.wide.clear();
    return true;
}

// Of the sets in a given order of levels, by the mean of the gradient, one is the best of all.
SplitSearch::Levels SplitSearch::order_levels(std::span<const Sum> sums, const SearchedNode& node,
                                              Cuts& cuts) const {
    struct Placed {
        double mean;
        std::uint32_t level;
    };
    const auto n_met =
        static_cast<std::size_t>(std::ranges::count_if(sums, [](Sum sum) { return sum != 0; }));
    const bool many = n_met > few_levels;
    const double hessian_of_row = hessian_of(node.total) / node.n_rows;
    const double prior = many ? limits_.nominal_smoothing * hessian_of_row : 0;
    const double prior_mean = gradient_of(node.total) / hessian_of(node.total);
    const double least = many ? limits_.min_level_rows * hessian_of_row : 0;
    cuts.l2 = l2_ + (many ? nominal_l2_ : 0);
    std::vector<Placed> placed;
    placed.reserve(n_met);
    for (std::size_t level = 0; level < sums.size(); ++level) {
        const Sum sum = sums[level];
        if (sum == 0) continue;
        if (hessian_of(sum) < least) {
            cuts.extra += sum;
        } else {
            const double mean =
                (gradient_of(sum) + prior * prior_mean) / (hessian_of(sum) + prior);
            placed.push_back({mean, static_cast<std::uint32_t>(level)});
        }
    }
    std::ranges::sort(placed, [](const Placed& a, const Placed& b) {
        return a.mean != b.mean ? a.mean < b.mean : a.level < b.level;
    });
    Levels levels;
    Sum before = 0;
    for (const Placed& next : placed) {
        before += sums[next.level];
        levels.order.push_back(next.level);
        levels.gradient.push_back(whole_gradient(before));
        levels.hessian.push_back(whole_hessian(before));
    }
    cuts.n = static_cast<int>(levels.order.size());
    cuts.gradient = levels.gradient.data();
    cuts.hessian = levels.hessian.data();
    return levels;
}

void SplitSearch::search(const BinnedColumn& column, int number, int direction, const Sum* sums,
                         const SearchedNode& node, const CountRows& count_rows,
                         GradientSplit& best) const {
    Cuts cuts;
    cuts.direction = direction;
    cuts.l2 = l2_;
    cuts.extra = sums[missing_bin];
    const auto n_bins = static_cast<std::size_t>(column.n_bins);
    std::array<std::int32_t, n_slots> gradient, hessian;
    Levels levels;
    if (column.nominal) {
        levels = order_levels({sums, n_bins}, node, cuts);
    } else {
        Sum before = 0;
        for (std::size_t bin = 0; bin < n_bins; ++bin) {
            before += sums[bin];
            gradient[bin] = whole_gradient(before);
            hessian[bin] = whole_hessian(before);
        }
        cuts.n = column.n_bins;
        cuts.gradient = gradient.data();
        cuts.hessian = hessian.data();
    }
    Found found = start(node, best);
    look(cuts, node, found);
    std::array<std::uint32_t, n_slots> counts{}, rows{};
    if (found.open > found.strength) {
        count_rows(number, counts);
        std::uint32_t before = 0;
        for (int i = 0; i < cuts.n; ++i) {
            rows[i] = before += counts[column.nominal ? levels.order[i] : i];
        }
        cuts.rows = rows.data();
        cuts.extra_rows = node.n_rows - before;
        found = start(node, best);
        look(cuts, node, found);
    }
    if (!take(cuts, found, node, number, best)) return;
    best.goes_left.fill(best.missing_left);
    best.met.fill(0);
    if (!column.nominal) best.last_bin = found.n_left - 1;
    for (int i = 0; i < cuts.n; ++i) {
        const std::size_t bin = column.nominal ? levels.order[i] : static_cast<std::size_t>(i);
        best.goes_left[bin] = i < found.n_left;
        best.met[bin] = 1;
    }
}

void SplitSearch::search_wide(int number, const WideSums& sums, const SearchedNode& node,
                              GradientSplit& best) const {
    Cuts cuts;
    cuts.extra = sums.missing;
    const Levels levels = order_levels(sums.sum, node, cuts);
    std::vector<std::uint32_t> rows;
    rows.reserve(levels.order.size());
    std::uint32_t before = 0;
    for (const std::uint32_t at : levels.order) rows.push_back(before += sums.n_rows[at]);
    cuts.rows = rows.data();
    cuts.extra_rows = node.n_rows - before;
    Found found = start(node, best);
    look(cuts, node, found);
    if (!take(cuts, found, node, number, best)) return;
    for (std::size_t i = 0; i < levels.order.size(); ++i) {
        const bool goes_left = i < static_cast<std::size_t>(found.n_left);
        best.wide.push_back(sums.level[levels.order[i]] << 1 | std::uint32_t{goes_left});
    }
    std::ranges::sort(best.wide);
}

SplitSearch::LevelOrder SplitSearch::order_for_level(bool nominal, std::span<const Sum> sums,
                                                     Sum missing, const SearchedNode& all) const {
    if (nominal) {
        Cuts cuts;
        cuts.extra = missing;
        Levels levels = order_levels(sums, all, cuts);
        return {std::move(levels.order), cuts.extra, cuts.l2};
    }
    LevelOrder order{std::vector<std::uint32_t>(sums.size()), missing, l2_};
    std::iota(order.order.begin(), order.order.end(), 0U);
    return order;
}

void SplitSearch::add_worth(const LevelOrder& order, const Sum* sums, const SearchedNode& node,
                            int direction, std::span<double> missing_right,
                            std::span<double> missing_left) const {
    const double undivided = worth(node);
    Sum placed = 0;
    for (const std::uint32_t bin : order.order) placed += sums[bin];
    for (const bool extra_left : {false, true}) {
        const std::span<double> out = extra_left ? missing_left : missing_right;
        Sum left = extra_left ? node.total - placed : 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            left += sums[order.order[i]];
            const Sum right = node.total - left;
            if (std::min(hessian_of(left), hessian_of(right)) < min_hessian_) {
                out[i] += undivided;
                continue;
            }
            double below = 0, above = 0;
            const double both =
                bounded(gradient_of(left), hessian_of(left), order.l2, node.bounds, below) +
                bounded(gradient_of(right), hessian_of(right), order.l2, node.bounds, above);
            out[i] += direction * (above - below) < 0 ? -Bounds::none : both;
        }
    }
}

}  // namespace treewright::histogram
