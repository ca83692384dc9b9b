#include "core/histogram/boosting/tree_partition.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/boosting/counting.hpp"
#include "core/parallel/row_shares.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t least_sent = 4'096;  // rows that are worth a task

}  // namespace

TreePartition::TreePartition(const BinnedTable& table, std::size_t first_row,
                             std::size_t n_rows_of_all, int n_threads)
    : table_(table),
      wide_(table),
      first_row_(first_row),
      n_rows_of_all_(n_rows_of_all),
      n_threads_(usable_threads(n_threads)) {}

const TreePartition::Node& TreePartition::node_of(std::uint32_t node) const {
    if (node >= nodes_.size()) throw std::invalid_argument("node: not in this tree");
    return nodes_[node];
}

std::span<const Traveler> TreePartition::rows_of(std::uint32_t node) const {
    return order_.rows(node_of(node).rows);
}

template <class Work>
void TreePartition::with_rows(std::uint32_t node, const Work& work) const {
    std::vector<std::uint32_t> open{node};
    while (!open.empty()) {
        const std::uint32_t next = open.back();
        open.pop_back();
        const std::uint32_t left = node_of(next).left;
        if (left == 0) {
            work(rows_of(next));
        } else {
            open.insert(open.end(), {left, left + 1});
        }
    }
}

NodeCounts TreePartition::start(const Gradients& gradients, const GrownOn& drawn,
                                const Units& units, std::uint64_t draw, bool counts_rows) {
    constexpr int n_copies = 2;
    Traveler* const rows = order_.start(drawn.size(), n_copies);
    pack_rows(gradients, drawn, units, draw + first_row_, n_threads_, rows);
    counts_rows_ = !units.count_rows();
    largest_ = units.largest;
    nodes_.assign(1, {order_.all()});
    NodeCounts counts;
    const Counted root{0, counts_rows && counts_rows_};
    count({&root, 1}, counts);
    counts.exact.push_back(add_up_rows(rows_of(root.node), gradients, largest_, n_rows_of_all_));
    return counts;
}

NodeCounts TreePartition::divide(std::span<const NodeDivision> divisions,
                                 const Gradients& gradients,
                                 const std::function<void()>& check_on) {
    send(divisions, check_on);
    std::vector<Counted> counted;
    NodeCounts counts;
    for (const NodeDivision& division : divisions) {
        const auto add = [&](std::uint32_t node, const NodeDivision::Wanted& wanted) {
            if (wanted.sums) counted.push_back({node, wanted.n_rows && counts_rows_});
        };
        add(division.small(), division.of_small);
        add(division.large(), division.of_large);
        counts.n_left.push_back(static_cast<std::int64_t>(rows_of(division.left).size()));
    }
    check_on();
    count(counted, counts);
    counts.exact.resize(divisions.size());
    run_tasks(divisions.size(), n_threads_, [&](std::size_t i, int) {
        counts.exact[i] =
            add_up_rows(rows_of(divisions[i].small()), gradients, largest_, n_rows_of_all_);
    });
    return counts;
}

std::vector<std::uint32_t> TreePartition::count_rows(
    std::span<const std::uint32_t> nodes) const {
    std::vector<Counted> counted;
    for (const std::uint32_t node : nodes) counted.push_back({node, true});
    NodeCounts counts;
    count(counted, counts);
    return std::move(counts.n_rows);
}

void TreePartition::check(const NodeDivision& division) const {
    if (node_of(division.parent).left != 0) throw std::invalid_argument("node: divided before");
    if (division.left == 0) throw std::invalid_argument("node: the root is no child");
    if (division.column >= table_.n_columns) throw std::invalid_argument("column: no such column");
    const BinnedColumn& column = table_.columns[division.column];
    const std::size_t n_sides = column.is_wide() ? as_index(column.n_bins) + 1 : 0;
    if (division.wide_sides.size() != n_sides) throw std::invalid_argument("sides: one per level");
}

std::size_t TreePartition::mark(const Part& part) {
    const NodeDivision& division = *part.division;
    if (division.wide_sides.empty()) {
        return order_.mark(part.rows, table_.column(division.column), division.goes_left);
    }
    return order_.mark(part.rows, table_.wide[division.column].data(), division.wide_sides);
}

