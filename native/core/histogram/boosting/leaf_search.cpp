#include "core/histogram/boosting/leaf_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/boosting/level_question.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright::histogram {
namespace {

// Work below this is done by one thread: to call another takes longer. A column is searched in the
// time in which so many of its cells are counted.
constexpr std::size_t cells_worth_threads = 20'000;
constexpr std::size_t cells_of_search = 1'000;

// Leaves of fewer rows take too little time to be interrupted.
constexpr std::size_t rows_worth_a_check = 10'000;

Sum total_of(const Leaf& leaf) {
    Sum total = 0;
    const std::size_t n = std::min<std::size_t>(leaf.sums.size(), n_slots);
    for (std::size_t bin = 0; bin < n; ++bin) total += leaf.sums[bin];
    return total;
}

void take_best(GradientSplit& best, std::vector<GradientSplit>& found) {
    for (GradientSplit& split : found) {
        const bool earlier = split.strength == best.strength && split.column < best.column;
        if (split.strength > best.strength || earlier) best = std::move(split);
    }
}

struct Children {
    Leaf& small;
    Leaf& large;
};
Children by_size(Leaf& left, Leaf& right) {
    if (left.range.size() <= right.range.size()) return {left, right};
    return {right, left};
}

}  // namespace

ColumnGroups::ColumnGroups(std::span<const double> gain_so_far)
    : n_groups_((gain_so_far.size() + columns_at_once - 1) / columns_at_once),
      width_(n_groups_ == 0 ? 0 : (gain_so_far.size() + n_groups_ - 1) / n_groups_),
      order_(gain_so_far.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    for (std::size_t group = 0; group < n_groups_; ++group) {
        std::ranges::stable_sort(std::span(order_).subspan(first(group), end(group) - first(group)),
                                 std::ranges::greater{},
                                 [&](std::int32_t c) { return gain_so_far[as_index(c)]; });
    }
}

std::size_t ColumnGroups::end(std::size_t group) const {
    return std::min(order_.size(), first(group) + width_);
}

int LeafSearch::threads_for(const Leaf& leaf) const {
    const std::size_t cells = (leaf.range.size() + cells_of_search) * table_.n_columns;
    return cells < cells_worth_threads ? 1 : task_.n_threads;
}

std::vector<Sum> LeafSearch::fresh_sums() {
    if (memory_.spare_sums.empty()) return std::vector<Sum>(table_.n_columns * n_slots);
    std::vector<Sum> sums = std::move(memory_.spare_sums.back());
    memory_.spare_sums.pop_back();
    return sums;
}

void LeafSearch::put_away(std::vector<Sum>& sums) {
    if (!sums.empty()) memory_.spare_sums.push_back(std::move(sums));
    sums.clear();
}

// Asks whether to go on, where what comes next takes long enough.
void LeafSearch::ask_before(const Leaf& leaf) const {
    if (leaf.range.size() >= rows_worth_a_check) task_.check();
}

bool LeafSearch::may_split(const Leaf& leaf) const {
    return leaf.depth < task_.settings.max_depth &&
           static_cast<double>(leaf.range.size()) >= 2 * task_.settings.limits.min_samples_leaf;
}

ColumnChoice::Marks LeafSearch::columns_for(const Leaf& leaf) const {
    if (task_.choice.is_free()) return {};
    return task_.choice.columns_for(leaf.groups, leaf.slot);
}

void LeafSearch::count(Leaf& leaf, std::size_t group) {
    ask_before(leaf);
    const std::size_t first = task_.groups.first(group), end = task_.groups.end(group);
    Sum* sums = leaf.sums.data() + first * n_slots;
    std::fill(sums, leaf.sums.data() + end * n_slots, 0);
    add_rows(table_, first, end - first, order_.rows(leaf.range), sums);
}

// Of two children, `rest` has the sums of their parent and `taken` its own already.
void LeafSearch::count_rest(const Leaf& taken, Leaf& rest, std::size_t group) {
    if (!takes(ShortCut::smaller_side)) return count(rest, group);
    const std::size_t end = task_.groups.end(group) * n_slots;
    for (std::size_t i = task_.groups.first(group) * n_slots; i < end; ++i) {
        rest.sums[i] -= taken.sums[i];
    }
}

void LeafSearch::count_root(Leaf& leaf) {
    leaf.sums = fresh_sums();
    run_tasks(task_.groups.size(), threads_for(leaf),
              [&](std::size_t group, int) { count(leaf, group); });
    leaf.total = total_of(leaf);
}

