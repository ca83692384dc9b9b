// A part of the rows that a tree is grown on: see partitioned_leaves.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/boosting/partitioned_leaves.hpp"
#include "core/histogram/row_order.hpp"

namespace treewright::histogram {

// Rows `first_row` and after of a table of `n_rows_of_all`. `table`, of these rows alone, must
// outlive it.
class TreePartition {
public:
    TreePartition(const BinnedTable& table, std::size_t first_row, std::size_t n_rows_of_all,
                  int n_threads);

    // Rows are counted if wanted, unless every row counts 1 in the sums.
    NodeCounts start(const Gradients& gradients, const GrownOn& drawn, const Units& units,
                     std::uint64_t draw, bool counts_rows);
    // With the gradients of `start`.
    NodeCounts divide(std::span<const NodeDivision> divisions, const Gradients& gradients,
                      const std::function<void()>& check);
    std::vector<std::uint32_t> count_rows(std::span<const std::uint32_t> nodes) const;
    // The number of each row's leaf among these nodes; the largest number for none.
    std::vector<std::uint32_t> leaf_of_rows(std::span<const std::uint32_t> nodes) const;
    // Adds the values of leaves to the scores of the rows that the tree was grown on.
    void add_values(std::span<const std::uint32_t> nodes, std::span<const double> values,
                    std::span<double> scores) const;

private:
    // A node that is not a leaf has the rows of its children: its own may be overwritten.
    struct Node {
        RowOrder::Range rows;
        std::uint32_t left = 0;  // the right child is left + 1; 0: not divided
    };
    // Some rows of a node that are sent to its children by one task.
    struct Part {
        const NodeDivision* division;
        RowOrder::Range rows;
        std::size_t n_left = 0;  // of them
    };
    const Node& node_of(std::uint32_t node) const;
    std::span<const Traveler> rows_of(std::uint32_t node) const;
    // Calls `work` with the rows of a node, in one or several pieces.
    template <class Work>
    void with_rows(std::uint32_t node, const Work& work) const;
    void check(const NodeDivision& division) const;
    std::size_t mark(const Part& part);
    void send(std::span<const NodeDivision> divisions, const std::function<void()>& check_on);
    struct Counted {
        std::uint32_t node;
        bool n_rows;  // and not only sums
    };
    void count(std::span<const Counted> nodes, NodeCounts& counts) const;
    void count_wide(std::span<const Counted> nodes, NodeCounts& counts) const;

    const BinnedTable& table_;
    WideSlots wide_;
    std::size_t first_row_, n_rows_of_all_;
    int n_threads_;
    bool counts_rows_ = false;  // apart from sums
    LargestGradients largest_;
    RowOrder order_;
    std::vector<Node> nodes_;
};

}  // namespace treewright::histogram
