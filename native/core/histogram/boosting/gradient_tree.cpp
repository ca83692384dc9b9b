#include "core/histogram/boosting/gradient_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/arithmetic/random.hpp"
#include "core/histogram/boosting/gradient_leaf.hpp"
#include "core/histogram/boosting/leaf_search.hpp"
#include "core/histogram/boosting/partitioned_leaves.hpp"
#include "core/histogram/boosting/split_writing.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

// The growth of one tree.
class TreeGrowth {
public:
    TreeGrowth(const TreeTask& task, std::vector<double>& gain_so_far, LeafWork& leaves)
        : task_(task),
          table_(task.table),
          settings_(task.settings),
          gain_so_far_(gain_so_far),
          leaves_(leaves) {
        tree.add_slots(1);
    }

    void run() {
        if (settings_.growth == Growth::symmetric) {
            grow_levels();
        } else {
            grow_leaves();
        }
        // Leaves are numbered by their place, whatever was known of them at the end.
        std::ranges::sort(done, {}, &FinishedLeaf::slot);
    }

    PackedTree tree;
    std::vector<FinishedLeaf> done;

private:
    const BinnedColumn& column_of(const GradientSplit& split) const {
        return table_.columns[as_index(split.column)];
    }

    Leaf root(bool searches) {
        Leaf leaf;
        leaf.range = leaf.asked = leaves_.all_rows();
        leaf.groups = task_.choice.all_groups();
        leaves_.start(leaf, searches);
        return leaf;
    }

    void put_away(Leaf& leaf) {
        leaves_.put_away(leaf.sums);
        for (Leaf& child : leaf.ahead) put_away(child);
    }

    void finish(Leaf& leaf) {
        put_away(leaf);
        leaf.asked.copy = leaf.range.copy;
        done.push_back({leaf.slot, leaf.range, leaf.asked, leaf.bounds, leaf.node});
    }

    // Whether b is split before a; on ties, the one that was made first.
    bool is_later(const Leaf& a, const Leaf& b) const {
        if (settings_.growth == Growth::level) {
            return std::pair(a.depth, a.slot) > std::pair(b.depth, b.slot);
        }
        if (a.split.surplus != b.split.surplus) return a.split.surplus < b.split.surplus;
        return a.slot > b.slot;
    }

    void grow_leaves() {
        const auto later = [this](const Leaf& a, const Leaf& b) { return is_later(a, b); };
        std::vector<Leaf> open;
        open.push_back(root(true));
        std::int64_t n_leaves = 1;
        while (!open.empty() && n_leaves < settings_.max_leaf_nodes) {
            task_.check();
            if (open.front().split.found() && open.front().ahead.empty()) {
                look_ahead(open, settings_.max_leaf_nodes - n_leaves);
            }
            std::pop_heap(open.begin(), open.end(), later);
            Leaf leaf = std::move(open.back());
            open.pop_back();
            if (!leaf.split.found()) {
                finish(leaf);
                continue;
            }
            ++n_leaves;
            write(leaf, leaf.split, add_set(tree, column_of(leaf.split), leaf.split),
                  leaf.ahead[0], leaf.ahead[1]);
            for (Leaf& child : leaf.ahead) {
                open.push_back(std::move(child));
                std::push_heap(open.begin(), open.end(), later);
            }
        }
        for (Leaf& leaf : open) finish(leaf);
    }

    // Divides the leaf whose turn it is, and as many of those that come next as give all threads
    // something to do. What becomes of a leaf does not depend on the others; if its turn never
    // comes, its children are forgotten.
    void look_ahead(std::vector<Leaf>& open, std::int64_t n_splits) {
        std::vector<Division> divisions;
        std::size_t work = 0;
        for (Leaf* leaf : next_leaves(open, n_splits)) {
            if (!divisions.empty() && work >= leaves_.enough_work()) break;
            Division& division = divisions.emplace_back();
            division.parent = leaf;
            division.split = &leaf->split;
            division.counts = n_splits > 1;
            work += leaves_.work_of(*leaf);
        }
        leaves_.divide(divisions);
        for (Division& division : divisions) {
            division.parent->ahead.reserve(2);
            division.parent->ahead.push_back(std::move(division.left));
            division.parent->ahead.push_back(std::move(division.right));
        }
    }

