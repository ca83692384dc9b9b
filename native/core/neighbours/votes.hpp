// What the neighbours of a row answer together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/neighbours/neighbour_search.hpp"

namespace treewright::neighbours {

// How much a neighbour counts: its weight, and by distance that divided by how far it is, relative
// to the nearest one; where rows are at no distance at all, only these count.
struct Voting {
    Wanted wanted;
    bool by_distance = false;
};

// How much each of the neighbours that were found counts.
std::vector<double> counts_of(std::span<const Neighbour> found, const Voting& voting,
                              const Measure& measure);

// (n_queries, n_classes): how much the neighbours of each class count.
void class_votes(const NeighbourSearch& search, const MixedRows& queries, const Voting& voting,
                 std::span<const std::int32_t> classes, std::size_t n_classes, int n_threads,
                 std::span<double> votes, const NeighbourSearch::Check& check);

// (n_queries,): the mean of the neighbours' numbers, each as often as it counts.
void mean_answers(const NeighbourSearch& search, const MixedRows& queries, const Voting& voting,
                  std::span<const double> numbers, int n_threads, std::span<double> means,
                  const NeighbourSearch::Check& check);

}  // namespace treewright::neighbours
