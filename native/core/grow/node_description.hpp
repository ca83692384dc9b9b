// What a node is before it is split: its targets, its prediction, its impurity.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/arithmetic/exact_mean.hpp"
#include "core/grow/growth.hpp"
#include "core/grow/search/absolute_error.hpp"
#include "core/grow/tree_builder.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright {

template <class Index>
class NodeDescriber {
public:
    NodeDescriber(const Growth& growth, int n_threads)
        : growth_(growth),
          settings_(growth.settings),
          context_(growth.context),
          n_threads_(n_threads) {}

    // Fills the view for the search, and the record and the prediction for the tree.
    void describe(const OpenNode<Index>& node, NodeView& view, TreeBuilder& builder) const {
        const auto& targets = node.workspace->targets;
        view.begin = node.begin;
        view.end = node.end;
        const std::span<const Index> rows =
            std::span<const Index>(node.workspace->rows).subspan(node.begin, node.size());
        view.stats.assign(targets.n_stats(), 0.0);
        double* value = builder.value(node.record);
        if (growth_.is_classification() && targets.counts_rows()) {
            count_classes(targets, rows, value);
            std::copy_n(value, view.stats.size(), view.stats.begin());
            view.weight = view.score_weight = static_cast<double>(rows.size());
        } else if (growth_.is_classification()) {
            for (const auto row : rows) {
                targets.add_row(row, view.stats.data());
                view.weight += targets.weight_of(row);
                value[targets.classes[row]] += targets.weight_of(row);
            }
            view.score_weight = std::accumulate(view.stats.begin(), view.stats.end(), 0.0);
        } else {
            for (const auto row : rows) {
                targets.add_row(row, view.stats.data());
                view.weight += targets.weight_of(row);
            }
            view.score_weight = view.weight;
            if (settings_.measure == Measure::squared_error) {
                constexpr double few_digits = 8 * std::numeric_limits<double>::epsilon();
                const double* const sums = view.stats.data();
                view.rounding = few_digits * context_.score.side(sums, sums);
            }
            value[0] = number_predicted(*node.workspace, rows);
        }
        view.impurity = impurity(*node.workspace, rows, view);
        auto& out = builder.records[node.record];
        out.weight = view.weight;
        out.n_rows = static_cast<std::int64_t>(node.size());
        out.impurity = settings_.measure == Measure::chi_square
                           ? gini_of(view)
                           : growth_.in_given_units(view.impurity);
    }

private:
    void count_classes(const Targets& targets, std::span<const Index> rows, double* value) const {
        const RowShares blocks = share_rows(rows.size(), n_threads_, rows_worth_a_task);
        if (blocks.size() == 1) {
            for (const auto row : rows) value[targets.classes[row]] += 1.0;
            return;
        }
        std::vector<std::vector<std::uint32_t>> counts(blocks.size());
        const auto count = [&](std::size_t block, int) {
            auto& of_block = counts[block];
            of_block.assign(targets.n_classes, 0);
            for (std::size_t i = blocks.begin(block); i < blocks.end(block); ++i) {
                ++of_block[targets.classes[rows[i]]];
            }
        };
        run_tasks(blocks.size(), n_threads_, count, context_.check);
        for (const auto& of_block : counts) {
            for (std::size_t c = 0; c < of_block.size(); ++c) value[c] += of_block[c];
        }
    }

    // The mean, or the median for least absolute error, from y as it was given.
    double number_predicted(const Workspace<Index>& workspace, std::span<const Index> rows) const {
        const auto y = [&](std::size_t row) { return growth_.data.y[workspace.origin[row]]; };
        if (settings_.measure == Measure::absolute_error) {
            const std::vector<std::uint32_t> all(rows.begin(), rows.end());
            const auto [low, high] = median_rows(workspace.targets, all);
            return y(low) == y(high) ? y(low) : y(low) / 2 + y(high) / 2;
        }
        const double shrink = std::ldexp(1.0, -growth_.scale.exponent);
        ExactMean mean;
        if (workspace.targets.weight.empty()) {
            for (const auto row : rows) mean.add(y(row) * shrink);
        } else {
            for (const auto row : rows) mean.add(y(row) * shrink, workspace.targets.weight[row]);
        }
        return std::ldexp(mean.mean(), growth_.scale.exponent);
    }

    // Per unit of weight, in units of the scaled target; exactly 0 if all targets are the same.
    double impurity(const Workspace<Index>& workspace, std::span<const Index> rows,
                    const NodeView& view) const {
        const auto& targets = workspace.targets;
        if (growth_.is_classification()) {
            const auto present =
                std::ranges::count_if(view.stats, [](double w) { return w > 0.0; });
            if (present <= 1) return 0.0;
            const double side = context_.score.side(view.stats.data(), view.stats.data());
            switch (settings_.measure) {
                case Measure::gini: return 1.0 - side / view.score_weight;
                case Measure::chi_square: return 1.0;
                default: return -side / view.score_weight;
            }
        }
        const double first = targets.y[rows[0]];
        if (std::ranges::all_of(rows, [&](auto row) { return targets.y[row] == first; }))
            return 0.0;
        double sum = 0.0;
        if (settings_.measure == Measure::absolute_error) {
            sum = absolute_error_of(targets, std::vector<std::uint32_t>(rows.begin(), rows.end()));
        } else if (settings_.measure == Measure::poisson) {
            const double away = view.stats[1] / view.stats[0];  // of the mean from the center
            const double mean = away + growth_.scale.center;
            for (const auto row : rows) {
                sum += targets.weight_of(row) * mean * excess_of((targets.y[row] - away) / mean);
            }
        } else {
            const double mean = view.stats[1] / view.stats[0];
            for (const auto row : rows) {
                const double d = targets.y[row] - mean;
                sum += targets.weight_of(row) * d * d;
            }
        }
        return std::max(sum / view.weight, std::numeric_limits<double>::min());
    }

    // Chi-square measures splits, not nodes; a node shows its Gini index.
    static double gini_of(const NodeView& view) {
        double sum = 0.0;
        for (const double w : view.stats) sum += (w / view.score_weight) * (w / view.score_weight);
        return 1.0 - sum;
    }

    const Growth& growth_;
    const Settings& settings_;
    const Context& context_;
    int n_threads_;
};

}  // namespace treewright
