#include "core/model_tree/node_scan.hpp"

#include <algorithm>

#include "core/grow/search/candidate.hpp"
#include "core/model_tree/spread.hpp"

namespace treewright::model_tree {

// All rows of a node: what sums over the first ones are taken from.
struct Totals {
    std::size_t n_rows = 0;
    double weight = 0.0, sum = 0.0, squares = 0.0, spread = 0.0;
};

namespace {

// One side of a cut. Sums are of distances from its first target: 0 if all are the same.
struct Side {
    double first = 0.0, weight = 0.0, sum = 0.0, squares = 0.0;

    double mean() const { return first + sum / weight; }
};

inline double variance_of(double weight, double sum, double squares) {
    const double share = 1.0 / weight, mean = sum * share;
    const double variance = squares * share - mean * mean;
    return variance > 0.0 ? variance : 0.0;
}

// What is gained by a cut between rows whose sides have these variances.
template <Criterion criterion>
inline double gain_of(const Totals& all, double left_weight, double left, double right) {
    const double right_weight = all.weight - left_weight;
    double sides;
    if constexpr (criterion == Criterion::fifth_root) {
        sides = left_weight * fifth_root(left) + right_weight * fifth_root(right);
    } else {
        sides = left_weight * std::sqrt(left) + right_weight * std::sqrt(right);
    }
    return all.spread - sides / all.weight;
}

// The gains of the cuts behind rows `begin` to `end`, all alike: this is where the time goes.
template <Criterion criterion>
void fill_gains(Scratch& scratch, const Totals& all, std::size_t begin, std::size_t end) {
    const double *weight = scratch.weight.data(), *sum = scratch.sum.data(),
                 *squares = scratch.squares.data();
    double* gain = scratch.gain.data();
    for (std::size_t i = begin; i < end; ++i) {
        const double left = variance_of(weight[i], sum[i], squares[i]);
        const double right =
            variance_of(all.weight - weight[i], all.sum - sum[i], all.squares - squares[i]);
        gain[i] = gain_of<criterion>(all, weight[i], left, right);
    }
}

// The same where the first `same_before` targets, or those from `same_from` on, are all the same:
// such a side has no spread, whatever rounding makes of its sums, and a root would make much of it.
template <Criterion criterion>
void refill_gains(Scratch& scratch, const Totals& all, std::size_t begin, std::size_t end,
                  std::size_t same_before, std::size_t same_from) {
    const auto refill = [&](std::size_t i) {
        const double weight = scratch.weight[i], sum = scratch.sum[i], squares = scratch.squares[i];
        const double left = i < same_before ? 0.0 : variance_of(weight, sum, squares);
        const double right = i + 1 >= same_from ? 0.0
                                                : variance_of(all.weight - weight, all.sum - sum,
                                                              all.squares - squares);
        scratch.gain[i] = gain_of<criterion>(all, weight, left, right);
    };
    for (std::size_t i = begin; i < std::min(end, same_before); ++i) refill(i);
    for (std::size_t i = std::max(begin, same_from - 1); i < end; ++i) refill(i);
}

}  // namespace

double NodeScan::gain_by_sides(std::span<const std::uint32_t> order,
                               std::span<const std::uint32_t> in_table_order, std::size_t n_left,
                               std::vector<std::uint8_t>& is_right) const {
    for (std::size_t i = 0; i < order.size(); ++i) is_right[order[i]] = i >= n_left;
    Side sides[2];
    for (const std::uint32_t row : in_table_order) {
        Side& side = sides[is_right[row]];
        if (side.weight == 0.0) side.first = rows.target[row];
        side.weight += rows.weight(row);
        side.sum += rows.weight(row) * (rows.target[row] - side.first);
    }
    const double means[2] = {sides[0].mean(), sides[1].mean()};
    for (const std::uint32_t row : in_table_order) {
        const double distance = rows.target[row] - means[is_right[row]];
        sides[is_right[row]].squares += rows.weight(row) * distance * distance;
    }
    double left_over = 0.0;
    for (const Side& side : sides) {
        left_over += side.weight * spread_of(side.squares / side.weight, settings.criterion);
    }
    return spread - left_over / node.weight;
}

Split NodeScan::best_split(std::size_t column, std::span<const std::uint32_t> order,
                           Scratch& scratch) const {
    const auto values = rows.columns[column].values;
    if (values[order.front()] == values[order.back()]) return {};
    const Totals all = add_up(order, scratch);
    const auto [begin, end] = allowed_cuts(scratch);
    fill_all_gains(all, begin, end, scratch);
    Split best;
    for (std::size_t i = begin; i < end; ++i) {
        if (!(scratch.gain[i] > best.gain + tie_share * spread)) continue;
        const double below = values[order[i]], above = values[order[i + 1]];
        if (below == above) continue;
        best.gain = scratch.gain[i];
        best.cut = rows.columns[column].is_ranked ? below + 0.5 : threshold_between(below, above);
        best.n_left = static_cast<std::uint32_t>(i + 1);
    }
    return best;
}

// Sums over the first row, the first two and so on.
Totals NodeScan::add_up(std::span<const std::uint32_t> order, Scratch& scratch) const {
    Totals all;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double distance = rows.target[order[i]] - node.mean;
        const double weight = rows.weight(order[i]);
        scratch.target[i] = distance;
        scratch.weight[i] = all.weight += weight;
        scratch.sum[i] = all.sum += weight * distance;
        scratch.squares[i] = all.squares += weight * distance * distance;
    }
    all.n_rows = order.size();
    all.spread = spread;
    return all;
}

void NodeScan::fill_all_gains(const Totals& all, std::size_t begin, std::size_t end,
                              Scratch& scratch) const {
    const double* target = scratch.target.data();
    const std::size_t n = all.n_rows;
    std::size_t same_before = 1, same_from = n - 1;
    while (same_before < n && target[same_before] == target[0]) ++same_before;
    while (same_from > 0 && target[same_from - 1] == target[n - 1]) --same_from;
    if (settings.criterion == Criterion::fifth_root) {
        fill_gains<Criterion::fifth_root>(scratch, all, begin, end);
        refill_gains<Criterion::fifth_root>(scratch, all, begin, end, same_before, same_from);
    } else {
        constexpr Criterion root = Criterion::standard_deviation;
        fill_gains<root>(scratch, all, begin, end);
        refill_gains<root>(scratch, all, begin, end, same_before, same_from);
    }
}

// The cuts that leave enough weight on both sides lie together: behind row `first` and on.
std::pair<std::size_t, std::size_t> NodeScan::allowed_cuts(const Scratch& scratch) const {
    const double total = node.weight, margin = std::floor(settings.min_share * total);
    std::size_t begin = 0, end = node.end - node.begin - 1;
    while (begin < end && !is_enough(scratch.weight[begin], margin)) ++begin;
    while (end > begin && !is_enough(total - scratch.weight[end - 1], margin)) --end;
    return {begin, end};
}

bool NodeScan::is_enough(double weight, double margin) const {
    return weight >= settings.min_leaf && weight > margin;
}

}  // namespace treewright::model_tree
