// Nodes while they are being made, in any order, and their final order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/grow/grown_tree.hpp"
#include "core/parallel/cancellation.hpp"

namespace treewright {

struct SplitDetails {
    std::vector<std::int32_t> level_code, level_child;
    std::vector<double> cuts;
    std::vector<Surrogate> surrogates;
};

struct NodeRecord {
    SplitKind kind = SplitKind::leaf;
    StopReason stop_reason = StopReason::none;
    std::int32_t feature = -1;
    std::int32_t missing_child = missing_stops;
    std::uint32_t first_child = 0, n_children = 0;
    std::int32_t subtree = -1;      // the builder that goes on from here
    std::int32_t split_order = -1;  // best first: when the node was split
    std::uint32_t n_competitors = 0;
    std::size_t first_competitor = 0;  // among those of the builder
    double threshold = 0, weight = 0, impurity = 0, gain = 0, score = 0;
    std::int64_t n_rows = 0;
    std::unique_ptr<SplitDetails> details;  // of few nodes in tables of numbers
};

// One builder for the top of a tree and one for each subtree that is grown separately.
struct TreeBuilder {
    explicit TreeBuilder(std::size_t n_values) : n_values(n_values) {}

    std::uint32_t add() {
        records.emplace_back();
        values.resize(values.size() + n_values, 0.0);
        return static_cast<std::uint32_t>(records.size() - 1);
    }
    double* value(std::uint32_t record) { return values.data() + record * n_values; }
    const double* value(std::uint32_t record) const { return values.data() + record * n_values; }

    // Subtrees wait for each other: what they have no use for is given back meanwhile.
    void shrink() {
        records.shrink_to_fit();
        values.shrink_to_fit();
        competitors.shrink_to_fit();
    }

    std::size_t n_values;
    std::vector<NodeRecord> records;
    std::vector<double> values;
    std::vector<Competitor> competitors;  // of all nodes: one block instead of one for each
};

// Joins builders[0] and its subtrees: depth first, the children of a node side by side. What they
// recorded is gone afterwards. `check` may throw to cancel.
GrownTree assemble(std::vector<TreeBuilder>& builders, int n_threads, const Check& check);

}  // namespace treewright
