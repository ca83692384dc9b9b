// A part of the rows that a tree is grown on: see partitioned_leaves.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/boosting/partitioned_leaves.hpp"

namespace treewright::histogram {

// Rows `first_row` and after of a table of `n_rows_of_all`. `table`, of these rows alone, must
// outlive it.
class TreePartition {
public:
    TreePartition(const BinnedTable& table, std::size_t first_row, std::size_t n_rows_of_all,
                  int n_threads);

    NodeCounts start(const Gradients& gradients, const GrownOn& drawn, const Units& units,
                     std::uint64_t draw);
    // With the gradients of `start`.
    NodeCounts divide(std::span<const NodeDivision> divisions, const Gradients& gradients,
                      const std::function<void()>& check);
    // The number of each row's leaf among these nodes; the largest number for none.
    std::vector<std::uint32_t> leaf_of_rows(std::span<const std::uint32_t> nodes) const;
    // Adds the values of leaves to the scores of the rows that the tree was grown on.
    void add_values(std::span<const std::uint32_t> nodes, std::span<const double> values,
                    std::span<double> scores) const;

private:
    struct Range {
        std::size_t begin = 0, end = 0;
    };
    std::span<const Traveler> rows(const Range& range) const {
        return std::span(rows_).subspan(range.begin, range.end - range.begin);
    }
    const Range& range_of(std::uint32_t node) const;
    bool goes_left(const NodeDivision& division, std::uint32_t row) const;
    void send(const NodeDivision& division);
    void count(std::span<const std::uint32_t> nodes, NodeCounts& counts) const;
    void count_wide(std::span<const std::uint32_t> nodes, NodeCounts& counts) const;

    const BinnedTable& table_;
    WideSlots wide_;
    std::size_t first_row_, n_rows_of_all_;
    int n_threads_;
    bool counts_rows_ = false;  // apart from sums
    LargestGradients largest_;
    // The rows of a node are side by side, also after they were divided: the children's are a part
    // of its range each.
    std::vector<Traveler> rows_, right_;
    std::vector<Range> range_;  // by node
};

}  // namespace treewright::histogram
