#include "core/histogram/boosting/tree_partition.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/boosting/counting.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {

TreePartition::TreePartition(const BinnedTable& table, std::size_t first_row,
                             std::size_t n_rows_of_all, int n_threads)
    : table_(table),
      wide_(table),
      first_row_(first_row),
      n_rows_of_all_(n_rows_of_all),
      n_threads_(usable_threads(n_threads)) {}

const TreePartition::Range& TreePartition::range_of(std::uint32_t node) const {
    if (node >= range_.size()) throw std::invalid_argument("node: not in this tree");
    return range_[node];
}

NodeCounts TreePartition::start(const Gradients& gradients, const GrownOn& drawn,
                                const Units& units, std::uint64_t draw) {
    rows_.resize(drawn.size());
    pack_rows(gradients, drawn, units, draw + first_row_, n_threads_, rows_.data());
    counts_rows_ = !units.count_rows();
    largest_ = units.largest;
    range_.assign(1, {0, rows_.size()});
    NodeCounts counts;
    const std::uint32_t root = 0;
    count({&root, 1}, counts);
    counts.exact.push_back(add_up_rows(rows_, gradients, largest_, n_rows_of_all_));
    return counts;
}

NodeCounts TreePartition::divide(std::span<const NodeDivision> divisions,
                                 const Gradients& gradients, const std::function<void()>& check) {
    std::vector<std::uint32_t> counted;
    for (const NodeDivision& division : divisions) {
        check();
        send(division);
        if (division.counts) counted.push_back(division.small());
    }
    check();
    NodeCounts counts;
    count(counted, counts);
    counts.exact.resize(divisions.size());
    run_tasks(divisions.size(), n_threads_, [&](std::size_t i, int) {
        counts.exact[i] = add_up_rows(rows(range_[divisions[i].small()]), gradients, largest_,
                                      n_rows_of_all_);
    });
    return counts;
}

bool TreePartition::goes_left(const NodeDivision& division, std::uint32_t row) const {
    if (division.wide_sides.empty()) return division.goes_left[table_.column(division.column)[row]];
    const std::size_t code = table_.wide[division.column][row];
    return division.wide_sides[std::min(code, division.wide_sides.size() - 1)];
}

// Rows stay ascending in both children.
void TreePartition::send(const NodeDivision& division) {
    const Range parent = range_of(division.parent);
    if (division.column >= table_.n_columns) throw std::invalid_argument("column: no such column");
    const BinnedColumn& column = table_.columns[division.column];
    const std::size_t n_sides = column.is_wide() ? as_index(column.n_bins) + 1 : 0;
    if (division.wide_sides.size() != n_sides) throw std::invalid_argument("sides: one per level");
    right_.clear();
    std::size_t to = parent.begin;
    for (std::size_t i = parent.begin; i < parent.end; ++i) {
        const Traveler row = rows_[i];
        if (goes_left(division, row_of(row))) {
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
void TreePartition::count(std::span<const std::uint32_t> nodes, NodeCounts& counts) const {
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
    if (wide_.size > 0) count_wide(nodes, counts);
}

void TreePartition::count_wide(std::span<const std::uint32_t> nodes, NodeCounts& counts) const {
    counts.wide_sums.assign(nodes.size() * wide_.size, 0);
    counts.wide_rows.assign(counts.wide_sums.size(), 0);
    run_tasks(nodes.size() * table_.n_columns, n_threads_, [&](std::size_t i, int) {
        const std::size_t node = i / table_.n_columns, c = i % table_.n_columns;
        if (!table_.columns[c].is_wide()) return;
        const std::size_t n_levels = as_index(table_.columns[c].n_bins);
        const std::size_t first = node * wide_.size + wide_.first[c];
        for (const Traveler row : rows(range_[nodes[node]])) {
            const std::size_t code = table_.wide[c][row_of(row)];
            const std::size_t at = first + std::min(code, n_levels);
            counts.wide_sums[at] += sum_of(row);
            ++counts.wide_rows[at];
        }
    });
}

std::vector<std::uint32_t> TreePartition::leaf_of_rows(
    std::span<const std::uint32_t> nodes) const {
    std::vector<std::uint32_t> leaf_of_row(table_.n_rows,
                                           std::numeric_limits<std::uint32_t>::max());
    for (std::size_t leaf = 0; leaf < nodes.size(); ++leaf) {
        for (const Traveler row : rows(range_of(nodes[leaf]))) {
            leaf_of_row[row_of(row)] = static_cast<std::uint32_t>(leaf);
        }
    }
    return leaf_of_row;
}

void TreePartition::add_values(std::span<const std::uint32_t> nodes,
                               std::span<const double> values, std::span<double> scores) const {
    if (values.size() != nodes.size()) throw std::invalid_argument("values: one for each leaf");
    run_tasks(nodes.size(), n_threads_, [&](std::size_t leaf, int) {
        for (const Traveler row : rows(range_of(nodes[leaf]))) scores[row_of(row)] += values[leaf];
    });
}

}  // namespace treewright::histogram
