#include "core/histogram/boosting/partitioned_leaves.hpp"

#include <algorithm>
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

// The counts of the larger child are those of the parent without those of the smaller one.
void take_rest(Leaf& parent, const Leaf& small, Leaf& large) {
    large.sums = std::move(parent.sums);
    if (!small.counts.empty()) large.counts = std::move(parent.counts);
    large.wide_sums = std::move(parent.wide_sums);
    large.wide_counts = std::move(parent.wide_counts);
    subtract(large.sums, small.sums);
    subtract(large.counts, small.counts);
    subtract(large.wide_sums, small.wide_sums);
    subtract(large.wide_counts, small.wide_counts);
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
    Place next;
    take_counts(found, rows_.counts_rows(), next, root);
    root.total = total_of(root.sums);
    Leaf* const leaf = &root;
    if (searches) search({&leaf, 1});
}

// The counts of the next node among those found.
void PartitionedLeaves::take_counts(const NodeCounts& found, bool has_rows, Place& next,
                                    Leaf& leaf) {
    const std::size_t n = table_.n_columns * n_slots;
    const bool takes_rows = has_rows && !units_.count_rows();
    const bool are_whole = found.sums.size() >= (next.node + 1) * n &&
                           found.n_rows.size() >= (next.with_rows + takes_rows) * n &&
                           found.wide_sums.size() >= (next.node + 1) * wide_.size &&
                           found.wide_rows.size() == found.wide_sums.size();
    if (!are_whole) throw std::invalid_argument("rows: counts of another number of nodes");
    leaf.sums = fresh_sums();
    std::copy_n(found.sums.data() + next.node * n, n, leaf.sums.data());
    const std::size_t at = next.node * wide_.size;
    leaf.wide_sums.assign(found.wide_sums.data() + at, found.wide_sums.data() + at + wide_.size);
    leaf.wide_counts.assign(found.wide_rows.data() + at, found.wide_rows.data() + at + wide_.size);
    ++next.node;
    if (!takes_rows) return;
    const std::uint32_t* const n_rows = found.n_rows.data() + next.with_rows * n;
    leaf.counts.assign(n_rows, n_rows + n);
    ++next.with_rows;
}

