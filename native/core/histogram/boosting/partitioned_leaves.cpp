#include "core/histogram/boosting/partitioned_leaves.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {

void PartitionedLeaves::start(Leaf& root, bool searches) {
    const NodeCounts found = rows_.start(units_, draw_);
    take_counts(found, 0, root);
    root.total = total_of(root.sums);
    if (searches) search(root, 0);
}

// The counts of the node at a place among those found.
void PartitionedLeaves::take_counts(const NodeCounts& found, std::size_t place, Leaf& leaf) {
    const std::size_t n = table_.n_columns * n_slots;
    const bool are_whole = found.sums.size() >= (place + 1) * n &&
                           found.n_rows.size() == (units_.count_rows() ? 0 : found.sums.size());
    if (!are_whole) throw std::invalid_argument("rows: counts of another number of nodes");
    leaf.sums = fresh_sums();
    std::copy_n(found.sums.data() + place * n, n, leaf.sums.data());
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

std::size_t PartitionedLeaves::count_left(const Leaf& leaf, const GradientSplit& split) const {
    std::array<std::uint32_t, n_slots> counts;
    count_rows(leaf, split.column, counts);
    std::size_t n_left = 0;
    for (std::size_t bin = 0; bin < n_slots; ++bin) n_left += split.goes_left[bin] ? counts[bin] : 0;
    return n_left;
}

void PartitionedLeaves::search(Leaf& leaf, int worker) const {
    if (!may_split(leaf)) return;
    leaf.split = better_split(leaf, {}, columns_for(leaf), 0, table_.n_columns, worker);
}

// Bins say how many rows go left, so that it is known before whose rows are fewer.
void PartitionedLeaves::divide(std::span<Division> divisions) {
    using Counted = NodeDivision::Counted;
    std::vector<NodeDivision> asked(divisions.size());
    for (std::size_t i = 0; i < divisions.size(); ++i) {
        Division& division = divisions[i];
        make_children(division, count_left(*division.parent, *division.split), 0);
        Leaf &left = division.left, &right = division.right;
        left.node = std::exchange(n_nodes_, n_nodes_ + 2);
        right.node = left.node + 1;
        const Counted smaller =
            left.range.size() <= right.range.size() ? Counted::left : Counted::right;
        asked[i] = {division.parent->node, left.node,
                    static_cast<std::uint32_t>(division.split->column),
                    division.counts ? smaller : Counted::neither, division.split->goes_left};
    }
    const NodeCounts found = rows_.divide(asked);
    std::size_t place = 0;
    std::vector<Leaf*> searched;
    for (std::size_t i = 0; i < divisions.size(); ++i) {
        if (asked[i].counted == Counted::neither) continue;
        Division& division = divisions[i];
        const bool left_is_small = asked[i].counted == Counted::left;
        Leaf& small = left_is_small ? division.left : division.right;
        Leaf& large = left_is_small ? division.right : division.left;
        take_counts(found, place++, small);
        large.sums = std::move(division.parent->sums);
        large.counts = std::move(division.parent->counts);
        for (std::size_t at = 0; at < small.sums.size(); ++at) large.sums[at] -= small.sums[at];
        for (std::size_t at = 0; at < small.counts.size(); ++at) {
            large.counts[at] -= small.counts[at];
        }
        if (division.searches) searched.insert(searched.end(), {&small, &large});
    }
    run_tasks(searched.size(), task_.n_threads,
              [&](std::size_t i, int worker) { search(*searched[i], worker); });
    for (Division& division : divisions) close(division);
}

}  // namespace treewright::histogram
