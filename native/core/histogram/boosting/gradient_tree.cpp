#include "core/histogram/boosting/gradient_tree.hpp"

#include <algorithm>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/boosting/gradient_leaf.hpp"
#include "core/histogram/boosting/leaf_search.hpp"
#include "core/histogram/boosting/split_writing.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

// The growth of one tree.
class TreeGrowth {
public:
    TreeGrowth(const TreeTask& task, std::vector<double>& gain_so_far, GrowerMemory& memory)
        : task_(task),
          table_(task.table),
          settings_(task.settings),
          gain_so_far_(gain_so_far),
          order_(memory.order),
          leaves_(task, memory) {
        tree.add_slots(1);
    }

    void run() {
        if (settings_.growth == Growth::symmetric) {
            grow_levels();
        } else {
            grow_leaves();
        }
    }

    PackedTree tree;
    std::vector<FinishedLeaf> done;

private:
    const BinnedColumn& column_of(const GradientSplit& split) const {
        return table_.columns[as_index(split.column)];
    }

    Leaf root() {
        Leaf leaf;
        leaf.range = leaf.asked = order_.all();
        leaf.groups = task_.choice.all_groups();
        leaves_.count_root(leaf);
        return leaf;
    }

    void finish(Leaf& leaf) {
        leaves_.put_away(leaf.sums);
        leaf.asked.copy = leaf.range.copy;
        done.push_back({leaf.slot, leaf.range, leaf.asked, leaf.bounds});
    }

    // Whether b is split before a; on ties, the one that was made first.
    bool is_later(const Leaf& a, const Leaf& b) const {
        if (settings_.growth == Growth::leaf && a.split.surplus != b.split.surplus) {
            return a.split.surplus < b.split.surplus;
        }
        return a.slot > b.slot;
    }

    void grow_leaves() {
        const auto later = [this](const Leaf& a, const Leaf& b) { return is_later(a, b); };
        std::vector<Leaf> open;
        open.push_back(root());
        leaves_.search(open.back());
        std::int64_t n_leaves = 1;
        while (!open.empty() && n_leaves < settings_.max_leaf_nodes) {
            task_.check();
            std::pop_heap(open.begin(), open.end(), later);
            Leaf leaf = std::move(open.back());
            open.pop_back();
            if (!leaf.split.found()) {
                finish(leaf);
                continue;
            }
            ++n_leaves;
            const std::uint32_t set = add_set(tree, column_of(leaf.split), leaf.split);
            auto [left, right] = divide(leaf, leaf.split, set);
            bound(leaf, leaf.split, left, right);
            if (n_leaves < settings_.max_leaf_nodes) {
                leaves_.search_children(leaf, left, right);
            } else {
                leaves_.put_away(leaf.sums);
            }
            for (Leaf* child : {&left, &right}) {
                open.push_back(std::move(*child));
                std::push_heap(open.begin(), open.end(), later);
            }
        }
        for (Leaf& leaf : open) finish(leaf);
    }

    // All nodes of a level ask the same. Leaves of too few rows predict as the part of the tree
    // that they belong to and that has enough.
    void grow_levels() {
        std::vector<Leaf> level;
        level.push_back(root());
        for (std::int64_t depth = 0; depth < settings_.max_depth; ++depth) {
            if (2 * static_cast<std::int64_t>(level.size()) > settings_.max_leaf_nodes) break;
            task_.check();
            GradientSplit split = leaves_.best_question(level);
            if (!split.found()) break;
            settle_missing(level, split);
            const std::uint32_t set = add_set(tree, column_of(split), split);
            std::vector<Leaf> next;
            for (Leaf& leaf : level) {
                auto [left, right] = divide(leaf, split, set);
                leaves_.count_children(leaf, left, right);
                bound(leaf, split, left, right);
                note_gain(leaf, left, right);
                next.push_back(std::move(left));
                next.push_back(std::move(right));
            }
            level = std::move(next);
        }
        for (Leaf& leaf : level) finish(leaf);
    }

    // Where no row of the level says where missing values go, they go with most rows.
    void settle_missing(const std::vector<Leaf>& level, GradientSplit& split) const {
        if (split.missing_known) return;
        std::size_t left = 0, all = 0;
        const std::vector<std::uint8_t> sides = wide_sides(column_of(split), split);
        const std::size_t column = as_index(split.column);
        for (const Leaf& leaf : level) {
            for (const Traveler row : order_.rows(leaf.range)) {
                const std::uint32_t at = row_of(row);
                left +=
                    sides.empty()
                        ? split.goes_left[table_.column(column)[at]]
                        : sides[std::min<std::size_t>(table_.wide[column][at], sides.size() - 1)];
            }
            all += leaf.range.size();
        }
        split.missing_left = 2 * left > all;
        split.missing_known = true;
    }