void PartitionedLeaves::count_rows(const Leaf& leaf, int column,
                                   std::span<std::uint32_t, n_slots> counts) const {
    if (!has_counts(leaf)) {
        lacked_counts_[leaf.node] = 1;
        std::ranges::fill(counts, 0u);
        return;
    }
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

// How many rows go left if the second derivatives of all rows are equal.
std::size_t PartitionedLeaves::guess_left(const Leaf& leaf, const NodeDivision& division) const {
    const Sum* const sums = leaf.sums.data() + division.column * n_slots;
    double left = 0, all = 0;
    for (std::size_t bin = 0; bin < n_slots; ++bin) {
        all += hessian_of(sums[bin]);
        left += division.goes_left[bin] ? hessian_of(sums[bin]) : 0;
    }
    const auto n = static_cast<double>(leaf.range.size());
    return static_cast<std::size_t>(all > 0 ? n * (left / all) : n / 2);
}

// Searches that turn out to need numbers of rows are begun again with them.
void PartitionedLeaves::search(std::span<Leaf* const> leaves) const {
    lacked_counts_.assign(exact_.size(), 0);
    const auto search_all = [&](std::span<Leaf* const> some) {
        run_tasks(some.size(), task_.n_threads, [&](std::size_t i, int worker) {
            Leaf& leaf = *some[i];
            if (!may_split(leaf)) return;
            leaf.split = better_split(leaf, {}, columns_for(leaf), 0, table_.n_columns, worker);
        });
    };
    search_all(leaves);
    std::vector<Leaf*> again;
    std::vector<std::uint32_t> nodes;
    for (Leaf* const leaf : leaves) {
        if (!lacked_counts_[leaf->node]) continue;
        again.push_back(leaf);
        nodes.push_back(leaf->node);
    }
    if (again.empty()) return;
    const std::vector<std::uint32_t> n_rows = rows_.count_rows(nodes);
    const std::size_t n = table_.n_columns * n_slots;
    if (n_rows.size() != again.size() * n) {
        throw std::invalid_argument("rows: numbers of another number of nodes");
    }
    for (std::size_t i = 0; i < again.size(); ++i) {
        again[i]->counts.assign(n_rows.data() + i * n, n_rows.data() + (i + 1) * n);
    }
    search_all(again);
}

// Decides what is counted of the children. `n_left` is a guess if the parent's rows are not counted.
void PartitionedLeaves::want_counts(Division& division, std::size_t n_left,
                                    NodeDivision& own) const {
    const Leaf& parent = *division.parent;
    const std::size_t n_right = parent.range.size() - std::min(n_left, parent.range.size());
    own.right_is_small = n_right < n_left;
    if (division.searches && parent.depth + 1 >= task_.settings.max_depth) division.counts = false;
    if (division.searches && has_counts(parent)) make_children(division, n_left, 0);
    if (!division.counts) return;
    const bool counts_rows = division.searches && !units_.count_rows();
    own.of_small = {true, counts_rows && std::min(n_left, n_right) <= few_rows_};
    if (has_counts(parent)) return;  // of the other child they are the rest
    const bool few = counts_rows && std::max(n_left, n_right) <= few_rows_;
    own.of_large = {few, few};
}

std::vector<NodeDivision> PartitionedLeaves::asked(std::span<Division> divisions) {
    std::vector<NodeDivision> all(divisions.size());
    for (std::size_t i = 0; i < divisions.size(); ++i) {
        Division& division = divisions[i];
        const Leaf& parent = *division.parent;
        const GradientSplit& split = *division.split;
        NodeDivision& own = all[i];
        own.parent = parent.node;
        own.column = static_cast<std::uint32_t>(split.column);
        own.goes_left = split.goes_left;
        own.wide_sides = wide_sides(table_.columns[own.column], split);
        own.left = static_cast<std::uint32_t>(exact_.size());
        const bool is_known = has_counts(parent) || !own.wide_sides.empty();
        want_counts(division, is_known ? count_left(parent, own) : guess_left(parent, own), own);
        exact_.resize(exact_.size() + 2);
    }
    return all;
}

void PartitionedLeaves::divide(std::span<Division> divisions) {
    const std::vector<NodeDivision> all = asked(divisions);
    const NodeCounts found = rows_.divide(all);
    if (found.exact.size() != all.size() || found.n_left.size() != all.size()) {
        throw std::invalid_argument("rows: sums of another number of nodes");
    }
    Place next;
    std::vector<Leaf*> searched;
    for (std::size_t i = 0; i < all.size(); ++i) {
        Division& division = divisions[i];
        const NodeDivision& own = all[i];
        Leaf& parent = *division.parent;
        if (found.n_left[i] < 0 || as_index(found.n_left[i]) > parent.range.size()) {
            throw std::invalid_argument("rows: more than the node has");
        }
        make_children(division, as_index(found.n_left[i]), 0);
        division.left.node = own.left;
        division.right.node = own.left + 1;
        Leaf& small = own.right_is_small ? division.right : division.left;
        Leaf& large = own.right_is_small ? division.left : division.right;
        exact_[small.node] = found.exact[i];
        exact_[large.node] = exact_[parent.node];
        exact_[large.node] -= found.exact[i];
        if (!own.of_small.sums) continue;
        take_counts(found, own.of_small.n_rows, next, small);
        if (own.of_large.sums) {
            take_counts(found, own.of_large.n_rows, next, large);
        } else {
            take_rest(parent, small, large);
        }
        if (division.searches) searched.insert(searched.end(), {&small, &large});
    }
    search(searched);
    for (Division& division : divisions) {
        close(division);
        for (Leaf* child : {&division.left, &division.right}) {
            if (!division.searches || child->split.found()) continue;
            child->counts = {};
            child->wide_sums = {};
            child->wide_counts = {};
        }
    }
}

}  // namespace treewright::histogram
