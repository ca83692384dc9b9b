// Predictions from the neighbors of a row: votes, or the mean.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/neighbors/neighbor_search.hpp"

namespace treewright::neighbors {

// How much a neighbor counts: its weight, and by distance that divided by how far it is, relative
// to the nearest one; where rows are at no distance at all, only these count.
struct Voting {
    Wanted wanted;
    bool by_distance = false;
};

// How much each of the neighbors that were found counts.
std::vector<double> counts_of(std::span<const Neighbor> found, const Voting& voting,
                              const Measure& measure);

// (n_queries, n_classes): how much the neighbors of each class count.
void class_votes(const NeighborSearch& search, const MixedRows& queries, const Voting& voting,
                 std::span<const std::int32_t> classes, std::size_t n_classes, int n_threads,
                 std::span<double> votes, const NeighborSearch::Check& check);

// (n_queries,): the mean target of the neighbors, each weighted by how much it counts.
void mean_targets(const NeighborSearch& search, const MixedRows& queries, const Voting& voting,
                  std::span<const double> targets, int n_threads, std::span<double> means,
                  const NeighborSearch::Check& check);

}  // namespace treewright::neighbors
