// A table that is held while a person grows a tree on it, node by node.
//
// The columns are sorted once. A question about a node then takes its rows out of the sorted
// columns and searches them as growth does: "what is the best split of each column here", "split
// here like this", "grow on from here by the settings".
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/grow/given_split.hpp"
#include "core/grow/grow.hpp"
#include "core/grow/grown_tree.hpp"
#include "core/grow/held_sides.hpp"

namespace treewright {

// The rows of a node and its place in the tree.
struct HeldNode {
    std::span<const std::int64_t> rows;  // of the table, each once; sums run in this order
    std::span<const double> weight;      // of these rows; empty: as in the table
    std::vector<std::uint32_t> path;     // the children on the way from the root
    std::vector<int> used;               // columns that must not split here
};

class HeldTable {
public:
    // The arrays behind `data` must outlive the table.
    HeldTable(const TrainingData& data, const Settings& settings, int n_threads,
              const Check& check);
    HeldTable(const HeldTable&) = delete;
    HeldTable& operator=(const HeldTable&) = delete;
    ~HeldTable();

    // For each column of the table, whatever limits on the node say.
    std::vector<ColumnBest> best_splits(const HeldNode& node, int n_threads, const Check& check);

    // The same of a given split. Throws std::invalid_argument if a branch would have no rows.
    ColumnBest measure(const HeldNode& node, const GivenSplit& given, const Check& check);

    // The node as a leaf.
    GrownTree leaf(const HeldNode& node, int n_threads, const Check& check);

    // The node and its children. Throws as measure() does.
    GrownTree split(const HeldNode& node, const GivenSplit& given, int n_threads,
                    const Check& check);

    // The tree that the settings grow from the node, of at most so many levels.
    GrownTree grow(const HeldNode& node, std::int64_t n_levels, int n_threads, const Check& check);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace treewright