    // The undivided leaves that would be split next if no child of theirs were better than they.
    // `open` is a heap: what is above a place in it comes first.
    std::vector<Leaf*> next_leaves(std::vector<Leaf>& open, std::int64_t n_splits) const {
        struct Candidate {
            Leaf* leaf;
            std::size_t place;    // in the heap
            int n_above;  // ancestors that are not yet split
        };
        constexpr std::size_t none = SIZE_MAX / 4;
        const std::size_t most = leaves_.enough_leaves();
        const auto later = [this](const Candidate& a, const Candidate& b) {
            return is_later(*a.leaf, *b.leaf);
        };
        std::vector<Leaf*> next;
        std::vector<Candidate> candidates{{&open.front(), 0, 0}};
        const auto add = [&](Leaf& leaf, std::size_t place, int n_above) {
            candidates.push_back({&leaf, place, n_above});
            std::ranges::push_heap(candidates, later);
        };
        while (!candidates.empty() && n_splits > 0 && next.size() < most) {
            std::ranges::pop_heap(candidates, later);
            const auto [leaf, place, n_above] = candidates.back();
            candidates.pop_back();
            for (std::size_t below : {2 * place + 1, 2 * place + 2}) {
                if (below < open.size()) add(open[below], below, 0);
            }
            if (!leaf->split.found()) continue;
            --n_splits;
            if (leaf->ahead.empty() && leaves_.may_divide_below(n_above)) next.push_back(leaf);
            for (Leaf& child : leaf->ahead) add(child, none, n_above + 1);
        }
        return next;
    }

    // All nodes of a level ask the same. Leaves of too few rows predict as the part of the tree
    // that they belong to and that has enough.
    void grow_levels() {
        std::vector<Leaf> level;
        level.push_back(root(false));
        for (std::int64_t depth = 0; depth < settings_.max_depth; ++depth) {
            if (2 * static_cast<std::int64_t>(level.size()) > settings_.max_leaf_nodes) break;
            task_.check();
            GradientSplit split = leaves_.best_question(level);
            if (!split.found()) break;
            const std::uint32_t set = add_set(tree, column_of(split), split);
            std::vector<Division> divisions(level.size());
            for (std::size_t i = 0; i < level.size(); ++i) {
                divisions[i].parent = &level[i];
                divisions[i].split = &split;
                divisions[i].searches = false;
            }
            leaves_.divide(divisions);
            settle_missing(divisions, split);
            std::vector<Leaf> next;
            for (auto& [leaf, asked, counts, searches, left, right] : divisions) {
                write(*leaf, split, set, left, right);
                note_gain(*leaf, left, right);
                next.push_back(std::move(left));
                next.push_back(std::move(right));
            }
            level = std::move(next);
        }
        for (Leaf& leaf : level) finish(leaf);
    }

    // Where no row of the level says where missing values go, they go with most rows.
    static void settle_missing(std::span<const Division> divisions, GradientSplit& split) {
        if (split.missing_known) return;
        std::size_t left = 0, right = 0;
        for (const Division& division : divisions) {
            left += division.left.range.size();
            right += division.right.range.size();
        }
        split.missing_left = left > right;
        split.missing_known = true;
    }

    void note_gain(const Leaf& parent, const Leaf& left, const Leaf& right) {
        if (left.range.size() == 0 || right.range.size() == 0) return;
        const SplitSearch& search = task_.search;
        const double gain = search.worth(left.searched()) + search.worth(right.searched()) -
                            search.worth(parent.searched());
        tree.gain[parent.slot] = stored_gain(search.to_gain(gain));
    }

    void write(const Leaf& leaf, const GradientSplit& split, std::uint32_t set, Leaf& left,
               Leaf& right) {
        gain_so_far_[as_index(split.column)] += split.gain;
        left.slot = add_split(tree, leaf.slot, split, column_of(split).nominal, set,
                              left.range.size() > right.range.size());
        right.slot = left.slot + 1;
    }

