// The search for splits of the leaves of one tree: rows counted by bin, columns searched in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/boosting/column_choice.hpp"
#include "core/histogram/boosting/counting.hpp"
#include "core/histogram/boosting/gradient_leaf.hpp"
#include "core/histogram/boosting/gradient_split.hpp"
#include "core/histogram/boosting/gradient_tree.hpp"
#include "core/histogram/row_order.hpp"

namespace treewright::histogram {

// What a grower uses again for every tree, so that memory is allocated once.
struct GrowerMemory {
    struct Worker {
        std::vector<std::int32_t> numbers;
        SearchScratch search;
        WideScratch wide;
    };

    explicit GrowerMemory(std::size_t n_workers) : workers(n_workers) {}

    std::vector<Worker> workers;
    RowOrder order;
    std::vector<std::vector<Sum>> spare_sums;
};

// Columns in groups that are counted together. Those that helped most so far come first in the
// search, so that the others are seen to be worse at the first look.
class ColumnGroups {
public:
    explicit ColumnGroups(std::span<const double> gain_so_far);

    std::size_t size() const { return n_groups_; }
    std::size_t first(std::size_t group) const { return group * width_; }
    std::size_t end(std::size_t group) const;
    std::span<const std::int32_t> in_order(std::size_t group) const {
        return std::span(order_).subspan(first(group), end(group) - first(group));
    }

private:
    std::size_t n_groups_, width_;
    std::vector<std::int32_t> order_;
};

// One tree to grow. All of it belongs to the caller and outlives the growth.
struct TreeTask {
    const BinnedTable& table;
    const GradientTreeSettings& settings;  // with a direction for every column
    const ColumnChoice& choice;
    const ColumnGroups& groups;
    const SplitSearch& search;
    const std::function<void()>& check;  // may throw to cancel
    int n_threads;
};

class LeafSearch {
public:
    LeafSearch(const TreeTask& task, GrowerMemory& memory)
        : task_(task), table_(task.table), memory_(memory), order_(memory.order) {}

    // Counts the leaf of all rows.
    void count_root(Leaf& leaf);
    // Finds the best split of a leaf that is counted.
    void search(Leaf& leaf);
    // Counts the smaller child; the other is what is left of the parent.
    void count_children(Leaf& parent, Leaf& left, Leaf& right);
    // The same, and finds the best splits of both.
    void search_children(Leaf& parent, Leaf& left, Leaf& right);
    // The best question for all leaves of a level together.
    GradientSplit best_question(const std::vector<Leaf>& level);

    int threads_for(const Leaf& leaf) const;
    // The leaf needs its sums no more.
    void put_away(std::vector<Sum>& sums);

private:
    std::vector<Sum> fresh_sums();
    void ask_before(const Leaf& leaf) const;
    bool may_split(const Leaf& leaf) const;
    ColumnChoice::Marks columns_for(const Leaf& leaf) const;
    void count(Leaf& leaf, std::size_t group);
    void count_rest(const Leaf& taken, Leaf& rest, std::size_t group);
    void search_group(const Leaf& leaf, const ColumnChoice::Marks& may_ask, std::size_t group,
                      int worker, GradientSplit& best);

    const TreeTask& task_;
    const BinnedTable& table_;
    GrowerMemory& memory_;
    const RowOrder& order_;
};

}  // namespace treewright::histogram
