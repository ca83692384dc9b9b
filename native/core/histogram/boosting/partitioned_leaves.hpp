// Leaves of one tree whose rows are elsewhere: in several processes, or on several machines.
//
//     here                                   where a part of the rows is (TreePartition)
//     find_units                      ->     the largest derivatives, and sums of their sizes
//     start(units, draw)              ->     rounds derivatives, adds up the root's rows by bin
//     divide(a batch of leaves)       ->     sends rows to the children, adds up the smaller ones
//     add_up(the finished leaves)     ->     exact sums of the derivatives of each leaf
//
// All results are whole numbers, which the caller adds up over the parts in any order. Splits are
// chosen here, once, by the search that rows in memory have too.
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
    enum class Counted : std::uint8_t { neither, left, right };

    std::uint32_t parent = 0, left = 0;  // the right child is left + 1; the root is 0
    std::uint32_t column = 0;
    Counted counted = Counted::neither;             // whose rows are added up by bin
    std::array<std::uint8_t, n_slots> goes_left{};  // by bin
};

// Sums and numbers of rows by column and bin, of several nodes one after the other. Without the
// numbers where every row counts 1 in the sums.
struct NodeCounts {
    std::vector<Sum> sums;
    std::vector<std::uint32_t> n_rows;
};

class PartitionedRows {
public:
    virtual ~PartitionedRows() = default;
    virtual bool are_weighted() const = 0;
    virtual Units find_units() = 0;
    virtual NodeCounts start(const Units& units, std::uint64_t draw) = 0;  // of the root
    virtual NodeCounts divide(std::span<const NodeDivision> divisions) = 0;
    virtual std::vector<LeafSums> add_up(std::span<const std::uint32_t> nodes) = 0;
};

// Ranges of leaves are those that their rows would have in the order of a single memory.
class PartitionedLeaves : public LeafWork {
public:
    PartitionedLeaves(const TreeTask& task, GrowerMemory& memory, PartitionedRows& rows,
                      const Units& units, std::uint64_t draw)
        : LeafWork(task, memory), rows_(rows), units_(units), draw_(draw) {}

    RowOrder::Range all_rows() const override { return {0, table_.n_rows, 0}; }
    void start(Leaf& root, bool searches) override;
    void divide(std::span<Division> divisions) override;
    // A round trip takes far longer than to divide a few leaves for nothing.
    std::size_t work_of(const Leaf&) const override { return 1; }
    std::size_t enough_work() const override { return enough_leaves(); }
    std::size_t enough_leaves() const override { return 32; }
    bool may_divide_below(int) const override { return true; }

protected:
    std::span<const Traveler> rows_of(const Leaf&) const override { return {}; }
    void count_rows(const Leaf& leaf, int column,
                    std::span<std::uint32_t, n_slots> counts) const override;

private:
    void search(Leaf& leaf, int worker) const;
    std::size_t count_left(const Leaf& leaf, const GradientSplit& split) const;
    void take_counts(const NodeCounts& found, std::size_t place, Leaf& leaf);

    PartitionedRows& rows_;
    const Units& units_;
    std::uint64_t draw_;
    std::uint32_t n_nodes_ = 1;
};

}  // namespace treewright::histogram