    const TreeTask& task_;
    const BinnedTable& table_;
    const GradientTreeSettings& settings_;
    std::vector<double>& gain_so_far_;
    LeafWork& leaves_;
};

// The places of columns in the order of their gains, the largest first.
std::vector<std::int32_t> ranks(std::span<const double> gains) {
    std::vector<std::int32_t> order(gains.size()), rank(gains.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::int32_t c) { return gains[as_index(c)]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
        rank[as_index(order[i])] = static_cast<std::int32_t>(i);
    }
    return rank;
}

}  // namespace

// What stays from tree to tree.
struct GradientTreeGrower::State {
    State(const BinnedTable& of, const GradientTreeSettings& given, int wanted_threads,
          const Folder& folder)
        : table(of),
          settings(given),
          n_threads(usable_threads(wanted_threads)),
          choice(given.columns, of.n_columns),
          leaf_values(of, given.limits, given.learning_rate, wanted_threads),
          gain_so_far(of.n_columns, 0.0),
          memory(static_cast<std::size_t>(n_threads), folder) {
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

// Threads that have few rows each look two generations of leaves ahead, which takes a third copy.
static int copies_of_rows(std::size_t n_rows, int n_threads) {
    constexpr std::size_t few_rows = 250'000;  // with 500,000 a third copy gains nothing
    return n_threads > 1 && n_rows / as_index(n_threads) < few_rows ? RowOrder::most_copies : 2;
}

GradientTreeGrower::GradientTreeGrower(const BinnedTable& table,
                                       const GradientTreeSettings& settings, int n_threads,
                                       const Folder& folder)
    : state_(std::make_unique<State>(table, settings, n_threads, folder)) {}

GradientTreeGrower::~GradientTreeGrower() = default;

PackedTree GradientTreeGrower::grow(const Gradients& gradients, const LeafRenewal& renewal,
                                    const GrownOn& rows, std::span<double> scores,
                                    const std::function<void()>& check) {
    State& s = *state_;
    s.choice.start_tree();
    const Units units = find_units(gradients, rows, s.n_threads);
    const int n_copies = copies_of_rows(rows.size(), s.n_threads);
    const std::uint64_t draw = Random::stream(s.choice.seed_of_tree(), rows.size()).next();
    pack_rows(gradients, rows, units, draw, s.n_threads, s.memory.order.start(rows.size(), n_copies));
    const SplitSearch search(s.settings.limits, units);
    const std::vector<std::int32_t> column_rank = ranks(s.gain_so_far);
    const TreeTask task{s.table, s.settings, s.choice, column_rank, search, check, s.n_threads};
    LeafSearch leaves(task, s.memory);
    TreeGrowth growth(task, s.gain_so_far, leaves);
    growth.run();
    s.leaf_values.settle(gradients, units, renewal, s.memory.order, growth.done, scores, growth.tree);
    growth.tree.shrink();
    return std::move(growth.tree);
}

PackedTree GradientTreeGrower::grow(PartitionedRows& rows, std::size_t n_drawn,
                                    std::size_t few_rows, const std::function<void()>& check) {
    State& s = *state_;
    s.choice.start_tree();
    const std::uint64_t draw = Random::stream(s.choice.seed_of_tree(), n_drawn).next();
    const Units units = rows.find_units(draw);
    const SplitSearch search(s.settings.limits, units);
    const std::vector<std::int32_t> column_rank = ranks(s.gain_so_far);
    const TreeTask task{s.table, s.settings, s.choice, column_rank, search, check, s.n_threads};
    PartitionedLeaves leaves(task, s.memory, rows, n_drawn, units, draw, few_rows);
    TreeGrowth growth(task, s.gain_so_far, leaves);
    growth.run();
    std::vector<LeafSums> sums;
    for (const FinishedLeaf& leaf : growth.done) sums.push_back(leaves.exact_sums(leaf));
    s.leaf_values.settle(sums, units.largest, rows.are_weighted(), rows.finish(growth.done),
                         growth.done, growth.tree);
    growth.tree.shrink();
    return std::move(growth.tree);
}

}  // namespace treewright::histogram
