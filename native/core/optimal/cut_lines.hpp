// The questions that a feature has at one node, and the best of them when both sides are leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "core/optimal/node_rows.hpp"

namespace treewright::optimal {

// Cuts in order: each moves some more weight to the left.
struct CutLine {
    std::int32_t feature = 0;
    std::vector<std::uint32_t> cut;   // the last position on the left
    std::vector<Weight> left_weight;  // of each cut
    Weight weight = 0;                // of both sides
    std::size_t best = 0;             // the cut that gets most right with leaves on both sides
    Weight best_hits = -1;            // and the weight that it gets right
};

// The best tree of one question; hits are the weight that it gets right.
struct Stump {
    std::int32_t feature = -1;  // -1: no question leaves enough rows on both sides
    std::uint32_t cut = 0;
    Weight hits = -1;
};

struct NodeCuts {
    std::vector<CutLine> lines;  // features with at least one cut
    Stump stump;
    Weight free_hits = -1;  // of the best stump if its leaves may be small
    bool complete = true;   // false: it was stopped before all columns were looked at
};

// All tests that split the rows. A test is left out if another one splits them in the same way.
NodeCuts cuts_of(const Problem& problem, const NodeRows& node, const LeafLimits& leaf,
                 const Stops& stops);

}  // namespace treewright::optimal
