// Leaves of one tree whose rows are elsewhere: in several processes, or on several machines.
//
//     here                                   where a part of the rows is (TreePartition)
//     find_units                      ->     the largest derivatives, and sums of their sizes
//     start(units, draw)              ->     rounds derivatives, adds up the root's rows by bin
//     divide(a batch of leaves)       ->     sends rows to the children, adds up the smaller ones
//     finish(the leaves)
//
// All results are whole numbers, which the caller adds up over the parts in any order. Splits are
// chosen here, once, by the search that rows in memory have too. Each node also has exact sums of
// derivatives, so that leaves have their values without another look at the rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/histogram/boosting/leaf_values.hpp"
#include "core/histogram/boosting/leaf_work.hpp"

namespace treewright::histogram {

// A node that is divided: which rows of it go to which child.
struct NodeDivision {
    std::uint32_t parent = 0, left = 0;  // the right child is left + 1; the root is 0
    std::uint32_t column = 0;
    bool right_is_small = false;  // of which exact sums are returned
    bool counts = false;          // the rows of the smaller child are added up by bin
    std::array<std::uint8_t, n_slots> goes_left{};  // by bin
    std::vector<std::uint8_t> wide_sides;           // of a wide column: by level, then all others

    std::uint32_t small() const { return left + right_is_small; }
};

// Sums and numbers of rows of several nodes, one after the other: by column and bin, without the
// numbers where every row counts 1 in the sums; by level of wide columns, the last of each for
// missing values; and exact sums.
struct NodeCounts {
    std::vector<Sum> sums;
    std::vector<std::uint32_t> n_rows;
    std::vector<Sum> wide_sums;
    std::vector<std::uint32_t> wide_rows;
    std::vector<LeafSums> exact;
};

// The places of wide columns among the sums by level.
struct WideSlots {
    explicit WideSlots(const BinnedTable& table);

    std::vector<std::size_t> first;  // by column
    std::size_t size = 0;            // in all
};

class PartitionedRows {
public:
    virtual ~PartitionedRows() = default;
    virtual bool are_weighted() const = 0;
    virtual Units find_units(std::uint64_t draw) = 0;
    virtual NodeCounts start(const Units& units, std::uint64_t draw) = 0;  // of the root
    virtual NodeCounts divide(std::span<const NodeDivision> divisions) = 0;
    // The leaves of the tree. Returns their values where derivatives do not tell them.
    virtual std::vector<double> finish(std::span<const FinishedLeaf> leaves) = 0;
};

// Ranges of leaves are those that their rows would have in the order of a single memory.
class PartitionedLeaves : public LeafWork {
public:
    PartitionedLeaves(const TreeTask& task, GrowerMemory& memory, PartitionedRows& rows,
                      std::size_t n_rows, const Units& units, std::uint64_t draw)
        : LeafWork(task, memory),
          rows_(rows),
          n_rows_(n_rows),
          units_(units),
          draw_(draw),
          wide_(task.table) {}

    RowOrder::Range all_rows() const override { return {0, n_rows_, 0}; }
    const LeafSums& exact_sums(const FinishedLeaf& leaf) const { return exact_[leaf.node]; }
    void start(Leaf& root, bool searches) override;
    void divide(std::span<Division> divisions) override;
    // A round trip takes far longer than to divide a few leaves for nothing.
    std::size_t work_of(const Leaf&) const override { return 1; }
    std::size_t enough_work() const override { return enough_leaves(); }
    std::size_t enough_leaves() const override { return 32; }
    bool may_divide_below(int) const override { return true; }

protected:
    WideSums wide_sums(const Leaf& leaf, std::size_t column, WideScratch& scratch) const override;
    void count_rows(const Leaf& leaf, int column,
                    std::span<std::uint32_t, n_slots> counts) const override;

private:
    void search(Leaf& leaf, int worker) const;
    std::size_t count_left(const Leaf& leaf, const NodeDivision& division) const;
    std::vector<NodeDivision> asked(std::span<Division> divisions);
    void take_counts(const NodeCounts& found, std::size_t place, Leaf& leaf);

    PartitionedRows& rows_;
    std::size_t n_rows_;
    const Units& units_;
    std::uint64_t draw_;
    WideSlots wide_;
    std::vector<LeafSums> exact_;  // by node
};

}  // namespace treewright::histogram
