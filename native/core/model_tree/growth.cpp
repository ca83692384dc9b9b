#include "core/model_tree/growth.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/candidate.hpp"
#include "core/parallel.hpp"

namespace treewright::model_tree {

namespace {

constexpr double kTie = 1e-12;  // gains this close, as shares of the node's spread, are equal
constexpr std::size_t kCellsWorthThreads = 50'000;

enum StopReason : std::uint8_t {  // places in STOP_REASONS
    kPure = 1,
    kNoCandidate = 2,
    kMaxDepth = 3,
    kMinSplit = 6,
    kMinDeviation = 16,
};

// Good to the last bits for numbers whose exponent is not extreme; smaller ones count as nothing.
double fifth_root(double x) {
    if (x < 0x1p-1000) return 0.0;
    constexpr std::uint64_t kOne = std::bit_cast<std::uint64_t>(1.0);
    double root = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) / 5 + kOne / 5 * 4);
    for (int step = 0; step < 4; ++step) {
        const double square = root * root;
        root += (x / (square * square) - root) / 5.0;
    }
    return root;
}

struct Split {
    double gain = 0.0;
    double cut = 0.0;
    std::uint32_t n_left = 0;  // rows of the column's order that go left
};

// The targets of a node in the order of a column, and room to walk along them.
struct Scratch {
    std::vector<double> target, weight;
    std::vector<std::uint32_t> right;

    explicit Scratch(std::size_t n) : target(n), weight(n), right(n) {}
};

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
        run_tasks(order_.size(), n_threads_, [&](std::size_t column, int) {
            check_();
            sort_by(column);
        });
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
        std::ranges::stable_sort(order_[column], {}, [&](std::uint32_t row) { return values[row]; });
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

    Split best_split(std::size_t column, const GrownNode& node, double spread,
                     Scratch& scratch) const {
        const auto values = rows_.columns[column].values;
        const std::uint32_t* order = order_[column].data() + node.begin;
        const std::size_t n = node.end - node.begin;
        if (values[order[0]] == values[order[n - 1]]) return {};
        double all = 0.0, all_squares = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            const double distance = rows_.target[order[i]] - node.mean;
            const double weight = rows_.weight(order[i]);
            scratch.target[i] = distance;
            scratch.weight[i] = weight;
            all += weight * distance;
            all_squares += weight * distance * distance;
        }
        const double* target = scratch.target.data();
        // A side whose targets are all the same has no spread, whatever rounding makes of its sums:
        // a fifth root would make much of little.
        std::size_t same_before = 1, same_from = n - 1;
        while (same_before < n && target[same_before] == target[0]) ++same_before;
        while (same_from > 0 && target[same_from - 1] == target[n - 1]) --same_from;

        const double margin = std::floor(settings_.min_share * node.weight);
        Split best;
        double weight = 0.0, sum = 0.0, squares = 0.0;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const double mass = scratch.weight[i];
            weight += mass;
            sum += mass * target[i];
            squares += mass * target[i] * target[i];
            const double below = values[order[i]], above = values[order[i + 1]];
            const double rest = node.weight - weight;
            if (below == above || !is_enough(weight, margin) || !is_enough(rest, margin)) continue;
            const double left = i < same_before ? 0.0 : variance(weight, sum, squares);
            const double right = i + 1 >= same_from
                                     ? 0.0
                                     : variance(rest, all - sum, all_squares - squares);
            const double gain = spread -
                                weight / node.weight * spread_of(left, settings_.criterion) -
                                rest / node.weight * spread_of(right, settings_.criterion);
            if (gain > best.gain + kTie * spread) {
                const bool is_ranked = rows_.columns[column].is_ranked;
                best.gain = gain;
                best.cut = is_ranked ? below + 0.5 : threshold_between(below, above);
                best.n_left = static_cast<std::uint32_t>(i + 1);
            }
        }
        return best;
    }

    bool is_enough(double weight, double margin) const {
        return weight >= settings_.min_leaf && weight > margin;
    }

    static double variance(double weight, double sum, double squares) {
        const double mean = sum / weight;
        return std::max(squares / weight - mean * mean, 0.0);
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
        node.gain = best.gain;
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
        run_tasks(order_.size(), n_threads, [&](std::size_t column, int worker) {
            check_();
            task(column, worker);
        });
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
