// A part of the rows that a tree is grown on: see partitioned_leaves.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/boosting/partitioned_leaves.hpp"

namespace treewright::histogram {

// Rows `first_row` and after of a larger table. `table` must outlive it, and has no wide columns.
class TreePartition {
public:
    TreePartition(const BinnedTable& table, std::size_t first_row, int n_threads);

    NodeCounts start(const Gradients& gradients, const Units& units, std::uint64_t draw);
    NodeCounts divide(std::span<const NodeDivision> divisions, const std::function<void()>& check);
    std::vector<LeafSums> add_up(std::span<const std::uint32_t> nodes, const Gradients& gradients,
                                 const LargestGradients& largest, std::size_t n_rows_of_all);
    // After `add_up`: adds the values of the leaves, in that order, to the scores of their rows.
    void add_values(std::span<const double> values, std::span<double> scores) const;

private:
    struct Range {
        std::size_t begin = 0, end = 0;
    };
    std::span<Traveler> rows(const Range& range) {
        return std::span(rows_).subspan(range.begin, range.end - range.begin);
    }
    const Range& range_of(std::uint32_t node) const;
    void send(const NodeDivision& division);
    void count(std::span<const std::uint32_t> nodes, NodeCounts& counts);

    const BinnedTable& table_;
    std::size_t first_row_;
    int n_threads_;
    bool counts_rows_ = false;  // apart from sums
    // The rows of a node are side by side, also after they were divided: the children's are a part
    // of its range each.
    std::vector<Traveler> rows_, right_;
    std::vector<Range> range_;  // by node
    std::vector<std::uint32_t> leaf_of_row_;
};

}  // namespace treewright::histogram
