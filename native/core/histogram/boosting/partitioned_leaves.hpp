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
//
// To count the rows of each bin takes as long as to add up their derivatives, and the search hardly
// ever needs it for nodes of many rows: only if second derivatives leave it open whether enough rows
// are on both sides of a cut that may be the best. So these numbers come with the sums of nodes of
// few rows, and are asked for (count_rows) if they are needed for others.
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
    bool right_is_small = false;  // or so it seems; of it, exact sums are returned
    // What is returned by bin of each child: rows are counted only where they are added up.
    struct Wanted {
        bool sums = false, n_rows = false;
    };
    Wanted of_small, of_large;
    std::array<std::uint8_t, n_slots> goes_left{};  // by bin
    std::vector<std::uint8_t> wide_sides;           // of a wide column: by level, then all others

    std::uint32_t small() const { return left + right_is_small; }
    std::uint32_t large() const { return left + !right_is_small; }
};

// Sums and numbers of rows of several nodes, one after the other: by column and bin, with numbers
// only of nodes of which they are wanted, and of none if every row counts 1 in the sums; by level of
// wide columns, the last of each for missing values; exact sums of the smaller child of each
// division, and the number of rows of the left one.
struct NodeCounts {
    std::vector<Sum> sums;
    std::vector<std::uint32_t> n_rows;
    std::vector<Sum> wide_sums;
    std::vector<std::uint32_t> wide_rows;
    std::vector<LeafSums> exact;
    std::vector<std::int64_t> n_left;
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
    virtual bool counts_rows() const = 0;  // of the root by bin, if it has few
    virtual Units find_units(std::uint64_t draw) = 0;
    virtual NodeCounts start(const Units& units, std::uint64_t draw) = 0;  // of the root
    virtual NodeCounts divide(std::span<const NodeDivision> divisions) = 0;
    // The numbers of rows of some nodes by column and bin.
    virtual std::vector<std::uint32_t> count_rows(std::span<const std::uint32_t> nodes) = 0;
    // The leaves of the tree. Returns their values where derivatives do not tell them.
    virtual std::vector<double> finish(std::span<const FinishedLeaf> leaves) = 0;
};

// Ranges of leaves are those that their rows would have in the order of a single memory.
class PartitionedLeaves : public LeafWork {
public:
    PartitionedLeaves(const TreeTask& task, GrowerMemory& memory, PartitionedRows& rows,
                      std::size_t n_rows, const Units& units, std::uint64_t draw,
                      std::size_t few_rows)
        : LeafWork(task, memory),
          rows_(rows),
          n_rows_(n_rows),
          few_rows_(few_rows),
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
    struct Place {
        std::size_t node = 0, with_rows = 0;  // among those counted
    };
    bool has_counts(const Leaf& leaf) const { return units_.count_rows() || !leaf.counts.empty(); }
    void search(std::span<Leaf* const> leaves) const;
    std::size_t count_left(const Leaf& leaf, const NodeDivision& division) const;
    std::size_t guess_left(const Leaf& leaf, const NodeDivision& division) const;
    void want_counts(Division& division, std::size_t n_left, NodeDivision& own) const;
    std::vector<NodeDivision> asked(std::span<Division> divisions);
    void take_counts(const NodeCounts& found, bool has_rows, Place& next, Leaf& leaf);

    PartitionedRows& rows_;
    std::size_t n_rows_;
    std::size_t few_rows_;  // of nodes whose rows are counted by bin
    const Units& units_;
    std::uint64_t draw_;
    WideSlots wide_;
    std::vector<LeafSums> exact_;  // by node
    // By node, whether a search had to know numbers of rows that are not here.
    mutable std::vector<std::uint8_t> lacked_counts_;
};

}  // namespace treewright::histogram
