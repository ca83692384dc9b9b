// Scores of a split from the statistics of its sides.
//
// Statistics add up: for classes the weight of each class, for numbers (weight, weight * y).
// side() turns them into a score, higher is purer, so that
//
//     gain = sum over the sides of side(stats) - side(parent's stats)
//
// in units of weight: n times the textbook's gain. For entropy side() is -n H, for Gini
// n (sum of squared shares), for least squares n mean^2. Terms that all sides together cannot
// change are left out where they would drown the rest in rounding: see poisson_side().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/arithmetic/portable_math.hpp"
#include "core/grow/settings.hpp"
#include "core/large_vector.hpp"

namespace treewright {

// The targets of the rows in a workspace. Empty weights mean that every row counts once.
struct Targets {
    std::size_t n_classes = 0;  // 0: numbers
    LargeVector<std::uint16_t> classes;
    LargeVector<double> y;             // centered and scaled by the caller
    std::vector<double> weight;        // as given, split by missing values
    std::vector<double> score_weight;  // weight x class factor; empty: the same as weight

    bool is_classification() const { return n_classes > 0; }
    std::size_t n_stats() const { return is_classification() ? n_classes : 2; }
    bool counts_rows() const { return weight.empty() && score_weight.empty(); }
    double weight_of(std::size_t row) const { return weight.empty() ? 1.0 : weight[row]; }
    double score_weight_of(std::size_t row) const {
        return score_weight.empty() ? weight_of(row) : score_weight[row];
    }
    void prefetch(std::size_t row) const {
        if (is_classification()) {
            __builtin_prefetch(classes.data() + row);
        } else {
            __builtin_prefetch(y.data() + row);
        }
    }
    void add_row(std::size_t row, double* stats) const {
        if (is_classification()) {
            stats[classes[row]] += score_weight_of(row);
        } else {
            const double w = weight_of(row);
            stats[0] += w;
            stats[1] += w * y[row];
        }
    }
};

class SideScore {
public:
    // `settings` must outlive the score. `y_center` was taken from every y.
    SideScore(const Settings& settings, std::size_t n_classes, double y_center)
        : settings_(settings), n_classes_(n_classes), y_center_(y_center) {}

    Measure measure() const { return settings_.measure; }

    // `parent` are the statistics of all sides together: chi-square expects from them.
    double side(const double* stats, const double* parent) const {
        switch (settings_.measure) {
            case Measure::entropy: return entropy_side(stats);
            case Measure::gini: return gini_side(stats);
            case Measure::cost_gini: return cost_gini_side(stats);
            case Measure::chi_square: return chi_square_side(stats, parent);
            case Measure::squared_error: return stats[0] > 0 ? stats[1] * stats[1] / stats[0] : 0.0;
            case Measure::poisson: return poisson_side(stats);
            case Measure::custom: return custom_side(stats);
            case Measure::absolute_error: break;  // not a function of sums: see absolute_error.hpp
        }
        return 0.0;
    }

    // Whether a side may stand alone: a Poisson rate of zero would rule out any later count.
    bool admits(const double* stats) const {
        return settings_.measure != Measure::poisson ||
               stats[1] > (1e-12 - 1.0) * (stats[0] * y_center_);
    }

private:
    double entropy_side(const double* stats) const {
        double total = 0.0, sum = 0.0;
        for (std::size_t c = 0; c < n_classes_; ++c) {
            total += stats[c];
            sum += x_log2_x(stats[c]);
        }
        return sum - x_log2_x(total);
    }

    double gini_side(const double* stats) const {
        double total = 0.0, sum = 0.0;
        for (std::size_t c = 0; c < n_classes_; ++c) {
            total += stats[c];
            sum += stats[c] * stats[c];
        }
        return total > 0.0 ? sum / total : 0.0;
    }

    double cost_gini_side(const double* stats) const {
        double total = 0.0, sum = 0.0;
        for (std::size_t i = 0; i < n_classes_; ++i) {
            total += stats[i];
            for (std::size_t j = 0; j < n_classes_; ++j) {
                if (i != j) sum += settings_.costs[i * n_classes_ + j] * stats[i] * stats[j];
            }
        }
        return total > 0.0 ? -sum / total : 0.0;
    }

    double chi_square_side(const double* stats, const double* parent) const {
        double total = 0.0, parent_total = 0.0, sum = 0.0;
        for (std::size_t c = 0; c < n_classes_; ++c) {
            total += stats[c];
            parent_total += parent[c];
        }
        if (parent_total <= 0.0) return 0.0;
        for (std::size_t c = 0; c < n_classes_; ++c) {
            const double expected = total * (parent[c] / parent_total);
            if (expected > 0.0) sum += (stats[c] - expected) * (stats[c] - expected) / expected;
        }
        return sum;
    }

    // S log(S / n) for a sum S = n c (1 + d) is n c times excess_of(d), but for terms that add up
    // to the same over all sides. Counts around 1e12 that differ by 1 still tell their sides apart.
    double poisson_side(const double* stats) const {
        const double expected = stats[0] * y_center_;
        return expected > 0.0 ? expected * excess_of(stats[1] / expected) : 0.0;
    }

    double custom_side(const double* stats) const {
        double total = 0.0;
        for (std::size_t c = 0; c < n_classes_; ++c) total += stats[c];
        if (total <= 0.0) return 0.0;
        return -total * settings_.custom(std::span(stats, n_classes_));
    }

    const Settings& settings_;
    std::size_t n_classes_;
    double y_center_;
};

}  // namespace treewright
