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

#include "core/grow/grow.hpp"
#include "core/grow/growth.hpp"
#include "core/grow/grown_tree.hpp"
#include "core/grow/search/candidate.hpp"

namespace treewright {

// The rows of a node and its place in the tree.
struct HeldNode {
    std::span<const std::int64_t> rows;  // of the table, each once; sums run in this order
    std::span<const double> weight;      // of these rows; empty: as in the table
    std::vector<std::uint32_t> path;     // the children on the way from the root
    std::vector<int> used;               // columns that must not split here
};

// The rows on one side of a split. Sums run in the order of the node's rows.
struct SideSums {
    std::int64_t n_rows = 0;
    double weight = 0;               // numbers only
    double mean = 0, squares = 0;    // numbers only: the latter from the mean, times weight
    std::vector<double> of_class;    // weight of each class
};

// The best split of a column at a node.
struct ColumnBest {
    int n_values = 0;  // different known values at the node: 0, 1, or 2 for more
    bool found = false;
    Split split;
    std::int64_t n_cuts = 0;       // thresholds that C4.5's correction counts
    int missing_side = -1;         // where missing rows count; -1: they are left out
    std::vector<SideSums> sides;   // of the split; empty if nothing was found
    SideSums counted;              // numbers only: all sides together
    SideSums left_out, missing;    // rows without a side, and those whose value is missing
};

// A split that a person asks for.
struct GivenSplit {
    int column = 0;
    SplitKind kind = SplitKind::threshold;
    double threshold = 0;
    std::vector<std::int32_t> first_levels;  // subset: the levels of the first child
    std::vector<double> cuts;                // intervals: rising
};

// Adds up the rows of each side of some numbers; rows of a negative side are left out.
std::vector<SideSums> number_sides(std::span<const double> y, std::span<const double> weight,
                                   std::span<const std::int32_t> side, std::size_t n_sides);

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

    // The node as a leaf.
    GrownTree leaf(const HeldNode& node, int n_threads, const Check& check);

    // The node and its children. Throws std::invalid_argument if a side would have no rows.
    GrownTree split(const HeldNode& node, const GivenSplit& given, int n_threads,
                    const Check& check);

    // The tree that the settings grow from the node, of at most so many levels.
    GrownTree grow(const HeldNode& node, std::int64_t n_levels, int n_threads, const Check& check);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace treewright
