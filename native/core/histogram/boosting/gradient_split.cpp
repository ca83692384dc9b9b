#include "core/histogram/boosting/gradient_split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/boosting/split_cuts.hpp"
#include "core/short_cuts.hpp"

namespace treewright::histogram {
namespace {

void go_left_up_to(int last_bin, GradientSplit& best) {
    best.last_bin = last_bin;
    best.goes_left.fill(0);
    std::fill_n(best.goes_left.begin(), last_bin + 1, std::uint8_t{1});
    best.goes_left[missing_bin] = best.missing_left;
}

// In units of sums, which are far smaller: leaves nothing, and its product with 0 is 0.
constexpr double largest_shrinkage = 0x1p400;

// Cuts in short numbers, for looks that only rule cuts out. Without a branch, so that loops over
// them become vector code.
class QuickCuts {
public:
    struct Cut {
        CutSides<float> sides;
        std::int32_t fits;  // 1 if both sides are large enough, else 0
    };

    QuickCuts(const SearchedNode& node, Sum extra, double l2, std::int32_t min_hessian)
        : all_gradient_(gradient(node.total)),
          all_hessian_(hessian(node.total)),
          extra_gradient_(gradient(extra)),
          extra_hessian_(hessian(extra)),
          least_(min_hessian),
          l2_(static_cast<float>(l2)) {}

    Cut at(Sum sum) const {
        const std::int32_t left = gradient(sum) + extra_gradient_, right = all_gradient_ - left;
        const std::int32_t left_hessian = hessian(sum) + extra_hessian_;
        const std::int32_t right_hessian = all_hessian_ - left_hessian;
        return {{static_cast<float>(left), static_cast<float>(right),
                 static_cast<float>(left_hessian) + l2_, static_cast<float>(right_hessian) + l2_},
                (left_hessian >= least_) & (right_hessian >= least_)};
    }

private:
    static std::int32_t gradient(Sum sum) { return static_cast<std::int32_t>(sum >> 32); }
    static std::int32_t hessian(Sum sum) { return static_cast<std::int32_t>(sum); }

