#include "core/histogram/boosting/gradient_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/boosting/counting.hpp"
#include "core/histogram/boosting/gradient_leaf.hpp"
#include "core/histogram/boosting/level_question.hpp"
#include "core/histogram/boosting/split_writing.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright::histogram {
namespace {

// Space that one thread uses again.
struct Scratch {
    std::vector<std::int32_t> numbers;
    SearchScratch search;
    WideScratch wide;
};

// Work below this is done by one thread: to call another takes longer. A column is searched in the
// time in which so many of its cells are counted.
constexpr std::size_t cells_worth_threads = 20'000;
constexpr std::size_t cells_of_search = 1'000;

// Smaller leaves are done before anybody grows impatient.
constexpr std::size_t rows_worth_a_check = 10'000;

}  // namespace

class GradientTreeGrower::Workshop {
public:
    Workshop(const BinnedTable& table, const GradientTreeSettings& settings, int n_threads)
        : table_(table),
          settings_(settings),
          n_threads_(usable_threads(n_threads)),
          choice_(settings.columns, table.n_columns),
          leaf_values_(table, settings.limits, settings.learning_rate, n_threads),
          scratch_(static_cast<std::size_t>(n_threads_)) {
        n_groups_ = (table.n_columns + columns_at_once - 1) / columns_at_once;
        group_width_ = n_groups_ == 0 ? 0 : (table.n_columns + n_groups_ - 1) / n_groups_;
        settings_.monotone.resize(table.n_columns, 0);
        gain_so_far_.resize(table.n_columns, 0.0);
        order_of_group_.resize(n_groups_);
    }

    PackedTree grow(const Gradients& gradients, const LeafRenewal& renewal, const GrownOn& rows,
                    std::span<double> scores, const Check& check) {
        check_ = &check;
        tree_ = {};
        tree_.add_slots(1);
        done_.clear();
        choice_.start_tree();
        order_columns();
        const Units units = find_units(gradients, rows, n_threads_);
        pack_rows(gradients, rows, units, n_threads_, order_.start(rows.size()));
        const SplitSearch search(settings_.limits, units);
        search_ = &search;
        if (settings_.growth == Growth::symmetric) {
            grow_levels();
        } else {
            grow_leaves();
        }
        leaf_values_.settle(gradients, renewal, order_, done_, scores, tree_);
        tree_.shrink();
        return std::move(tree_);
    }

private:
    // Columns that helped most so far come first in the search, so that the others are seen to be
    // worse at the first look.
    void order_columns() {
        for (std::size_t group = 0; group < n_groups_; ++group) {
            std::vector<std::int32_t>& numbers = order_of_group_[group];
            numbers.resize(end_of(group) - first_of(group));
            std::iota(numbers.begin(), numbers.end(), static_cast<std::int32_t>(first_of(group)));
            std::ranges::stable_sort(numbers, std::ranges::greater{},
                                     [&](std::int32_t c) { return gain_so_far_[as_index(c)]; });
        }
    }

    const BinnedColumn& column_of(const GradientSplit& split) const {
        return table_.columns[as_index(split.column)];
    }

    int threads_for(const Leaf& leaf) const {
        const std::size_t cells = (leaf.range.size() + cells_of_search) * table_.n_columns;
        return cells < cells_worth_threads ? 1 : n_threads_;
    }

    std::vector<Sum> fresh_sums() {
        if (spare_.empty()) return std::vector<Sum>(table_.n_columns * n_slots);
        std::vector<Sum> sums = std::move(spare_.back());
        spare_.pop_back();
        return sums;
    }

    void put_away(std::vector<Sum>& sums) {
        if (!sums.empty()) spare_.push_back(std::move(sums));
        sums.clear();
    }

    void finish(Leaf& leaf) {
        put_away(leaf.sums);
        leaf.asked.copy = leaf.range.copy;
        done_.push_back({leaf.slot, leaf.range, leaf.asked, leaf.bounds});
    }

