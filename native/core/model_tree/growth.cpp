#include "core/model_tree/growth.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/candidate.hpp"
#include "core/parallel.hpp"

namespace treewright::model_tree {

namespace {

constexpr double kTie = 1e-12;  // gains this close, as shares of the node's spread, are equal
constexpr double kNoise = 4e-3;  // what rounding can take off a gain: the fifth root of its share
constexpr std::size_t kCellsWorthThreads = 50'000;

enum StopReason : std::uint8_t {  // places in STOP_REASONS
    kPure = 1,
    kNoCandidate = 2,
    kMaxDepth = 3,
    kMinSplit = 6,
    kMinDeviation = 16,
};

// Numbers below count as nothing; above, the root is good to the last bits. Without a branch or a
// division, so that several are worked out at once.
inline double fifth_root(double x) {
    constexpr double kLeast = 0x1p-1000;
    constexpr double kSixFifthsOfOne = 1.2 * 0x3ff0000000000000;
    const double bounded = x > kLeast ? x : kLeast;
    // A fifth of the bits of a number is roughly a fifth of its logarithm.
    const auto bits = static_cast<double>(std::bit_cast<std::int64_t>(bounded));
    double inverse = std::bit_cast<double>(static_cast<std::int64_t>(kSixFifthsOfOne - 0.2 * bits));
    for (int step = 0; step < 5; ++step) {  // Newton's: 0.05, 8e-3, 2e-4, 9e-8, 2e-14, rounding
        const double square = inverse * inverse;
        inverse *= 1.2 - 0.2 * (bounded * (square * square * inverse));
    }
    const double square = inverse * inverse;
    return x > kLeast ? bounded * (square * square) : 0.0;
}

struct Split {
    double gain = -INFINITY;  // of no split at all; one that gains nothing is better
    double cut = 0.0;
    std::uint32_t n_left = 0;  // rows of the column's order that go left
};

// Sums over the first rows of a node in the order of a column, and what cuts behind them gain.
struct Scratch {
    std::vector<double> target, weight, sum, squares, gain;
    std::vector<std::uint32_t> right;
    std::vector<std::uint8_t> is_right;

    explicit Scratch(std::size_t n)
        : target(n), weight(n), sum(n), squares(n), gain(n), right(n), is_right(n) {}
};

// One side of a cut. Sums are of distances from its first target: 0 if all are the same.
struct Side {
    double first = 0.0, weight = 0.0, sum = 0.0, squares = 0.0;

    double mean() const { return first + sum / weight; }
};

// All rows of a node: what sums over the first ones are taken from.
struct Totals {
    double weight = 0.0, sum = 0.0, squares = 0.0, spread = 0.0;
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
        const double right =
            i + 1 >= same_from
                ? 0.0
                : variance_of(all.weight - weight, all.sum - sum, all.squares - squares);
        scratch.gain[i] = gain_of<criterion>(all, weight, left, right);
    };
    for (std::size_t i = begin; i < std::min(end, same_before); ++i) refill(i);
    for (std::size_t i = std::max(begin, same_from - 1); i < end; ++i) refill(i);
}

class Grower {
public:
    Grower(const TrainingRows& rows, const ModelTreeSettings& settings, int n_threads,
           const std::function<void()>& check)
        : rows_(rows),
          settings_(settings),
          n_threads_(n_threads),
          check_(check),
          order_(rows.columns.size()),
          goes_left_(rows.target.size()),
          scratch_(static_cast<std::size_t>(n_threads), Scratch(rows.target.size())) {
        growth_.rows.resize(rows.target.size());
        std::iota(growth_.rows.begin(), growth_.rows.end(), 0U);
        run_tasks(
            order_.size(), n_threads_,
            [&](std::size_t column, int) {
                check_();
                sort_by(column);
            },
            check_);
    }

    Growth run() {
        add_node(0, static_cast<std::uint32_t>(rows_.target.size()), 0);
        const GrownNode& root = growth_.nodes[0];
        least_deviation_ = settings_.min_deviation * std::sqrt(root.squares / root.weight);
        for (std::size_t node = 0; node < growth_.nodes.size(); ++node) {
            check_();
            split(node);
        }
        return std::move(growth_);
    }

private:
    void sort_by(std::size_t column) {
        const auto values = rows_.columns[column].values;
        order_[column] = growth_.rows;
        const auto value_of = [&](std::uint32_t row) { return values[row]; };
        std::ranges::stable_sort(order_[column], {}, value_of);
    }

