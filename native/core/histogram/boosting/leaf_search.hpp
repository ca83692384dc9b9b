// Leaves of one tree divided and searched, several at once and each by several threads.
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

class LeafSearch {
public:
    LeafSearch(const TreeTask& task, GrowerMemory& memory)
        : task_(task), table_(task.table), memory_(memory), order_(memory.order) {}

    // Counts the leaf of all rows, and finds its split if wanted.
    void start(Leaf& root, bool searches);
    void divide(std::span<Division> divisions);
    // The best question for all leaves of a level together.
    GradientSplit best_question(const std::vector<Leaf>& level);

    // How long it takes to divide a leaf, in cells that are counted in the same time; and how much
    // of it is worth the start of all threads.
    std::size_t work_of(const Leaf& leaf) const;
    std::size_t enough_work() const;
    std::size_t enough_leaves() const;  // at most
    // The leaf needs its sums no more.
    void put_away(std::vector<Sum>& sums);

private:
    struct Work;
    struct Part;
    std::vector<Sum> fresh_sums();
    void ask_before(const Leaf& leaf) const;
    bool may_split(const Leaf& leaf) const;
    ColumnChoice::Marks columns_for(const Leaf& leaf) const;
    Leaf child_of(const Division& division, std::uint64_t side, RowOrder::Range range) const;
    void bound(Division& division) const;
    std::vector<Part> in_parts(std::span<Work* const> works) const;
    std::size_t mark(const Work& work, const RowOrder::Range& part);
    void make_children(Work& work, std::size_t n_left);
    void send(const Work& work, Part& part);
    void add(const RowOrder::Range& rows, std::size_t first, std::size_t end, Sum* sums);
    void count(const RowOrder::Range& rows, std::size_t first, std::size_t end, Sum* sums);
    void divide_alone(Work& work, int worker);
    void divide_together(std::span<Work* const> works, std::span<Work* const> alone);
    void count_together(std::span<Work* const> works, std::span<Part> parts);
    void count_by_rows(std::span<Work* const> works, std::span<Part> parts, std::size_t n_sums);
    void count_by_columns(std::span<Work* const> works, std::span<Part> parts);
    void settle_together(std::span<Work* const> works);
    void settle_columns(Work& work, std::size_t first, std::size_t end, int worker);
    void search_columns(Work& work, Leaf& leaf, const ColumnChoice::Marks& may_ask,
                        std::size_t first, std::size_t end, int worker);
    void finish(Work& work);

    const TreeTask& task_;
    const BinnedTable& table_;
    GrowerMemory& memory_;
    RowOrder& order_;
};

}  // namespace treewright::histogram
