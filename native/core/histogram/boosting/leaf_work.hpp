// What the growth of a tree asks of its leaves, wherever their rows are.
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

    explicit GrowerMemory(std::size_t n_workers, const Folder& folder = {})
        : workers(n_workers), order(folder) {}

    std::vector<Worker> workers;
    RowOrder order;
    std::vector<std::vector<Sum>> spare_sums;
};

// One tree to grow. All of it belongs to the caller and outlives the growth.
struct TreeTask {
    const BinnedTable& table;
    const GradientTreeSettings& settings;  // with a direction for every column
    const ColumnChoice& choice;
    // Columns that helped most so far come first, so that the others are seen to be worse at the
    // first look.
    std::span<const std::int32_t> column_rank;
    const SplitSearch& search;
    const std::function<void()>& check;  // may throw to cancel
    int n_threads;
};

// A leaf to divide, and its children.
struct Division {
    Leaf* parent = nullptr;
    const GradientSplit* split = nullptr;
    // Whether rows of the children are added up by bin, and whether their splits are looked for. In
    // symmetric trees all nodes of a level have the same, which is looked for later.
    bool counts = true, searches = true;
    Leaf left, right;
};

// Divides leaves and finds their splits. Virtual functions are called once for a batch of leaves or
// for a column, never for a row.
class LeafWork {
public:
    LeafWork(const TreeTask& task, GrowerMemory& memory)
        : task_(task), table_(task.table), memory_(memory) {}
    virtual ~LeafWork() = default;

    virtual RowOrder::Range all_rows() const = 0;
    // Counts the leaf of all rows, and finds its split if wanted.
    virtual void start(Leaf& root, bool searches) = 0;
    virtual void divide(std::span<Division> divisions) = 0;
    // The best question for all leaves of a level together.
    GradientSplit best_question(const std::vector<Leaf>& level);

    // How long it takes to divide a leaf, in cells that are counted in the same time; and how much
    // of it is worth the start of all threads.
    virtual std::size_t work_of(const Leaf& leaf) const = 0;
    virtual std::size_t enough_work() const = 0;
    virtual std::size_t enough_leaves() const = 0;  // at most
    // Whether a leaf may be divided that has so many ancestors whose turn has not come.
    virtual bool may_divide_below(int n_above) const = 0;
    // The leaf needs its sums no more.
    void put_away(std::vector<Sum>& sums);

protected:
    // What the rows of a leaf add up to by level of a wide column.
    virtual WideSums wide_sums(const Leaf& leaf, std::size_t column,
                               WideScratch& scratch) const = 0;
    virtual void count_rows(const Leaf& leaf, int column,
                            std::span<std::uint32_t, n_slots> counts) const = 0;

    std::vector<Sum> fresh_sums();
    bool may_split(const Leaf& leaf) const;
    ColumnChoice::Marks columns_for(const Leaf& leaf) const;
    void make_children(Division& division, std::size_t n_left, int copy) const;
    void bound(Division& division) const;
    // The best split of a leaf by some columns, if it is better than `best`.
    GradientSplit better_split(const Leaf& leaf, GradientSplit best,
                               const ColumnChoice::Marks& may_ask, std::size_t first,
                               std::size_t end, int worker) const;
    // After the children are counted and searched.
    void close(Division& division);

    const TreeTask& task_;
    const BinnedTable& table_;
    GrowerMemory& memory_;

private:
    Leaf child_of(const Division& division, std::uint64_t side, RowOrder::Range range) const;
};

// Every column adds up to it.
Sum total_of(std::span<const Sum> sums);
void take_better(GradientSplit& best, GradientSplit& found);

}  // namespace treewright::histogram