    // Whether b is split before a; of equals, the one that was made first.
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
        search(open.back());
        std::int64_t n_leaves = 1;
        while (!open.empty() && n_leaves < settings_.max_leaf_nodes) {
            (*check_)();
            std::pop_heap(open.begin(), open.end(), later);
            Leaf leaf = std::move(open.back());
            open.pop_back();
            if (!leaf.split.found()) {
                finish(leaf);
                continue;
            }
            ++n_leaves;
            auto [left, right] =
                divide(leaf, leaf.split, add_set(tree_, column_of(leaf.split), leaf.split));
            bound(leaf, leaf.split, left, right);
            if (n_leaves < settings_.max_leaf_nodes) {
                search_children(leaf, left, right);
            } else {
                put_away(leaf.sums);
            }
            for (Leaf* child : {&left, &right}) {
                open.push_back(std::move(*child));
                std::push_heap(open.begin(), open.end(), later);
            }
        }
        for (Leaf& leaf : open) finish(leaf);
    }

    // All nodes of a level ask the same. Leaves of too few rows answer as the part of the tree
    // that they belong to and that has enough.
    void grow_levels() {
        std::vector<Leaf> level;
        level.push_back(root());
        for (std::int64_t depth = 0; depth < settings_.max_depth; ++depth) {
            if (2 * static_cast<std::int64_t>(level.size()) > settings_.max_leaf_nodes) break;
            (*check_)();
            GradientSplit split = best_question(level);
            if (!split.found()) break;
            settle_missing(level, split);
            const std::uint32_t set = add_set(tree_, column_of(split), split);
            std::vector<Leaf> next;
            for (Leaf& leaf : level) {
                auto [left, right] = divide(leaf, split, set);
                count_children(leaf, left, right);
                bound(leaf, split, left, right);
                note_gain(leaf, left, right);
                next.push_back(std::move(left));
                next.push_back(std::move(right));
            }
            level = std::move(next);
        }
        for (Leaf& leaf : level) finish(leaf);
    }

    Leaf root() {
        Leaf leaf;
        leaf.range = leaf.asked = order_.all();
        leaf.groups = choice_.all_groups();
        leaf.sums = fresh_sums();
        run_tasks(n_groups_, threads_for(leaf),
                  [&](std::size_t group, int) { count(leaf, group); });
        leaf.total = total_of(leaf);
        return leaf;
    }

    static Sum total_of(const Leaf& leaf) {
        Sum total = 0;
        const std::size_t n = std::min<std::size_t>(leaf.sums.size(), n_slots);
        for (std::size_t bin = 0; bin < n; ++bin) total += leaf.sums[bin];
        return total;
    }

    std::size_t first_of(std::size_t group) const { return group * group_width_; }
    std::size_t end_of(std::size_t group) const {
        return std::min(table_.n_columns, first_of(group) + group_width_);
    }

    // Asks whether to go on, where what comes next takes long enough.
    void ask_before(const Leaf& leaf) const {
        if (leaf.range.size() >= rows_worth_a_check) (*check_)();
    }

    void count(Leaf& leaf, std::size_t group) {
        ask_before(leaf);
        const std::size_t first = first_of(group);
        Sum* sums = leaf.sums.data() + first * n_slots;
        std::fill(sums, leaf.sums.data() + end_of(group) * n_slots, 0);
        add_rows(table_, first, end_of(group) - first, order_.rows(leaf.range), sums);
    }

    // Of two children, `rest` has the sums of their parent and `taken` its own already.
    void count_rest(const Leaf& taken, Leaf& rest, std::size_t group) {
        if (!takes(ShortCut::smaller_side)) return count(rest, group);
        const std::size_t end = end_of(group) * n_slots;
        for (std::size_t i = first_of(group) * n_slots; i < end; ++i) rest.sums[i] -= taken.sums[i];
    }

    bool may_split(const Leaf& leaf) const {
        return leaf.depth < settings_.max_depth &&
               static_cast<double>(leaf.range.size()) >= 2 * settings_.limits.min_samples_leaf;
    }

    void search_group(const Leaf& leaf, const ColumnChoice::Marks& may_ask, std::size_t group,
                      int worker, GradientSplit& best) {
        if (!may_split(leaf)) return;
        ask_before(leaf);
        Scratch& scratch = scratch_[as_index(worker)];
        scratch.numbers.clear();
        const SearchedNode node = leaf.searched();
        for (const std::int32_t number : order_of_group_[group]) {
            if (!may_ask.empty() && !may_ask[as_index(number)]) continue;
            const BinnedColumn& column = table_.columns[as_index(number)];
            if (column.is_wide()) {
                const auto n_levels = static_cast<std::size_t>(column.n_bins);
                search_->search_wide(number,
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
        search_->search({table_.columns, settings_.monotone, scratch.numbers, leaf.sums.data()},
                        node, count_rows, scratch.search, best);
    }

    ColumnChoice::Marks columns_for(const Leaf& leaf) const {
        if (choice_.is_free()) return {};
        return choice_.columns_for(leaf.groups, leaf.slot);
    }

    void search(Leaf& leaf) {
        const int n_threads = threads_for(leaf);
        std::vector<GradientSplit> found(n_threads > 1 ? n_groups_ : 1);
        const ColumnChoice::Marks may_ask = columns_for(leaf);
        run_tasks(n_groups_, n_threads, [&](std::size_t group, int worker) {
            search_group(leaf, may_ask, group, worker, found[group % found.size()]);
        });
        take_best(leaf.split, found);
    }

    static void take_best(GradientSplit& best, std::vector<GradientSplit>& found) {
        for (GradientSplit& split : found) {
            const bool earlier = split.strength == best.strength && split.column < best.column;
            if (split.strength > best.strength || earlier) best = std::move(split);
        }
    }

    // Counts the smaller child; the other is what is left of the parent.
    void search_children(Leaf& parent, Leaf& left, Leaf& right) {
        const bool left_is_small = left.range.size() <= right.range.size();
        Leaf& small = left_is_small ? left : right;
        Leaf& large = left_is_small ? right : left;
        if (!may_split(large)) {
            put_away(parent.sums);
            return;
        }
        small.sums = fresh_sums();
        large.sums = std::move(parent.sums);
        // One thread goes on from the best that it has; of several, each begins anew.
        const int n_threads = threads_for(small);
        std::vector<GradientSplit> of_small(n_threads > 1 ? n_groups_ : 1),
            of_large(of_small.size());
        const ColumnChoice::Marks for_small = columns_for(small), for_large = columns_for(large);
        run_tasks(n_groups_, n_threads, [&](std::size_t group, int worker) {
            count(small, group);
            count_rest(small, large, group);
            const std::size_t at = group % of_small.size();
            search_group(small, for_small, group, worker, of_small[at]);
            search_group(large, for_large, group, worker, of_large[at]);
        });
        take_best(small.split, of_small);
        take_best(large.split, of_large);
        if (!small.split.found()) put_away(small.sums);
        if (!large.split.found()) put_away(large.sums);
    }

    void count_children(Leaf& parent, Leaf& left, Leaf& right) {
        const bool left_is_small = left.range.size() <= right.range.size();
        Leaf& small = left_is_small ? left : right;
        Leaf& large = left_is_small ? right : left;
        small.sums = fresh_sums();
        large.sums = std::move(parent.sums);
        run_tasks(n_groups_, threads_for(small), [&](std::size_t group, int) {
            count(small, group);
            count_rest(small, large, group);
        });
        left.total = total_of(left);
        right.total = total_of(right);
    }

    GradientSplit best_question(const std::vector<Leaf>& level) {
        std::vector<LevelNode> nodes;
        double undivided = 0;
        for (const Leaf& leaf : level) {
            if (leaf.range.size() == 0) continue;
            nodes.push_back({leaf.searched(), leaf.sums.data(), order_.rows(leaf.range)});
            undivided += search_->worth(leaf.searched());
        }
        const double enough = search_->enough(undivided);
        const ColumnChoice::Marks columns = columns_for(level.front());
        std::vector<GradientSplit> found(table_.n_columns);
        run_tasks(table_.n_columns, n_threads_, [&](std::size_t c, int worker) {
            if (!columns.empty() && !columns[c]) return;
            search_level(*search_, table_, static_cast<int>(c), settings_.monotone[c], nodes,
                         enough, scratch_[as_index(worker)].wide, found[c]);
        });
        GradientSplit best;
        take_best(best, found);
        return best;
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
        const double gain = search_->worth(left.searched()) + search_->worth(right.searched()) -
                            search_->worth(parent.searched());
        tree_.gain[parent.slot] = stored_gain(search_->to_gain(gain));
    }

    std::pair<Leaf, Leaf> divide(const Leaf& leaf, const GradientSplit& split, std::uint32_t set) {
        const std::vector<std::uint8_t> sides = wide_sides(column_of(split), split);
        const std::size_t column = as_index(split.column);
        const std::size_t n_left =
            sides.empty()
                ? order_.split(leaf.range, table_.column(column), split.goes_left,
                               threads_for(leaf))
                : order_.split(leaf.range, table_.wide[column].data(), sides, threads_for(leaf));
        Leaf left, right;
        left.depth = right.depth = leaf.depth + 1;
        left.groups = right.groups = choice_.groups_with(leaf.groups, split.column);
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
        left.slot = add_split(tree_, leaf.slot, split, column_of(split).nominal, set,
                              left.range.size() > right.range.size());
        right.slot = left.slot + 1;
        return {std::move(left), std::move(right)};
    }

    // Children of a split by a column with a direction may not answer beyond the middle of what
    // both would say now, whatever becomes of them.
    void bound(const Leaf& leaf, const GradientSplit& split, Leaf& left, Leaf& right) const {
        left.bounds = right.bounds = leaf.bounds;
        const std::int32_t direction = settings_.monotone[as_index(split.column)];
        if (direction == 0) return;
        const auto value = [&](const Leaf& child) {
            return search_->value(child.range.size() > 0 ? child.total : leaf.total, leaf.bounds);
        };
        if (leaf.range.size() == 0) return;
        const double middle = value(left) / 2 + value(right) / 2;
        (direction > 0 ? left : right).bounds.high = middle;
        (direction > 0 ? right : left).bounds.low = middle;
    }

    const BinnedTable& table_;
    GradientTreeSettings settings_;
    int n_threads_;
    ColumnChoice choice_;
    LeafValues leaf_values_;
    std::vector<Scratch> scratch_;     // by worker
    std::vector<double> gain_so_far_;  // by column, of all trees
    std::vector<std::vector<std::int32_t>> order_of_group_;
    std::size_t n_groups_, group_width_;
    RowOrder order_;
    PackedTree tree_;
    std::vector<FinishedLeaf> done_;
    std::vector<std::vector<Sum>> spare_;
    const SplitSearch* search_ = nullptr;
    const Check* check_ = nullptr;
};

GradientTreeGrower::GradientTreeGrower(const BinnedTable& table,
                                       const GradientTreeSettings& settings, int n_threads)
    : workshop_(std::make_unique<Workshop>(table, settings, n_threads)) {}

GradientTreeGrower::~GradientTreeGrower() = default;

PackedTree GradientTreeGrower::grow(const Gradients& gradients, const LeafRenewal& renewal,
                                    const GrownOn& rows, std::span<double> scores,
                                    const Check& check) {
    return workshop_->grow(gradients, renewal, rows, scores, check);
}

}  // namespace treewright::histogram