    void add_node(std::uint32_t begin, std::uint32_t end, std::int64_t depth) {
        GrownNode node;
        node.begin = begin;
        node.end = end;
        node.depth = depth;
        double sum = 0.0;
        for (std::uint32_t i = begin; i < end; ++i) {
            const std::uint32_t row = growth_.rows[i];
            node.weight += rows_.weight(row);
            sum += rows_.weight(row) * rows_.target[row];
        }
        node.mean = sum / node.weight;
        bool is_constant = true;
        for (std::uint32_t i = begin; i < end; ++i) {
            const std::uint32_t row = growth_.rows[i];
            const double distance = rows_.target[row] - node.mean;
            node.squares += rows_.weight(row) * distance * distance;
            is_constant &= rows_.target[row] == rows_.target[growth_.rows[begin]];
        }
        if (is_constant) {
            node.mean = rows_.target[growth_.rows[begin]];
            node.squares = 0.0;
        }
        growth_.nodes.push_back(node);
    }

    std::uint8_t reason_to_stop(const GrownNode& node) const {
        if (node.squares == 0.0) return kPure;
        if (node.weight < settings_.min_split) return kMinSplit;
        if (std::sqrt(node.squares / node.weight) < least_deviation_) return kMinDeviation;
        if (node.depth >= settings_.max_depth) return kMaxDepth;
        return 0;
    }

    void split(std::size_t index) {
        GrownNode& node = growth_.nodes[index];
        node.stop_reason = reason_to_stop(node);
        if (node.stop_reason) return;
        const double spread = spread_of(node.squares / node.weight, settings_.criterion);
        std::vector<Split> found(order_.size());
        for_each_column(node, [&](std::size_t column, int worker) {
            found[column] = best_split(column, node, spread, scratch_[worker]);
        });
        keep_rivals(node, spread, found);
        Split best;
        for (std::size_t column = 0; column < found.size(); ++column) {
            if (found[column].gain > best.gain + kTie * spread) {
                best = found[column];
                node.feature = static_cast<std::int32_t>(column);
            }
        }
        if (node.feature < 0) {
            node.stop_reason = kNoCandidate;
            return;
        }
        part(index, best);
    }

    // The columns that rounding could have put behind the best are measured again, the others go.
    void keep_rivals(const GrownNode& node, double spread, std::vector<Split>& found) {
        double most = -INFINITY;
        for (const Split& split : found) most = std::max(most, split.gain);
        for_each_column(node, [&](std::size_t column, int worker) {
            Split& split = found[column];
            const bool is_rival = split.n_left > 0 && split.gain >= most - kNoise * spread;
            split.gain = is_rival ? gain_by_sides(column, node, spread, split, scratch_[worker])
                                  : -INFINITY;
        });
    }

    // Rows are added up in the order of the table: columns that part them alike gain the same.
    double gain_by_sides(std::size_t column, const GrownNode& node, double spread,
                         const Split& split, Scratch& scratch) const {
        const std::uint32_t* order = order_[column].data() + node.begin;
        for (std::size_t i = 0; i < node.end - node.begin; ++i) {
            scratch.is_right[order[i]] = i >= split.n_left;
        }
        Side sides[2];
        for (std::uint32_t i = node.begin; i < node.end; ++i) {
            const std::uint32_t row = growth_.rows[i];
            Side& side = sides[scratch.is_right[row]];
            if (side.weight == 0.0) side.first = rows_.target[row];
            side.weight += rows_.weight(row);
            side.sum += rows_.weight(row) * (rows_.target[row] - side.first);
        }
        const double means[2] = {sides[0].mean(), sides[1].mean()};
        for (std::uint32_t i = node.begin; i < node.end; ++i) {
            const std::uint32_t row = growth_.rows[i];
            const bool is_right = scratch.is_right[row];
            const double distance = rows_.target[row] - means[is_right];
            sides[is_right].squares += rows_.weight(row) * distance * distance;
        }
        double left_over = 0.0;
        for (const Side& side : sides) {
            left_over += side.weight * spread_of(side.squares / side.weight, settings_.criterion);
        }
        return spread - left_over / node.weight;
    }

    Split best_split(std::size_t column, const GrownNode& node, double spread,
                     Scratch& scratch) const {
        const auto values = rows_.columns[column].values;
        const std::uint32_t* order = order_[column].data() + node.begin;
        const std::size_t n = node.end - node.begin;
        if (values[order[0]] == values[order[n - 1]]) return {};
        const Totals all = add_up(order, n, node, spread, scratch);
        const auto [begin, end] = allowed_cuts(scratch, n, node.weight);
        std::size_t same_before = 1, same_from = n - 1;
        const double* target = scratch.target.data();
        while (same_before < n && target[same_before] == target[0]) ++same_before;
        while (same_from > 0 && target[same_from - 1] == target[n - 1]) --same_from;
        if (settings_.criterion == Criterion::fifth_root) {
            fill_gains<Criterion::fifth_root>(scratch, all, begin, end);
            refill_gains<Criterion::fifth_root>(scratch, all, begin, end, same_before, same_from);
        } else {
            constexpr Criterion kDeviation = Criterion::standard_deviation;
            fill_gains<kDeviation>(scratch, all, begin, end);
            refill_gains<kDeviation>(scratch, all, begin, end, same_before, same_from);
        }
        Split best;
        for (std::size_t i = begin; i < end; ++i) {
            if (!(scratch.gain[i] > best.gain + kTie * spread)) continue;
            const double below = values[order[i]], above = values[order[i + 1]];
            if (below == above) continue;
            best.gain = scratch.gain[i];
            best.cut = rows_.columns[column].is_ranked ? below + 0.5
                                                       : threshold_between(below, above);
            best.n_left = static_cast<std::uint32_t>(i + 1);
        }
        return best;
    }

