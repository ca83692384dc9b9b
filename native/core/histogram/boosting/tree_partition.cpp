#include "core/histogram/boosting/tree_partition.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/boosting/counting.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {

TreePartition::TreePartition(const BinnedTable& table, std::size_t first_row, int n_threads)
    : table_(table), first_row_(first_row), n_threads_(usable_threads(n_threads)) {}

const TreePartition::Range& TreePartition::range_of(std::uint32_t node) const {
    if (node >= range_.size()) throw std::invalid_argument("node: not in this tree");
    return range_[node];
}

NodeCounts TreePartition::start(const Gradients& gradients, const Units& units,
                                std::uint64_t draw) {
    rows_.resize(table_.n_rows);
    pack_rows(gradients, {{}, table_.n_rows}, units, draw + first_row_, n_threads_, rows_.data());
    counts_rows_ = !units.count_rows();
    range_.assign(1, {0, table_.n_rows});
    NodeCounts counts;
    const std::uint32_t root = 0;
    count({&root, 1}, counts);
    return counts;
}

NodeCounts TreePartition::divide(std::span<const NodeDivision> divisions,
                                 const std::function<void()>& check) {
    using Counted = NodeDivision::Counted;
    std::vector<std::uint32_t> counted;
    for (const NodeDivision& division : divisions) {
        check();
        send(division);
        if (division.counted == Counted::neither) continue;
        counted.push_back(division.left + (division.counted == Counted::right));
    }
    check();
    NodeCounts counts;
    count(counted, counts);
    return counts;
}

// Rows stay ascending in both children.
void TreePartition::send(const NodeDivision& division) {
    const Range parent = range_of(division.parent);
    if (division.column >= table_.n_columns) throw std::invalid_argument("column: no such column");
    const std::uint8_t* const bins = table_.column(division.column);
    right_.clear();
    std::size_t to = parent.begin;
    for (std::size_t i = parent.begin; i < parent.end; ++i) {
        const Traveler row = rows_[i];
        if (division.goes_left[bins[row_of(row)]]) {
            rows_[to++] = row;
        } else {
            right_.push_back(row);
        }
    }
    std::ranges::copy(right_, rows_.begin() + static_cast<std::ptrdiff_t>(to));
    range_.resize(std::max<std::size_t>(range_.size(), division.left + std::size_t{2}));
    range_[division.left] = {parent.begin, to};
    range_[division.left + 1] = {to, parent.end};
}

// Tasks are some columns of a node each.
void TreePartition::count(std::span<const std::uint32_t> nodes, NodeCounts& counts) {
    const std::size_t n_of_node = table_.n_columns * n_slots;
    counts.sums.assign(nodes.size() * n_of_node, 0);
    if (counts_rows_) counts.n_rows.assign(counts.sums.size(), 0);
    const std::size_t n_blocks = (table_.n_columns + columns_at_once - 1) / columns_at_once;
    run_tasks(nodes.size() * n_blocks, n_threads_, [&](std::size_t i, int) {
        const std::size_t node = i / n_blocks, first = i % n_blocks * columns_at_once;
        const std::size_t n = std::min(columns_at_once, table_.n_columns - first);
        const std::size_t at = node * n_of_node + first * n_slots;
        const std::span<const Traveler> of_node = rows(range_[nodes[node]]);
        add_rows(table_, first, n, of_node, counts.sums.data() + at);
        for (std::size_t c = 0; counts_rows_ && c < n; ++c) {
            const std::uint8_t* const bins = table_.column(first + c);
            std::uint32_t* const n_rows = counts.n_rows.data() + at + c * n_slots;
            for (const Traveler row : of_node) ++n_rows[bins[row_of(row)]];
        }
    });
}

std::vector<LeafSums> TreePartition::add_up(std::span<const std::uint32_t> nodes,
                                            const Gradients& gradients,
                                            const LargestGradients& largest,
                                            std::size_t n_rows_of_all) {
    leaf_of_row_.assign(table_.n_rows, std::numeric_limits<std::uint32_t>::max());
    for (std::size_t leaf = 0; leaf < nodes.size(); ++leaf) {
        for (const Traveler row : rows(range_of(nodes[leaf]))) {
            leaf_of_row_[row_of(row)] = static_cast<std::uint32_t>(leaf);
        }
    }
    return add_up_leaves(leaf_of_row_, gradients, largest, n_rows_of_all, nodes.size(), n_threads_);
}

void TreePartition::add_values(std::span<const double> values, std::span<double> scores) const {
    for (std::size_t row = 0; row < leaf_of_row_.size(); ++row) {
        const std::uint32_t leaf = leaf_of_row_[row];
        if (leaf >= values.size()) throw std::invalid_argument("values: one for each leaf");
        scores[row] += values[leaf];
    }
}

}  // namespace treewright::histogram