void LeafSearch::count_children(Leaf& parent, Leaf& left, Leaf& right) {
    const auto [small, large] = by_size(left, right);
    small.sums = fresh_sums();
    large.sums = std::move(parent.sums);
    run_tasks(task_.groups.size(), threads_for(small), [&](std::size_t group, int) {
        count(small, group);
        count_rest(small, large, group);
    });
    left.total = total_of(left);
    right.total = total_of(right);
}

void LeafSearch::search_group(const Leaf& leaf, const ColumnChoice::Marks& may_ask,
                              std::size_t group, int worker, GradientSplit& best) {
    if (!may_split(leaf)) return;
    ask_before(leaf);
    GrowerMemory::Worker& scratch = memory_.workers[as_index(worker)];
    scratch.numbers.clear();
    const SearchedNode node = leaf.searched();
    for (const std::int32_t number : task_.groups.in_order(group)) {
        if (!may_ask.empty() && !may_ask[as_index(number)]) continue;
        const BinnedColumn& column = table_.columns[as_index(number)];
        if (column.is_wide()) {
            const auto n_levels = static_cast<std::size_t>(column.n_bins);
            task_.search.search_wide(number,
                                     add_wide_rows(table_.wide[as_index(number)], n_levels,
                                                   order_.rows(leaf.range), scratch.wide),
                                     node, best);
        } else {
            scratch.numbers.push_back(number);
        }
    }
    const CountRows count_rows = [&](int column, std::span<std::uint32_t, n_slots> counts) {
        const std::uint8_t* bins = table_.column(as_index(column));
        for (const Traveler row : order_.rows(leaf.range)) ++counts[bins[row_of(row)]];
    };
    task_.search.search(
        {table_.columns, task_.settings.monotone, scratch.numbers, leaf.sums.data()}, node,
        count_rows, scratch.search, best);
}

void LeafSearch::search(Leaf& leaf) {
    const int n_threads = threads_for(leaf);
    std::vector<GradientSplit> found(n_threads > 1 ? task_.groups.size() : 1);
    const ColumnChoice::Marks may_ask = columns_for(leaf);
    run_tasks(task_.groups.size(), n_threads, [&](std::size_t group, int worker) {
        search_group(leaf, may_ask, group, worker, found[group % found.size()]);
    });
    take_best(leaf.split, found);
}

void LeafSearch::search_children(Leaf& parent, Leaf& left, Leaf& right) {
    const auto [small, large] = by_size(left, right);
    if (!may_split(large)) {
        put_away(parent.sums);
        return;
    }
    small.sums = fresh_sums();
    large.sums = std::move(parent.sums);
    // One thread goes on from the best so far; of several threads, each starts from nothing.
    const int n_threads = threads_for(small);
    const std::size_t n_found = n_threads > 1 ? task_.groups.size() : 1;
    std::vector<GradientSplit> of_small(n_found), of_large(n_found);
    const ColumnChoice::Marks for_small = columns_for(small), for_large = columns_for(large);
    run_tasks(task_.groups.size(), n_threads, [&](std::size_t group, int worker) {
        count(small, group);
        count_rest(small, large, group);
        search_group(small, for_small, group, worker, of_small[group % n_found]);
        search_group(large, for_large, group, worker, of_large[group % n_found]);
    });
    take_best(small.split, of_small);
    take_best(large.split, of_large);
    if (!small.split.found()) put_away(small.sums);
    if (!large.split.found()) put_away(large.sums);
}

GradientSplit LeafSearch::best_question(const std::vector<Leaf>& level) {
    std::vector<LevelNode> nodes;
    double undivided = 0;
    for (const Leaf& leaf : level) {
        if (leaf.range.size() == 0) continue;
        nodes.push_back({leaf.searched(), leaf.sums.data(), order_.rows(leaf.range)});
        undivided += task_.search.worth(leaf.searched());
    }
    const double enough = task_.search.enough(undivided);
    const ColumnChoice::Marks columns = columns_for(level.front());
    std::vector<GradientSplit> found(table_.n_columns);
    run_tasks(table_.n_columns, task_.n_threads, [&](std::size_t c, int worker) {
        if (!columns.empty() && !columns[c]) return;
        search_level(task_.search, table_, static_cast<int>(c), task_.settings.monotone[c], nodes,
                     enough, memory_.workers[as_index(worker)].wide, found[c]);
    });
    GradientSplit best;
    take_best(best, found);
    return best;
}

}  // namespace treewright::histogram