    // Sums over the first row, the first two and so on.
    Totals add_up(const std::uint32_t* order, std::size_t n, const GrownNode& node, double spread,
                  Scratch& scratch) const {
        Totals all;
        for (std::size_t i = 0; i < n; ++i) {
            const double distance = rows_.target[order[i]] - node.mean;
            const double weight = rows_.weight(order[i]);
            scratch.target[i] = distance;
            scratch.weight[i] = all.weight += weight;
            scratch.sum[i] = all.sum += weight * distance;
            scratch.squares[i] = all.squares += weight * distance * distance;
        }
        all.spread = spread;
        return all;
    }

    // The cuts that leave enough weight on both sides lie together: behind row `first` and on.
    std::pair<std::size_t, std::size_t> allowed_cuts(const Scratch& scratch, std::size_t n,
                                                     double total) const {
        const double margin = std::floor(settings_.min_share * total);
        std::size_t begin = 0, end = n - 1;
        while (begin < end && !is_enough(scratch.weight[begin], margin)) ++begin;
        while (end > begin && !is_enough(total - scratch.weight[end - 1], margin)) --end;
        return {begin, end};
    }

    bool is_enough(double weight, double margin) const {
        return weight >= settings_.min_leaf && weight > margin;
    }

    // The rows of both sides, each in the order they had, in all columns.
    void part(std::size_t index, const Split& best) {
        GrownNode& node = growth_.nodes[index];
        const auto& chosen = order_[static_cast<std::size_t>(node.feature)];
        for (std::uint32_t i = node.begin; i < node.end; ++i) {
            goes_left_[chosen[i]] = i - node.begin < best.n_left;
        }
        for_each_column(node, [&](std::size_t column, int worker) {
            part_rows(order_[column], node, scratch_[worker]);
        });
        part_rows(growth_.rows, node, scratch_[0]);
        node.cut = best.cut;
        node.gain = std::max(best.gain, 0.0);  // below it is rounding
        node.first_child = static_cast<std::uint32_t>(growth_.nodes.size());
        const std::uint32_t begin = node.begin, end = node.end, middle = begin + best.n_left;
        const std::int64_t depth = node.depth + 1;
        add_node(begin, middle, depth);  // `node` is gone from here on
        add_node(middle, end, depth);
    }

    void part_rows(std::vector<std::uint32_t>& order, const GrownNode& node,
                   Scratch& scratch) const {
        std::uint32_t left = node.begin, n_right = 0;
        for (std::uint32_t i = node.begin; i < node.end; ++i) {
            const std::uint32_t row = order[i];
            if (goes_left_[row]) {
                order[left++] = row;
            } else {
                scratch.right[n_right++] = row;
            }
        }
        std::copy_n(scratch.right.begin(), n_right, order.begin() + left);
    }

    template <class Task>
    void for_each_column(const GrownNode& node, const Task& task) {
        const std::size_t n_cells = (node.end - node.begin) * order_.size();
        const int n_threads = n_cells < kCellsWorthThreads ? 1 : n_threads_;
        if (n_threads == 1) {
            for (std::size_t column = 0; column < order_.size(); ++column) task(column, 0);
            return;
        }
        run_tasks(
            order_.size(), n_threads,
            [&](std::size_t column, int worker) {
                check_();
                task(column, worker);
            },
            check_);
    }

    const TrainingRows& rows_;
    const ModelTreeSettings& settings_;
    int n_threads_;
    const std::function<void()>& check_;
    std::vector<std::vector<std::uint32_t>> order_;  // of each column: rows by value, node by node
    std::vector<std::uint8_t> goes_left_;
    std::vector<Scratch> scratch_;
    double least_deviation_ = 0.0;
    Growth growth_;
};

}  // namespace

double spread_of(double variance, Criterion criterion) {
    return criterion == Criterion::fifth_root ? fifth_root(variance) : std::sqrt(variance);
}

Growth grow(const TrainingRows& rows, const ModelTreeSettings& settings, int n_threads,
            const std::function<void()>& check) {
    return Grower(rows, settings, usable_threads(n_threads), check).run();
}

}  // namespace treewright::model_tree
