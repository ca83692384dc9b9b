#include "core/histogram/boosting/leaf_work.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/arithmetic/random.hpp"
#include "core/histogram/boosting/level_question.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {

Sum total_of(std::span<const Sum> sums) {
    const auto first = sums.first(std::min<std::size_t>(sums.size(), n_slots));
    return std::accumulate(first.begin(), first.end(), Sum{0});
}

void take_better(GradientSplit& best, GradientSplit& found) {
    const bool earlier = found.strength == best.strength && found.column < best.column;
    if (found.strength > best.strength || earlier) best = std::move(found);
}

std::vector<Sum> LeafWork::fresh_sums() {
    if (memory_.spare_sums.empty()) return std::vector<Sum>(table_.n_columns * n_slots);
    std::vector<Sum> last = std::move(memory_.spare_sums.back());
    memory_.spare_sums.pop_back();
    return last;
}

void LeafWork::put_away(std::vector<Sum>& sums) {
    if (!sums.empty()) memory_.spare_sums.push_back(std::move(sums));
    sums.clear();
}

bool LeafWork::may_split(const Leaf& leaf) const {
    return leaf.depth < task_.settings.max_depth &&
           static_cast<double>(leaf.range.size()) >= 2 * task_.settings.limits.min_samples_leaf;
}

ColumnChoice::Marks LeafWork::columns_for(const Leaf& leaf) const {
    if (task_.choice.is_free()) return {};
    return task_.choice.columns_for(leaf.groups, leaf.path);
}

Leaf LeafWork::child_of(const Division& division, std::uint64_t side,
                          RowOrder::Range range) const {
    const Leaf& parent = *division.parent;
    Leaf child;
    child.path = Random(2 * parent.path + side).next();
    child.depth = parent.depth + 1;
    child.groups = task_.choice.groups_with(parent.groups, division.split->column);
    child.range = range;
    const bool is_small = task_.settings.growth == Growth::symmetric &&
                          static_cast<double>(range.size()) <
                              std::max(1.0, task_.settings.limits.min_samples_leaf);
    child.asked = is_small ? parent.asked : range;
    return child;
}

void LeafWork::make_children(Division& division, std::size_t n_left, int copy) const {
    const Leaf& parent = *division.parent;
    const RowOrder::Range& range = parent.range;
    const std::size_t middle = range.begin + n_left;
    division.left = child_of(division, 0, {range.begin, middle, copy});
    division.right = child_of(division, 1, {middle, range.end, copy});
    division.left.total = division.split->left;
    division.right.total = parent.total - division.split->left;
    if (!division.searches) return;
    bound(division);
    division.counts = division.counts && (may_split(division.left) || may_split(division.right));
}

// Children of a split by a column with a direction may not predict beyond the middle of what
// both would say now, whatever becomes of them.
void LeafWork::bound(Division& division) const {
    const Leaf& leaf = *division.parent;
    Leaf &left = division.left, &right = division.right;
    left.bounds = right.bounds = leaf.bounds;
    const std::int32_t direction = task_.settings.monotone[as_index(division.split->column)];
    if (direction == 0 || leaf.range.size() == 0) return;
    const auto value = [&](const Leaf& child) {
        return task_.search.value(child.range.size() > 0 ? child.total : leaf.total, leaf.bounds);
    };
    const double middle = value(left) / 2 + value(right) / 2;
    (direction > 0 ? left : right).bounds.high = middle;
    (direction > 0 ? right : left).bounds.low = middle;
}

GradientSplit LeafWork::better_split(const Leaf& leaf, GradientSplit best,
                                     const ColumnChoice::Marks& may_ask, std::size_t first,
                                     std::size_t end, int worker) const {
    GrowerMemory::Worker& scratch = memory_.workers[as_index(worker)];
    scratch.numbers.clear();
    const SearchedNode node = leaf.searched();
    for (auto number = static_cast<std::int32_t>(first); as_index(number) < end; ++number) {
        if (!may_ask.empty() && !may_ask[as_index(number)]) continue;
        const BinnedColumn& column = table_.columns[as_index(number)];
        if (column.is_wide()) {
            task_.search.search_wide(number, wide_sums(leaf, as_index(number), scratch.wide), node,
                                     best);
        } else {
            scratch.numbers.push_back(number);
        }
    }
    std::ranges::sort(scratch.numbers, {},
                      [&](std::int32_t number) { return task_.column_rank[as_index(number)]; });
    const CountRows count = [&](int column, std::span<std::uint32_t, n_slots> counts) {
        count_rows(leaf, column, counts);
    };
    task_.search.search(
        {table_.columns, task_.settings.monotone, scratch.numbers, leaf.sums.data()}, node, count,
        scratch.search, best);
    return best;
}

void LeafWork::close(Division& division) {
    put_away(division.parent->sums);
    if (!division.searches) {
        if (division.counts) {
            division.left.total = total_of(division.left.sums);
            division.right.total = total_of(division.right.sums);
        }
        bound(division);
        return;
    }
    for (Leaf* child : {&division.left, &division.right}) {
        if (!child->split.found()) put_away(child->sums);
    }
}

GradientSplit LeafWork::best_question(const std::vector<Leaf>& level) {
    std::vector<LevelNode> nodes;
    std::vector<const Leaf*> leaves;
    double undivided = 0;
    for (const Leaf& leaf : level) {
        if (leaf.range.size() == 0) continue;
        nodes.push_back({leaf.searched(), leaf.sums.data()});
        leaves.push_back(&leaf);
        undivided += task_.search.worth(leaf.searched());
    }
    const double enough = task_.search.enough(undivided);
    const ColumnChoice::Marks columns = columns_for(level.front());
    std::vector<GradientSplit> found(table_.n_columns);
    run_tasks(table_.n_columns, task_.n_threads, [&](std::size_t c, int worker) {
        if (!columns.empty() && !columns[c]) return;
        const auto wide_of = [&](std::size_t node) {
            return wide_sums(*leaves[node], c, memory_.workers[as_index(worker)].wide);
        };
        search_level(task_.search, table_, static_cast<int>(c), task_.settings.monotone[c], nodes,
                     enough, wide_of, found[c]);
    });
    GradientSplit best;
    for (GradientSplit& split : found) take_better(best, split);
    return best;
}

}  // namespace treewright::histogram
