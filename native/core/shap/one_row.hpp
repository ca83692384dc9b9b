// Shapley values by training weight for a single row.
//
// The same sums, digit for digit, as one lane of lanes.hpp. The tables that serve all rows there
// would take longer than the row itself; here only what the row needs is computed, for all points
// at once. In trees of 4,200 nodes that takes a third of the time (python -m benchmarks.shapley).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/shap/quadrature.hpp"
#include "core/shap/steps.hpp"
#include "core/shap/tree_shap.hpp"

namespace treewright {

class OneRowTree {
public:
    explicit OneRowTree(const ShapTree& tree)
        : tree_(tree),
          list_(tree),
          points_(std::max<std::size_t>(1, (list_.most_columns() + 1) / 2)),
          routes_(list_.n_inner()),
          polynomials_((list_.deepest() + 1) * points_.size()),
          slopes_((list_.deepest() + 1) * points_.size()),
          sums_((list_.deepest() + 1) * points_.size() * tree.n_values()),
          leads_here_(list_.deepest() + 1, 1),
          parts_(list_.columns().size() * tree.n_values()) {}

    // False if the row is not of the kind that this class can take.
    bool route(const double* row) { return list_.route(row, routes_.data(), 1); }

    // Adds the values of the row that was routed last to `out` (n_columns, n_values).
    void add(double* out) {
        std::ranges::fill(parts_, 0.0);
        std::fill_n(polynomials_.begin(), points_.size(), 1.0);
        std::vector<std::size_t> open;  // inner steps from the root to here
        const std::vector<Step>& steps = list_.steps();
        for (std::size_t at = 0; at < steps.size(); ++at) {
            for (; open.size() >= steps[at].depth; open.pop_back()) close(steps[open.back()]);
            go(steps[at]);
            if (steps[at].goes_on) open.push_back(at);
        }
        for (; !open.empty(); open.pop_back()) close(steps[open.back()]);
        const std::size_t n_values = tree_.n_values();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            out[list_.columns()[i / n_values] * n_values + i % n_values] += parts_[i];
        }
    }

private:
    using Step = ShapSteps::Step;

    bool led(const Step& step) const { return leads_here_[step.same_above] != 0; }

    void go(const Step& step) {
        const std::size_t n_points = points_.size(), n_values = tree_.n_values();
        const bool before = led(step), after = before && routes_[step.question] == step.child;
        leads_here_[step.depth] = after;
        const double* const above = polynomials_.data() + (step.depth - 1) * n_points;
        double* const here = polynomials_.data() + step.depth * n_points;
        double* const slopes = slopes_.data() + step.depth * n_points;
        if (after) {
            for (std::size_t q = 0; q < n_points; ++q) {
                const StepAtPoint point(step, points_.point[q], points_.weight[q]);
                here[q] = above[q] * point.stays();
                slopes[q] = point.slope_stays();
            }
        } else if (before) {
            for (std::size_t q = 0; q < n_points; ++q) {
                const StepAtPoint point(step, points_.point[q], points_.weight[q]);
                here[q] = above[q] * point.ends();
                slopes[q] = point.slope_ends();
            }
        } else {
            for (std::size_t q = 0; q < n_points; ++q) here[q] = above[q] * step.share;
        }
        double* const sums = sums_.data() + step.depth * n_points * n_values;
        if (step.goes_on) {
            std::fill_n(sums, n_points * n_values, 0.0);
            return;
        }
        const double* const prediction = tree_.prediction(step.target);
        double* const sums_above = sums - n_points * n_values;
        for (std::size_t q = 0; q < n_points; ++q) {
            for (std::size_t k = 0; k < n_values; ++k) {
                sums_above[q * n_values + k] += here[q] * prediction[k];
            }
        }
        if (!before) return;
        double weight = 0.0;
        for (std::size_t q = 0; q < n_points; ++q) weight += slopes[q] * here[q];
        double* const part = parts_.data() + step.column * n_values;
        for (std::size_t k = 0; k < n_values; ++k) part[k] += weight * prediction[k];
    }

    void close(const Step& step) {
        const std::size_t n_points = points_.size(), n_values = tree_.n_values();
        const double* const sums = sums_.data() + step.depth * n_points * n_values;
        double* const sums_above = sums_.data() + (step.depth - 1) * n_points * n_values;
        for (std::size_t i = 0; i < n_points * n_values; ++i) sums_above[i] += sums[i];
        if (!led(step)) return;
        const double* const slopes = slopes_.data() + step.depth * n_points;
        double* const part = parts_.data() + step.column * n_values;
        for (std::size_t q = 0; q < n_points; ++q) {
            for (std::size_t k = 0; k < n_values; ++k) {
                part[k] += slopes[q] * sums[q * n_values + k];
            }
        }
    }

    const ShapTree& tree_;
    ShapSteps list_;
    Quadrature points_;
    std::vector<std::int64_t> routes_;      // of each inner node: the child that the row goes to
    std::vector<double> polynomials_;       // (depth, n_points)
    std::vector<double> slopes_;            // (depth, n_points): of the column of the step
    std::vector<double> sums_;              // (depth, n_points, n_values): see ColumnSums
    std::vector<std::uint8_t> leads_here_;  // by depth: whether the column of the step leads there
    std::vector<double> parts_;             // (n_columns asked, n_values)
};

}  // namespace treewright