    void note_gain(const Leaf& parent, const Leaf& left, const Leaf& right) {
        if (left.range.size() == 0 || right.range.size() == 0) return;
        const SplitSearch& search = task_.search;
        const double gain = search.worth(left.searched()) + search.worth(right.searched()) -
                            search.worth(parent.searched());
        tree.gain[parent.slot] = stored_gain(search.to_gain(gain));
    }

    std::pair<Leaf, Leaf> divide(const Leaf& leaf, const GradientSplit& split, std::uint32_t set) {
        const std::vector<std::uint8_t> sides = wide_sides(column_of(split), split);
        const std::size_t column = as_index(split.column);
        const int n_threads = leaves_.threads_for(leaf);
        const std::size_t n_left =
            sides.empty()
                ? order_.split(leaf.range, table_.column(column), split.goes_left, n_threads)
                : order_.split(leaf.range, table_.wide[column].data(), sides, n_threads);
        Leaf left, right;
        left.depth = right.depth = leaf.depth + 1;
        left.groups = right.groups = task_.choice.groups_with(leaf.groups, split.column);
        const std::size_t middle = leaf.range.begin + n_left;
        left.range = {leaf.range.begin, middle, 1 - leaf.range.copy};
        right.range = {middle, leaf.range.end, 1 - leaf.range.copy};
        for (Leaf* child : {&left, &right}) {
            const bool small = settings_.growth == Growth::symmetric &&
                               static_cast<double>(child->range.size()) <
                                   std::max(1.0, settings_.limits.min_samples_leaf);
            child->asked = small ? leaf.asked : child->range;
        }
        left.total = split.left;
        right.total = leaf.total - split.left;
        gain_so_far_[column] += split.gain;
        left.slot = add_split(tree, leaf.slot, split, column_of(split).nominal, set,
                              left.range.size() > right.range.size());
        right.slot = left.slot + 1;
        return {std::move(left), std::move(right)};
    }

    // Children of a split by a column with a direction may not predict beyond the middle of what
    // both would say now, whatever becomes of them.
    void bound(const Leaf& leaf, const GradientSplit& split, Leaf& left, Leaf& right) const {
        left.bounds = right.bounds = leaf.bounds;
        const std::int32_t direction = settings_.monotone[as_index(split.column)];
        if (direction == 0) return;
        const auto value = [&](const Leaf& child) {
            return task_.search.value(child.range.size() > 0 ? child.total : leaf.total,
                                      leaf.bounds);
        };
        if (leaf.range.size() == 0) return;
        const double middle = value(left) / 2 + value(right) / 2;
        (direction > 0 ? left : right).bounds.high = middle;
        (direction > 0 ? right : left).bounds.low = middle;
    }

    const TreeTask& task_;
    const BinnedTable& table_;
    const GradientTreeSettings& settings_;
    std::vector<double>& gain_so_far_;
    RowOrder& order_;
    LeafSearch leaves_;
};

}  // namespace

// What stays from tree to tree.
struct GradientTreeGrower::State {
    State(const BinnedTable& of, const GradientTreeSettings& given, int wanted_threads)
        : table(of),
          settings(given),
          n_threads(usable_threads(wanted_threads)),
          choice(given.columns, of.n_columns),
          leaf_values(of, given.limits, given.learning_rate, wanted_threads),
          gain_so_far(of.n_columns, 0.0),
          memory(static_cast<std::size_t>(n_threads)) {
        settings.monotone.resize(of.n_columns, 0);
    }

    const BinnedTable& table;
    GradientTreeSettings settings;
    int n_threads;
    ColumnChoice choice;
    LeafValues leaf_values;
    std::vector<double> gain_so_far;  // by column, of all trees
    GrowerMemory memory;
};

GradientTreeGrower::GradientTreeGrower(const BinnedTable& table,
                                       const GradientTreeSettings& settings, int n_threads)
    : state_(std::make_unique<State>(table, settings, n_threads)) {}

GradientTreeGrower::~GradientTreeGrower() = default;

PackedTree GradientTreeGrower::grow(const Gradients& gradients, const LeafRenewal& renewal,
                                    const GrownOn& rows, std::span<double> scores,
                                    const std::function<void()>& check) {
    State& s = *state_;
    s.choice.start_tree();
    const Units units = find_units(gradients, rows, s.n_threads);
    pack_rows(gradients, rows, units, s.n_threads, s.memory.order.start(rows.size()));
    const SplitSearch search(s.settings.limits, units);
    const ColumnGroups groups(s.gain_so_far);
    const TreeTask task{s.table, s.settings, s.choice, groups, search, check, s.n_threads};
    TreeGrowth growth(task, s.gain_so_far, s.memory);
    growth.run();
    s.leaf_values.settle(gradients, renewal, s.memory.order, growth.done, scores, growth.tree);
    growth.tree.shrink();
    return std::move(growth.tree);
}

}  // namespace treewright::histogram
