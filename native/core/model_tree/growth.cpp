#include "core/model_tree/growth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/model_tree/node_scan.hpp"
#include "core/model_tree/spread.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::model_tree {

namespace {

constexpr double noise_share = 4e-3;  // of a spread: the fifth root of what rounding takes off
constexpr std::size_t cells_worth_threads = 50'000;

enum StopReason : std::uint8_t {  // places in STOP_REASONS
    pure = 1,
    no_candidate = 2,
    at_max_depth = 3,
    below_min_split = 6,
    below_min_deviation = 16,
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
    NodeScan scan_of(const GrownNode& node, double spread) const {
        return {rows_, settings_, node, spread};
    }
    std::span<const std::uint32_t> rows_of(std::size_t column, const GrownNode& node) const {
        return std::span(order_[column]).subspan(node.begin, node.end - node.begin);
    }
    std::span<const std::uint32_t> in_table_order(const GrownNode& node) const {
        return std::span(growth_.rows).subspan(node.begin, node.end - node.begin);
    }

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
        if (node.squares == 0.0) return pure;
        if (node.weight < settings_.min_split) return below_min_split;
        if (std::sqrt(node.squares / node.weight) < least_deviation_) return below_min_deviation;
        if (node.depth >= settings_.max_depth) return at_max_depth;
        return 0;
    }

    void split(std::size_t index) {
        GrownNode& node = growth_.nodes[index];
        node.stop_reason = reason_to_stop(node);
        if (node.stop_reason) return;
        const double spread = spread_of(node.squares / node.weight, settings_.criterion);
        std::vector<Split> found(order_.size());
        for_each_column(node, [&](std::size_t column, int worker) {
            const NodeScan scan = scan_of(node, spread);
            found[column] =
                scan.best_split(column, rows_of(column, node), scratch_[as_index(worker)]);
        });
        keep_rivals(node, spread, found);
        Split best;
        for (std::size_t column = 0; column < found.size(); ++column) {
            if (found[column].gain > best.gain + tie_share * spread) {
                best = found[column];
                node.feature = static_cast<std::int32_t>(column);
            }
        }
        if (node.feature < 0) {
            node.stop_reason = no_candidate;
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
            const bool is_rival = split.n_left > 0 && split.gain >= most - noise_share * spread;
            split.gain = is_rival
                             ? scan_of(node, spread)
                                   .gain_by_sides(rows_of(column, node), in_table_order(node),
                                                  split.n_left, scratch_[as_index(worker)].is_right)
                             : -INFINITY;
        });
    }

    // The rows of both sides, each in the order they had, in all columns.
    void part(std::size_t index, const Split& best) {
        GrownNode& node = growth_.nodes[index];
        const auto& chosen = order_[static_cast<std::size_t>(node.feature)];
        for (std::uint32_t i = node.begin; i < node.end; ++i) {
            goes_left_[chosen[i]] = i - node.begin < best.n_left;
        }
        for_each_column(node, [&](std::size_t column, int worker) {
            part_rows(order_[column], node, scratch_[as_index(worker)]);
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
        const int n_threads = n_cells < cells_worth_threads ? 1 : n_threads_;
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

Growth grow(const TrainingRows& rows, const ModelTreeSettings& settings, int n_threads,
            const std::function<void()>& check) {
    return Grower(rows, settings, usable_threads(n_threads), check).run();
}

}  // namespace treewright::model_tree