// Rows stay ascending in both children.
void TreePartition::send(std::span<const NodeDivision> divisions,
                         const std::function<void()>& check_on) {
    std::vector<Part> parts;
    for (const NodeDivision& division : divisions) {
        check(division);
        const RowOrder::Range& rows = nodes_[division.parent].rows;
        const RowShares shares = share_rows(rows.size(), n_threads_, least_sent);
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const RowOrder::Range own{rows.begin + shares.begin(i), rows.begin + shares.end(i),
                                      rows.copy};
            parts.push_back({&division, own});
        }
        nodes_.resize(std::max<std::size_t>(nodes_.size(), division.left + std::size_t{2}));
    }
    check_on();
    run_tasks(parts.size(), n_threads_,
              [&](std::size_t i, int) { parts[i].n_left = mark(parts[i]); });
    std::vector<std::size_t> n_left(parts.size());  // of the node, in all parts before
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const NodeDivision& division = *parts[i].division;
        if (i > 0 && parts[i - 1].division == &division) {
            n_left[i] = n_left[i - 1] + parts[i - 1].n_left;
        }
        Node& parent = nodes_[division.parent];
        const RowOrder::Range& rows = parent.rows;
        const std::size_t middle = rows.begin + n_left[i] + parts[i].n_left;  // of the last part
        nodes_[division.left] = {{rows.begin, middle, order_.after(rows.copy)}};
        nodes_[division.left + 1] = {{middle, rows.end, order_.after(rows.copy)}};
        parent.left = division.left;
    }
    check_on();
    run_tasks(parts.size(), n_threads_, [&](std::size_t i, int) {
        const RowOrder::Range& left = nodes_[parts[i].division->left].rows;
        const std::size_t n_before = parts[i].rows.begin - left.begin;
        order_.send(parts[i].rows, left.begin + n_left[i], left.end + n_before - n_left[i]);
    });
}

// Tasks are all columns of a node, or some of them if there are several threads.
void TreePartition::count(std::span<const Counted> nodes, NodeCounts& counts) const {
    const std::size_t n_of_node = table_.n_columns * n_slots;
    std::vector<std::size_t> first_number(nodes.size());  // of rows
    std::size_t n_numbers = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        first_number[i] = n_numbers;
        n_numbers += nodes[i].n_rows ? n_of_node : 0;
    }
    counts.sums.assign(nodes.size() * n_of_node, 0);
    counts.n_rows.assign(n_numbers, 0);
    const std::size_t width =
        n_threads_ > 1 ? columns_at_once / 2 : std::max<std::size_t>(1, table_.n_columns);
    const std::size_t n_blocks = (table_.n_columns + width - 1) / width;
    run_tasks(nodes.size() * n_blocks, n_threads_, [&](std::size_t i, int) {
        const std::size_t at = i / n_blocks, first = i % n_blocks * width;
        const std::size_t n = std::min(width, table_.n_columns - first);
        add_rows(table_, first, n, rows_of(nodes[at].node),
                 counts.sums.data() + at * n_of_node + first * n_slots,
                 nodes[at].n_rows ? counts.n_rows.data() + first_number[at] + first * n_slots
                                  : nullptr);
    });
    if (wide_.size > 0) count_wide(nodes, counts);
}

void TreePartition::count_wide(std::span<const Counted> nodes, NodeCounts& counts) const {
    counts.wide_sums.assign(nodes.size() * wide_.size, 0);
    counts.wide_rows.assign(counts.wide_sums.size(), 0);
    run_tasks(nodes.size() * table_.n_columns, n_threads_, [&](std::size_t i, int) {
        const std::size_t node = i / table_.n_columns, c = i % table_.n_columns;
        if (!table_.columns[c].is_wide()) return;
        const std::size_t n_levels = as_index(table_.columns[c].n_bins);
        const std::size_t first = node * wide_.size + wide_.first[c];
        for (const Traveler row : rows_of(nodes[node].node)) {
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
        with_rows(nodes[leaf], [&](std::span<const Traveler> rows) {
            for (const Traveler row : rows) {
                leaf_of_row[row_of(row)] = static_cast<std::uint32_t>(leaf);
            }
        });
    }
    return leaf_of_row;
}

void TreePartition::add_values(std::span<const std::uint32_t> nodes,
                               std::span<const double> values, std::span<double> scores) const {
    if (values.size() != nodes.size()) throw std::invalid_argument("values: one for each leaf");
    run_tasks(nodes.size(), n_threads_, [&](std::size_t leaf, int) {
        with_rows(nodes[leaf], [&](std::span<const Traveler> rows) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const std::size_t later = std::min(i + rows_ahead, rows.size() - 1);
                __builtin_prefetch(scores.data() + row_of(rows[later]));
                scores[row_of(rows[i])] += values[leaf];
            }
        });
    });
}

}  // namespace treewright::histogram
