#include "core/neighbors/votes.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::neighbors {
namespace {

double weighted_mean(std::span<const Neighbor> found, std::span<const double> counts,
                     std::span<const double> numbers) {
    double sum = 0, total = 0;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double number = numbers[static_cast<std::size_t>(found[i].row)];
        if (counts[i] == 0) continue;
        sum += counts[i] * number;
        total += counts[i];
        low = std::min(low, number);
        high = std::max(high, number);
    }
    if (!std::isfinite(sum)) {  // of numbers near the end of their range
        sum = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            sum += counts[i] / total * numbers[static_cast<std::size_t>(found[i].row)];
        }
        total = 1;
    }
    return std::clamp(sum / total, low, high);  // rounding: the mean of equal numbers is these
}

}  // namespace

std::vector<double> counts_of(std::span<const Neighbor> found, const Voting& voting,
                              const Measure& measure) {
    std::vector<double> counts;
    double left = voting.wanted.weight;
    for (const Neighbor& neighbor : found) {
        const double weight = voting.wanted.of_row(neighbor.row);
        // Without ties the last row may have more weight than is wanted.
        counts.push_back(voting.wanted.all_ties ? weight : std::min(weight, left));
        left -= counts.back();
    }
    if (!voting.by_distance) return counts;
    const double nearest = distance_of(found.front().apart, measure);
    if (std::isinf(nearest)) return counts;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double distance = distance_of(found[i].apart, measure);
        counts[i] *= distance == nearest ? 1.0 : nearest / distance;
    }
    return counts;
}

void class_votes(const NeighborSearch& search, const MixedRows& queries, const Voting& voting,
                 std::span<const std::int32_t> classes, std::size_t n_classes, int n_threads,
                 std::span<double> votes, const NeighborSearch::Check& check) {
    std::ranges::fill(votes, 0.0);
    const auto count = [&](std::size_t query, std::span<const Neighbor> found) {
        const std::vector<double> counts = counts_of(found, voting, search.measure());
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto of_row =
                static_cast<std::size_t>(classes[static_cast<std::size_t>(found[i].row)]);
            votes[query * n_classes + of_row] += counts[i];
        }
    };
    search.visit_nearest(queries, voting.wanted, n_threads, count, check);
}

void mean_targets(const NeighborSearch& search, const MixedRows& queries, const Voting& voting,
                  std::span<const double> targets, int n_threads, std::span<double> means,
                  const NeighborSearch::Check& check) {
    const auto average = [&](std::size_t query, std::span<const Neighbor> found) {
        const std::vector<double> counts = counts_of(found, voting, search.measure());
        means[query] = weighted_mean(found, counts, targets);
    };
    search.visit_nearest(queries, voting.wanted, n_threads, average, check);
}

}  // namespace treewright::neighbors
