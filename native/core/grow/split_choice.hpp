// Choosing among the best splits of the columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/grow/growth.hpp"

namespace treewright {

template <class Index>
class SplitChoice {
public:
    explicit SplitChoice(const Growth& growth) : growth_(growth), settings_(growth.settings) {}

    // The candidate to split by, or none.
    const Candidate* choose(const std::vector<Candidate>& candidates,
                            const Workspace<Index>& workspace, const NodeView& view) const {
        if (!settings_.column_order.empty()) return first_in_order(candidates, workspace);
        const double least_gain = settings_.average_gain_filter
                                      ? average_gain(candidates) - 1e-3
                                      : -std::numeric_limits<double>::infinity();
        const double tolerance = score_tolerance(view);
        const Candidate* best = nullptr;
        for (const auto& candidate : candidates) {
            if (!candidate.valid || candidate.gain < least_gain) continue;
            if (!best || candidate.score > best->score + tolerance) best = &candidate;
        }
        return best;
    }

    StopReason why_none(const std::vector<Candidate>& candidates) const {
        const auto has_gain = [](const Candidate& c) { return !c.constant && !c.too_small; };
        if (settings_.has_min_gain && std::ranges::any_of(candidates, has_gain)) {
            return StopReason::min_gain;
        }
        if (std::ranges::any_of(candidates, &Candidate::too_small)) {
            return StopReason::min_samples_leaf;
        }
        return StopReason::no_candidate;
    }

    // The runners-up, best first.
    std::vector<Competitor> competitors_of(const Candidate& best,
                                           const std::vector<Candidate>& candidates,
                                           const Workspace<Index>& workspace,
                                           const NodeView& view) const {
        const auto limit = static_cast<std::size_t>(settings_.n_competitors);
        std::vector<const Candidate*> others;  // best first, earlier columns before equal ones
        for (const auto& candidate : candidates) {
            if (!candidate.valid || &candidate == &best) continue;
            const auto place = std::ranges::find_if(
                others, [&](const auto* other) { return candidate.score > other->score; });
            if (place == others.end() && others.size() == limit) continue;
            others.insert(place, &candidate);
            if (others.size() > limit) others.pop_back();
        }
        std::vector<Competitor> out(others.size());
        for (std::size_t i = 0; i < others.size(); ++i) {
            const auto& other = *others[i];
            const auto column = workspace.columns[other.place].column;
            out[i] = {column, growth_.in_given_units(other.gain),
                      settings_.gain_ratio ? other.score : growth_.in_given_units(other.score),
                      threshold_of(growth_.context, column, other),
                      std::abs(other.score - best.score) <= score_tolerance(view)};
        }
        return out;
    }

private:
    double score_tolerance(const NodeView& view) const {
        if (settings_.gain_ratio) return 1e-12;
        if (settings_.measure == Measure::chi_square) return 1e-12 * view.score_weight;
        return std::max(1e-12 * view.impurity, view.rounding / view.score_weight);
    }

    // Infinite if no column that sets the standard has a candidate: then the node is not split.
    static double average_gain(const std::vector<Candidate>& candidates) {
        double sum = 0.0;
        int n = 0;
        for (const auto& candidate : candidates) {
            if (!candidate.usable || !candidate.in_average) continue;
            sum += candidate.gain;
            ++n;
        }
        return n > 0 ? sum / n : std::numeric_limits<double>::infinity();
    }

    const Candidate* first_in_order(const std::vector<Candidate>& candidates,
                                    const Workspace<Index>& workspace) const {
        const auto& order = settings_.column_order;
        const Candidate* best = nullptr;
        auto best_at = order.end();
        for (const auto& candidate : candidates) {
            if (!candidate.valid) continue;
            const auto at = std::ranges::find(order, workspace.columns[candidate.place].column);
            if (!best || at < best_at) {
                best = &candidate;
                best_at = at;
            }
        }
        return best;
    }

    const Growth& growth_;
    const Settings& settings_;
};

}  // namespace treewright
