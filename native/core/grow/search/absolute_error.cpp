#include "core/grow/search/absolute_error.hpp"

#include <algorithm>
#include <cmath>

namespace treewright {

void MedianTree::reset(std::size_t n_ranks) {
    weights_.assign(n_ranks + 1, 0.0);
    sums_.assign(n_ranks + 1, 0.0);
    weight_ = sum_ = 0.0;
    for (top_ = 1; top_ * 2 <= n_ranks;) top_ *= 2;
}

void MedianTree::add(std::size_t rank, double weight, double y) {
    weight_ += weight;
    sum_ += weight * y;
    for (std::size_t i = rank + 1; i < weights_.size(); i += i & (~i + 1)) {
        weights_[i] += weight;
        sums_[i] += weight * y;
    }
}

double MedianTree::absolute_error(std::span<const double> y_of_rank) const {
    if (weight_ <= 0.0) return 0.0;
    // The ranks that hold less than half of the weight lie below the median.
    std::size_t below = 0;
    double weight_below = 0.0, sum_below = 0.0;
    for (std::size_t step = top_; step > 0; step /= 2) {
        const std::size_t next = below + step;
        if (next < weights_.size() && weight_below + weights_[next] < 0.5 * weight_) {
            below = next;
            weight_below += weights_[next];
            sum_below += sums_[next];
        }
    }
    const double median = y_of_rank[std::min(below, y_of_rank.size() - 1)];
    const double above = (sum_ - sum_below) - median * (weight_ - weight_below);
    const double under = median * weight_below - sum_below;
    return std::max(0.0, above + under);
}

void rank_targets(const Targets& targets, std::span<const std::uint32_t> rows, RankedTargets& out) {
    std::vector<std::uint32_t> order(rows.begin(), rows.end());
    std::ranges::sort(order, [&](auto a, auto b) {
        return targets.y[a] < targets.y[b] || (targets.y[a] == targets.y[b] && a < b);
    });
    out.rank.resize(targets.y.size());
    out.y_of_rank.clear();
    for (const auto row : order) {
        if (out.y_of_rank.empty() || out.y_of_rank.back() != targets.y[row]) {
            out.y_of_rank.push_back(targets.y[row]);
        }
        out.rank[row] = static_cast<std::uint32_t>(out.y_of_rank.size() - 1);
    }
}

std::pair<std::uint32_t, std::uint32_t> median_rows(const Targets& targets,
                                                    std::span<const std::uint32_t> rows) {
    std::vector<std::uint32_t> order(rows.begin(), rows.end());
    std::ranges::sort(order, [&](auto a, auto b) {
        return targets.y[a] < targets.y[b] || (targets.y[a] == targets.y[b] && a < b);
    });
    double total = 0.0;
    for (const auto row : order) total += targets.weight_of(row);
    double before = 0.0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        before += targets.weight_of(order[i]);
        // Importances are scaled, so halves that are equal may differ in their last digits.
        if (std::abs(before - 0.5 * total) <= 1e-12 * total) return {order[i], order[i + 1]};
        if (before > 0.5 * total) return {order[i], order[i]};
    }
    return {order.back(), order.back()};
}

double median_of(const Targets& targets, std::span<const std::uint32_t> rows) {
    const auto [low, high] = median_rows(targets, rows);
    return targets.y[low] + (targets.y[high] - targets.y[low]) / 2;
}

double absolute_error_of(const Targets& targets, std::span<const std::uint32_t> rows) {
    if (rows.empty()) return 0.0;
    const double median = median_of(targets, rows);
    double error = 0.0;
    for (const auto row : rows) error += targets.weight_of(row) * std::abs(targets.y[row] - median);
    return error;
}

void AbsoluteErrorTally::prepare(const Targets& targets, const RankedTargets& ranked,
                                 std::span<const std::uint32_t> sequence,
                                 std::span<const std::uint32_t> fixed, bool fixed_left) {
    targets_ = &targets;
    const auto add = [&](std::uint32_t row) {
        tree_.add(ranked.rank[row], targets.weight_of(row), targets.y[row]);
    };
    const auto start = [&](bool with_fixed) {
        tree_.reset(ranked.y_of_rank.size());
        if (with_fixed) std::ranges::for_each(fixed, add);
    };
    const std::size_t n = sequence.size();
    prefix_.resize(n + 1);
    suffix_.resize(n + 1);
    start(fixed_left);
    for (std::size_t i = 0;; ++i) {
        prefix_[i] = tree_.absolute_error(ranked.y_of_rank);
        if (i == n) break;
        add(sequence[i]);
    }
    start(!fixed_left);
    for (std::size_t i = n;; --i) {
        suffix_[i] = tree_.absolute_error(ranked.y_of_rank);
        if (i == 0) break;
        add(sequence[i - 1]);
    }
}

}  // namespace treewright
