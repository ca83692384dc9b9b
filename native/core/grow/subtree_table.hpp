// Subtrees that are grown elsewhere: the top of a tree is grown here, down to nodes of so many rows,
// and their subtrees grow wherever a copy of the same table is.
//
//     GrownTop      the top as a tree, and the nodes where it ends
//     HandedNode    a node by its rows: all that a subtree needs beside the table
//     SubtreeTable  a table that grows the subtrees of such nodes, whose rows it sorts
//
// All numbers of rows and all divisions of the work give the same tree.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/grow/grow.hpp"
#include "core/grow/grown_tree.hpp"

namespace treewright {

struct HandedNode {
    std::int64_t depth = 0;
    std::uint64_t path = 0;            // from which columns are drawn
    std::vector<std::uint32_t> rows;   // of the table, rising
    std::vector<std::int32_t> columns;  // that may still split, rising
    // Where missing values have spread rows. Empty: as in the table.
    std::vector<double> weight, score_weight;
    // The codes of the table that the node's columns count, one column after the other, and how
    // many of each: the others are gone, so that sums run over the same codes. Empty: all.
    std::vector<std::uint8_t> codes;
    std::vector<std::int32_t> n_codes;
};

struct GrownTop {
    // In the place of a node that was handed over is a leaf, whose `split_order` is the number of
    // that node; that of other leaves is -1.
    GrownTree tree;
    std::vector<HandedNode> nodes;
};

// As grow(), but nodes of at most `most` rows are handed over, or somewhat larger ones where the
// size of subtrees matters, and none of fewer than `least`. A tree that grows its best splits first
// hands over none.
struct HandOver {
    std::size_t most = 0, least = 0;
};
GrownTop grow_top(const TrainingData& data, const Settings& settings, HandOver hand_over,
                  int n_threads, const std::function<bool()>& interrupted);

class SubtreeTable {
public:
    // The arrays behind `data` must outlive the table.
    SubtreeTable(const TrainingData& data, const Settings& settings, int n_threads,
                 const Check& check);
    SubtreeTable(const SubtreeTable&) = delete;
    SubtreeTable& operator=(const SubtreeTable&) = delete;
    ~SubtreeTable();

    // The subtree of a node of the tree that grow_top() grows with the same data and settings.
    // One call at a time.
    GrownTree grow(const HandedNode& node, int n_threads, const Check& check);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace treewright
