#include "core/model_tree/growth.hpp"

#include <algorithm>
#include <array>
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

using Children = std::array<GrownNode, 2>;

// Who works on a node: some threads, or one of them, by its number.
struct Crew {
    int n_threads;
    int worker;
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

    // Level by level. Large nodes share their columns among the threads, small ones are tasks of
    // their own.
    Growth run() {
        growth_.nodes.push_back(
            described(0, static_cast<std::uint32_t>(rows_.target.size()), 0));
        const GrownNode& root = growth_.nodes[0];
        least_deviation_ = settings_.min_deviation * std::sqrt(root.squares / root.weight);
        for (std::size_t begin = 0, end = 1; begin < end;) {
            split_level(begin, end);
            begin = std::exchange(end, growth_.nodes.size());
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

    // A node of the rows [begin, end), which are in the order of the table.
    GrownNode described(std::uint32_t begin, std::uint32_t end, std::int64_t depth) const {
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
        return node;
    }

    std::size_t n_cells(const GrownNode& node) const {
        return (node.end - node.begin) * order_.size();
    }

    // Splits the nodes of a level; their children follow in the same order.
    void split_level(std::size_t begin, std::size_t end) {
        std::vector<Children> children(end - begin);
        std::vector<std::size_t> small;
        std::size_t n_small_cells = 0;
        for (std::size_t i = begin; i < end; ++i) {
            GrownNode& node = growth_.nodes[i];
            check_();
            if (n_cells(node) >= cells_worth_threads) {
                children[i - begin] = split(node, {n_threads_, 0});
            } else {
                small.push_back(i);
                n_small_cells += n_cells(node);
            }
        }
        const auto split_one = [&](std::size_t at, int worker) {
            check_();
            const std::size_t i = small[at];
            children[i - begin] = split(growth_.nodes[i], {1, worker});
        };
        const bool share = n_small_cells >= cells_worth_threads;
        run_tasks(small.size(), share ? n_threads_ : 1, split_one, check_);
        for (std::size_t i = begin; i < end; ++i) {
            if (growth_.nodes[i].feature < 0) continue;
            growth_.nodes[i].first_child = static_cast<std::uint32_t>(growth_.nodes.size());
            growth_.nodes.insert(growth_.nodes.end(), children[i - begin].begin(),
                                 children[i - begin].end());
        }
    }

    std::uint8_t reason_to_stop(const GrownNode& node) const {
        if (node.squares == 0.0) return pure;
        if (node.weight < settings_.min_split) return below_min_split;
        if (std::sqrt(node.squares / node.weight) < least_deviation_) return below_min_deviation;
        if (node.depth >= settings_.max_depth) return at_max_depth;
        return 0;
    }

    // Splits a node, if that is worth it, and returns its children.
    Children split(GrownNode& node, Crew crew) {
        node.stop_reason = reason_to_stop(node);
        if (node.stop_reason) return {};
        const double spread = spread_of(node.squares / node.weight, settings_.criterion);
        std::vector<Split> found(order_.size());
        share(crew, order_.size(), [&](std::size_t column, int worker) {
            const NodeScan scan = scan_of(node, spread);
            found[column] =
                scan.best_split(column, rows_of(column, node), scratch_[as_index(worker)]);
        });
        keep_rivals(node, spread, found, crew);
        Split best;
        for (std::size_t column = 0; column < found.size(); ++column) {
            if (found[column].gain > best.gain + tie_share * spread) {
                best = found[column];
                node.feature = static_cast<std::int32_t>(column);
            }
        }
        if (node.feature < 0) {
            node.stop_reason = no_candidate;
            return {};
        }
        return part(node, best, crew);
    }

    // The columns that rounding could have put behind the best are measured again, the others go.
    void keep_rivals(const GrownNode& node, double spread, std::vector<Split>& found, Crew crew) {
        double most = -INFINITY;
        for (const Split& split : found) most = std::max(most, split.gain);
        share(crew, order_.size(), [&](std::size_t column, int worker) {
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
    Children part(GrownNode& node, const Split& best, Crew crew) {
        const auto& chosen = order_[static_cast<std::size_t>(node.feature)];
        for (std::uint32_t i = node.begin; i < node.end; ++i) {
            goes_left_[chosen[i]] = i - node.begin < best.n_left;
        }
        share(crew, order_.size() + 1, [&](std::size_t at, int worker) {
            auto& order = at == 0 ? growth_.rows : order_[at - 1];
            part_rows(order, node, scratch_[as_index(worker)]);
        });
        node.cut = best.cut;
        node.gain = std::max(best.gain, 0.0);  // below it is rounding
        const std::uint32_t middle = node.begin + best.n_left;
        Children children;
        share(crew, 2, [&](std::size_t side, int) {
            children[side] = side == 0 ? described(node.begin, middle, node.depth + 1)
                                       : described(middle, node.end, node.depth + 1);
        });
        return children;
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
    void share(Crew crew, std::size_t n_tasks, const Task& task) const {
        if (crew.n_threads == 1) {
            for (std::size_t i = 0; i < n_tasks; ++i) task(i, crew.worker);
            return;
        }
        run_tasks(
            n_tasks, crew.n_threads,
            [&](std::size_t i, int worker) {
                check_();
                task(i, worker);
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
