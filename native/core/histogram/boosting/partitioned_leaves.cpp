#include "core/histogram/boosting/partitioned_leaves.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/boosting/split_writing.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

template <class Number>
void subtract(std::vector<Number>& from, const std::vector<Number>& numbers) {
    for (std::size_t at = 0; at < from.size(); ++at) from[at] -= numbers[at];
}

}  // namespace

WideSlots::WideSlots(const BinnedTable& table) {
    for (const BinnedColumn& column : table.columns) {
        first.push_back(size);
        if (column.is_wide()) size += as_index(column.n_bins) + 1;
    }
}

void PartitionedLeaves::start(Leaf& root, bool searches) {
    const NodeCounts found = rows_.start(units_, draw_);
    if (found.exact.size() != 1) {
        throw std::invalid_argument("rows: sums of another number of nodes");
    }
    exact_ = found.exact;
    take_counts(found, 0, root);
    root.total = total_of(root.sums);
    if (searches) search(root, 0);
}

// The counts of the node at a place among those found.
void PartitionedLeaves::take_counts(const NodeCounts& found, std::size_t place, Leaf& leaf) {
    const std::size_t n = table_.n_columns * n_slots;
    const bool are_whole = found.sums.size() >= (place + 1) * n &&
                           found.n_rows.size() == (units_.count_rows() ? 0 : found.sums.size()) &&
                           found.wide_sums.size() >= (place + 1) * wide_.size &&
                           found.wide_rows.size() == found.wide_sums.size();
    if (!are_whole) throw std::invalid_argument("rows: counts of another number of nodes");
    leaf.sums = fresh_sums();
    std::copy_n(found.sums.data() + place * n, n, leaf.sums.data());
    const std::size_t at = place * wide_.size;
    leaf.wide_sums.assign(found.wide_sums.data() + at, found.wide_sums.data() + at + wide_.size);
    leaf.wide_counts.assign(found.wide_rows.data() + at, found.wide_rows.data() + at + wide_.size);
    if (units_.count_rows()) return;
    const std::uint32_t* const n_rows = found.n_rows.data() + place * n;
    leaf.counts.assign(n_rows, n_rows + n);
}

void PartitionedLeaves::count_rows(const Leaf& leaf, int column,
                                   std::span<std::uint32_t, n_slots> counts) const {
    const std::size_t first = as_index(column) * n_slots;
    for (std::size_t bin = 0; bin < n_slots; ++bin) {
        counts[bin] = units_.count_rows() ? static_cast<std::uint32_t>(leaf.sums[first + bin])
                                          : leaf.counts[first + bin];
    }
}

WideSums PartitionedLeaves::wide_sums(const Leaf& leaf, std::size_t column, WideScratch&) const {
    const auto n_levels = as_index(table_.columns[column].n_bins);
    const Sum* const sums = leaf.wide_sums.data() + wide_.first[column];
    const std::uint32_t* const n_rows = leaf.wide_counts.data() + wide_.first[column];
    WideSums found;
    found.missing = sums[n_levels];
    found.n_missing = n_rows[n_levels];
    for (std::size_t level = 0; level < n_levels; ++level) {
        if (n_rows[level] == 0) continue;
        found.level.push_back(static_cast<std::uint32_t>(level));
        found.sum.push_back(sums[level]);
        found.n_rows.push_back(n_rows[level]);
    }
    return found;
}

std::size_t PartitionedLeaves::count_left(const Leaf& leaf, const NodeDivision& division) const {
    std::size_t n_left = 0;
    if (!division.wide_sides.empty()) {
        const std::uint32_t* const n_rows = leaf.wide_counts.data() + wide_.first[division.column];
        for (std::size_t level = 0; level < division.wide_sides.size(); ++level) {
            n_left += division.wide_sides[level] ? n_rows[level] : 0;
        }
        return n_left;
    }
    std::array<std::uint32_t, n_slots> counts;
    count_rows(leaf, static_cast<int>(division.column), counts);
    for (std::size_t bin = 0; bin < n_slots; ++bin) {
        n_left += division.goes_left[bin] ? counts[bin] : 0;
    }
    return n_left;
}

void PartitionedLeaves::search(Leaf& leaf, int worker) const {
    if (!may_split(leaf)) return;
    leaf.split = better_split(leaf, {}, columns_for(leaf), 0, table_.n_columns, worker);
}

// Bins say how many rows go left, so that it is known before whose rows are fewer.
std::vector<NodeDivision> PartitionedLeaves::asked(std::span<Division> divisions) {
    std::vector<NodeDivision> all(divisions.size());
    for (std::size_t i = 0; i < divisions.size(); ++i) {
        Division& division = divisions[i];
        const GradientSplit& split = *division.split;
        NodeDivision& own = all[i];
        own.parent = division.parent->node;
        own.column = static_cast<std::uint32_t>(split.column);
        own.goes_left = split.goes_left;
        own.wide_sides = wide_sides(table_.columns[own.column], split);
        make_children(division, count_left(*division.parent, own), 0);
        own.left = division.left.node = static_cast<std::uint32_t>(exact_.size());
        division.right.node = own.left + 1;
        own.right_is_small = division.right.range.size() < division.left.range.size();
        own.counts = division.counts;
        exact_.resize(exact_.size() + 2);
    }
    return all;
}

void PartitionedLeaves::divide(std::span<Division> divisions) {
    const std::vector<NodeDivision> all = asked(divisions);
    const NodeCounts found = rows_.divide(all);
    if (found.exact.size() != all.size()) {
        throw std::invalid_argument("rows: sums of another number of nodes");
    }
    std::size_t place = 0;
    std::vector<Leaf*> searched;
    for (std::size_t i = 0; i < all.size(); ++i) {
        Division& division = divisions[i];
        Leaf& parent = *division.parent;
        Leaf& small = all[i].right_is_small ? division.right : division.left;
        Leaf& large = all[i].right_is_small ? division.left : division.right;
        exact_[small.node] = found.exact[i];
        exact_[large.node] = exact_[parent.node];
        exact_[large.node] -= found.exact[i];
        if (!all[i].counts) continue;
        take_counts(found, place++, small);
        large.sums = std::move(parent.sums);
        large.counts = std::move(parent.counts);
        large.wide_sums = std::move(parent.wide_sums);
        large.wide_counts = std::move(parent.wide_counts);
        subtract(large.sums, small.sums);
        subtract(large.counts, small.counts);
        subtract(large.wide_sums, small.wide_sums);
        subtract(large.wide_counts, small.wide_counts);
        if (division.searches) searched.insert(searched.end(), {&small, &large});
    }
    run_tasks(searched.size(), task_.n_threads,
              [&](std::size_t i, int worker) { search(*searched[i], worker); });
    for (Division& division : divisions) {
        close(division);
        for (Leaf* child : {&division.left, &division.right}) {
            if (!division.searches || child->split.found()) continue;
            child->wide_sums = {};
            child->wide_counts = {};
        }
    }
}

}  // namespace treewright::histogram