    std::int32_t all_gradient_, all_hessian_, extra_gradient_, extra_hessian_, least_;
    float l2_;
};

}  // namespace

SplitSearch::SplitSearch(const SplitLimits& limits, const Units& units)
    : limits_(limits),
      l1_(std::min(limits.l1 * units.gradient, largest_shrinkage)),
      l2_(std::min(limits.l2 * units.hessian, largest_shrinkage)),
      nominal_l2_(std::min(limits.nominal_l2 * units.hessian, largest_shrinkage)),
      sure_hessian_(limits.min_samples_leaf > 1 ? limits.min_samples_leaf * units.largest_hessian
                                                : 0.0),
      value_unit_(units.hessian / units.gradient),
      gain_exponent_(std::ilogb(units.hessian) - 2 * std::ilogb(units.gradient)),
      hessian_counts_(units.largest_hessian == 1 && units.hessian == 1),
      floats_do_(l1_ == 0 && l2_ + nominal_l2_ < 0x1p50 && takes(ShortCut::split_shortlist)) {
    min_gain_ = std::ldexp(limits.min_gain, -gain_exponent_);
    // Every row has a second derivative of at least one unit, so 1 says that a side is not empty.
    double least = std::ceil(limits.min_child_hessian * units.hessian);
    // Where the second derivative of a side is its number of rows, one limit says both.
    if (hessian_counts_) least = std::max(least, std::ceil(limits.min_samples_leaf));
    min_hessian_ = static_cast<std::int32_t>(std::clamp(least, 1.0, 2147483647.0));
}

// By L1, toward 0.
double SplitSearch::shrunk(double gradient) const {
    return gradient - std::min(std::max(gradient, -l1_), l1_);
}

// Twice what a leaf value within bounds takes off the loss; without bounds, gradient^2 / hessian.
double SplitSearch::bounded(double gradient, double hessian, double l2, const Bounds& bounds,
                            double& value) const {
    const double below = hessian + l2;
    value = std::clamp(below > 0 ? -shrunk(gradient) / below : 0.0, bounds.low / value_unit_,
                       bounds.high / value_unit_);
    return -(2 * gradient * value + (hessian + l2) * value * value + 2 * l1_ * std::abs(value));
}

// The same for both sides of a cut; minus infinity if it goes against the direction of its column.
double SplitSearch::bounded_strength(Sum left, const SearchedNode& node, double l2,
                                     int direction) const {
    const Sum right = node.total - left;
    double below = 0, above = 0;
    const double both = bounded(gradient_of(left), hessian_of(left), l2, node.bounds, below) +
                        bounded(gradient_of(right), hessian_of(right), l2, node.bounds, above);
    return direction * (above - below) < 0 ? -Bounds::none : both;
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

SplitSearch::Found SplitSearch::start(const SearchedNode& node, int number,
                                      const GradientSplit& best) const {
    const bool wins_ties = best.found() && number < best.column;
    const double bar = wins_ties ? std::nextafter(best.strength, 0.0) : best.strength;
    return {std::max(enough(worth(node)), bar)};
}

// Most columns hold nothing that beats the best so far, which a first look finds out. It errs only
// toward a closer look.
bool SplitSearch::may_win(const Cuts& cuts, const SearchedNode& node, Sum extra, double bar) const {
    const QuickCuts quick(node, extra, cuts.l2, min_hessian_);
    const auto low_bar = static_cast<float>(bar * (1 - 1e-5));
    const Sum* __restrict sums = cuts.sums;
    std::int32_t any = 0;
    for (int i = cuts.first; i < cuts.n; ++i) {
        const QuickCuts::Cut cut = quick.at(sums[i]);
        any |= cut.fits & static_cast<std::int32_t>(cut.sides.beats(low_bar));
    }
    return any != 0;
}

// Whether both sides of a cut have enough rows; where that is not known, it is noted.
bool SplitSearch::enough_rows(const Cuts& cuts, const SearchedNode& node, int at, bool missing_left,
                              double strength, Found& found) const {
    if (cuts.rows) {
        const double left = cuts.rows[at] + (missing_left ? cuts.extra_rows : 0.0);
        return std::min(left, node.n_rows - left) >= limits_.min_samples_leaf;
    }
    const Sum extra = missing_left ? cuts.extra : 0;
    const double left = hessian_of(cuts.sums[at]) + hessian_of(extra);
    const double least = std::min(left, hessian_of(node.total) - left);
    if (hessian_counts_) return least >= limits_.min_samples_leaf;
    if (least >= sure_hessian_) return true;
    found.open = std::max(found.open, strength);
    return false;
}

// What each cut is worth in short numbers, -1 where a side is too small; returns the best of them.
float SplitSearch::shortlist(const Cuts& cuts, const SearchedNode& node, bool missing_left,
                             float* strengths) const {
    const QuickCuts quick(node, missing_left ? cuts.extra : 0, cuts.l2, min_hessian_);
    const Sum* __restrict sums = cuts.sums;
    for (int i = cuts.first; i < cuts.n; ++i) {
        const QuickCuts::Cut cut = quick.at(sums[i]);
        const float strength = cut.sides.strength();
        strengths[i] = cut.fits ? strength : -1.0F;
    }
    if (cuts.rows) {
        const double extra_rows = missing_left ? cuts.extra_rows : 0.0;
        for (int i = cuts.first; i < cuts.n; ++i) {
            const double left = cuts.rows[i] + extra_rows;
            const double fewest = std::min(left, node.n_rows - left);
            strengths[i] = fewest >= limits_.min_samples_leaf ? strengths[i] : -1.0F;
        }
    }
    float best = -1;
    for (int i = cuts.first; i < cuts.n; ++i) best = std::max(best, strengths[i]);
    return best;
}

void SplitSearch::scan(const Cuts& cuts, const SearchedNode& node, bool missing_left,
                       Found& found) const {
    const Sum extra = missing_left ? cuts.extra : 0;
    std::array<float, n_slots> strengths;
    float bar = 0;
    const bool listed = floats_do_ && cuts.n <= n_slots;
    if (listed) {
        if (!may_win(cuts, node, extra, found.strength)) return;
        bar = shortlist(cuts, node, missing_left, strengths.data()) * (1 - 1e-5F);
    }
    const double all_gradient = gradient_of(node.total), all_hessian = hessian_of(node.total);
    for (int i = cuts.first; i < cuts.n; ++i) {
        if (listed && strengths[as_index(i)] < bar) continue;
        const Sum sum = cuts.sums[i] + extra;
        const double hessian = hessian_of(sum), gradient = gradient_of(sum);
        if (hessian < min_hessian_ || all_hessian - hessian < min_hessian_) continue;
        const CutSides<double> sides{shrunk(gradient), shrunk(all_gradient - gradient),
                                     hessian + cuts.l2, all_hessian - hessian + cuts.l2};
        const double strength = sides.strength();
        if (!(strength > found.strength)) continue;
        if (!enough_rows(cuts, node, i, missing_left, strength, found)) continue;
        found = {strength, found.open, i + 1, missing_left};
    }
}

// Where leaf values are bounded, or must rise or fall with the column.
void SplitSearch::scan_bounded(const Cuts& cuts, const SearchedNode& node, bool missing_left,
                               Found& found) const {
    const Sum extra = missing_left ? cuts.extra : 0;
    for (int i = 0; i < cuts.n; ++i) {
        const Sum left = cuts.sums[i] + extra;
        if (is_too_small(left, node.total)) continue;
        const double strength = bounded_strength(left, node, cuts.l2, cuts.direction);
        if (!(strength > found.strength)) continue;
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
    best.surplus = found.strength - worth(node);
    best.gain = to_gain(best.surplus);
    best.column = number;
    best.last_bin = -1;
    best.missing_left = found.missing_left;
    best.missing_known = cuts.extra != 0;
    best.left = cuts.sums[found.n_left - 1] + (found.missing_left ? cuts.extra : 0);
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
            const double mean = (gradient_of(sum) + prior * prior_mean) / (hessian_of(sum) + prior);
            placed.push_back({mean, static_cast<std::uint32_t>(level)});
        }
    }
    std::ranges::sort(placed, [](const Placed& a, const Placed& b) {
        return a.mean != b.mean ? a.mean < b.mean : a.level < b.level;
    });
    Levels levels;
    Sum before = 0;
    for (const Placed& next : placed) {
        levels.order.push_back(next.level);
        levels.sums.push_back(before += sums[next.level]);
    }
    cuts.n = static_cast<int>(levels.order.size());
    cuts.sums = levels.sums.data();
    return levels;
}

// A column with rows counted where they have to be.
void SplitSearch::search_one(const SearchedColumns& columns, int number, const SearchedNode& node,
                             const CountRows& count_rows, GradientSplit& best) const {
    const BinnedColumn& column = columns.described[as_index(number)];
    const Sum* sums = columns.sums + static_cast<std::size_t>(number) * n_slots;
    Cuts cuts;
    cuts.direction = columns.directions[as_index(number)];
    cuts.l2 = l2_;
    cuts.extra = sums[missing_bin];
    std::array<Sum, n_slots> sums_up_to;
    Levels levels;
    if (column.nominal) {
        levels = order_levels({sums, static_cast<std::size_t>(column.n_bins)}, node, cuts);
    } else {
        std::partial_sum(sums, sums + column.n_bins, sums_up_to.begin());
        cuts.n = column.n_bins;
        cuts.sums = sums_up_to.data();
    }
    Found found = start(node, number, best);
    look(cuts, node, found);
    std::array<std::uint32_t, n_slots> counts{}, rows;
    if (found.open > found.strength) {
        count_rows(number, counts);
        std::uint32_t before = 0;
        for (std::size_t i = 0; i < as_index(cuts.n); ++i) {
            rows[i] = before += counts[column.nominal ? levels.order[i] : i];
        }
        cuts.rows = rows.data();
        cuts.extra_rows = node.n_rows - before;
        found = start(node, number, best);
        look(cuts, node, found);
    }
    if (!take(cuts, found, node, number, best)) return;
    if (!column.nominal) {
        const std::span known(sums, static_cast<std::size_t>(column.n_bins));
        return go_left_up_to(middle_of_gap(known, found.n_left - 1), best);
    }
    best.goes_left.fill(best.missing_left);
    best.met.fill(0);
    for (std::size_t i = 0; i < levels.order.size(); ++i) {
        best.goes_left[levels.order[i]] = i < as_index(found.n_left);
        best.met[levels.order[i]] = 1;
    }
}

// Sums grow along the bins, so cuts that certainly leave enough rows on both sides are contiguous.
void SplitSearch::sum_up(const SearchedColumns& columns, int number, const SearchedNode& node,
                         SummedColumn& out) const {
    const int n_bins = columns.described[as_index(number)].n_bins;
    const Sum* sums = columns.sums + static_cast<std::size_t>(number) * n_slots;
    Sum before = 0;
    std::size_t n = 0;
    for (int bin = 0; bin < n_bins; ++bin) {
        before += sums[bin];
        out.sums[n] = before;
        out.bin[n] = static_cast<std::uint8_t>(bin);
        n += sums[bin] != 0;
    }
    out.n = static_cast<int>(n);
    std::fill(out.sums.begin() + out.n, out.sums.end(), before);
    const double least = std::max<double>(sure_hessian_, min_hessian_);
    for (const bool missing_left : {false, true}) {
        const double extra = missing_left ? hessian_of(sums[missing_bin]) : 0;
        const double low = least - extra, high = hessian_of(node.total) - extra - least;
        int first = 0, end = 0;
        for (int step = 128; step > 0; step /= 2) {
            first += (hessian_of(out.sums[as_index(first + step - 1)]) < low) * step;
            end += (hessian_of(out.sums[as_index(end + step - 1)]) <= high) * step;
        }
        first = std::min(first, out.n);
        out.sure[missing_left] = {first, std::clamp(end, first, out.n)};
        if (sums[missing_bin] == 0) break;
    }
}

void SplitSearch::search_sure(const SearchedColumns& columns, int number, const SearchedNode& node,
                              const SummedColumn& summed, GradientSplit& best) const {
    Cuts cuts;
    cuts.l2 = l2_;
    cuts.extra = columns.sums[static_cast<std::size_t>(number) * n_slots + missing_bin];
    cuts.sums = summed.sums.data();
    Found found = start(node, number, best);
    for (const bool missing_left : {false, true}) {
        if (missing_left && cuts.extra == 0) break;
        cuts.first = summed.sure[missing_left].first;
        cuts.n = summed.sure[missing_left].end;
        scan(cuts, node, missing_left, found);
    }
    if (!take(cuts, found, node, number, best)) return;
    const Sum* sums = columns.sums + static_cast<std::size_t>(number) * n_slots;
    const std::span known(sums, as_index(columns.described[as_index(number)].n_bins));
    go_left_up_to(middle_of_gap(known, summed.bin[as_index(found.n_left - 1)]), best);
}

// Whether one of the other cuts would be better.
bool SplitSearch::open_may_win(const SearchedColumns& columns, int number, const SearchedNode& node,
                               const SummedColumn& summed, const GradientSplit& best) const {
    Cuts cuts;
    cuts.l2 = l2_;
    cuts.sums = summed.sums.data();
    const double bar = start(node, number, best).strength;
    const Sum missing = columns.sums[static_cast<std::size_t>(number) * n_slots + missing_bin];
    for (const bool missing_left : {false, true}) {
        if (missing_left && missing == 0) break;
        const Sum extra = missing_left ? missing : 0;
        cuts.first = 0;
        cuts.n = summed.sure[missing_left].first;
        if (may_win(cuts, node, extra, bar)) return true;
        cuts.first = summed.sure[missing_left].end;
        cuts.n = summed.n;
        if (may_win(cuts, node, extra, bar)) return true;
    }
    return false;
}

// Columns are all summed before the first is searched: a vector that reads what has just been
// written number by number waits for it, which took a tenth of the time on 5,000 rows.
void SplitSearch::search(const SearchedColumns& columns, const SearchedNode& node,
                         const CountRows& count_rows, SearchScratch& scratch,
                         GradientSplit& best) const {
    const auto goes_fast = [&](int number) {
        return floats_do_ && !node.bounds.any() && !columns.described[as_index(number)].nominal &&
               columns.directions[as_index(number)] == 0;
    };
    scratch.resize(std::max(scratch.size(), columns.numbers.size()));
    for (std::size_t i = 0; i < columns.numbers.size(); ++i) {
        if (goes_fast(columns.numbers[i])) sum_up(columns, columns.numbers[i], node, scratch[i]);
    }
    for (std::size_t i = 0; i < columns.numbers.size(); ++i) {
        if (goes_fast(columns.numbers[i])) {
            search_sure(columns, columns.numbers[i], node, scratch[i], best);
        } else {
            search_one(columns, columns.numbers[i], node, count_rows, best);
        }
    }
    if (hessian_counts_ || limits_.min_samples_leaf <= 1) return;
    for (std::size_t i = 0; i < columns.numbers.size(); ++i) {
        const int number = columns.numbers[i];
        if (goes_fast(number) && open_may_win(columns, number, node, scratch[i], best)) {
            search_one(columns, number, node, count_rows, best);
        }
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
    Found found = start(node, number, best);
    look(cuts, node, found);
    if (!take(cuts, found, node, number, best)) return;
    for (std::size_t i = 0; i < levels.order.size(); ++i) {
        const bool goes_left = i < static_cast<std::size_t>(found.n_left);
        best.wide.push_back(sums.level[levels.order[i]] << 1 | std::uint32_t{goes_left});
    }
    std::ranges::sort(best.wide);
}

}  // namespace treewright::histogram
