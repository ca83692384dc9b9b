// Leaves of one tree divided and searched, several at once and each by several threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/histogram/boosting/leaf_work.hpp"

namespace treewright::histogram {

// Leaves whose rows are in this memory.
class LeafSearch : public LeafWork {
public:
    LeafSearch(const TreeTask& task, GrowerMemory& memory)
        : LeafWork(task, memory), order_(memory.order) {}

    RowOrder::Range all_rows() const override { return order_.all(); }
    void start(Leaf& root, bool searches) override;
    void divide(std::span<Division> divisions) override;
    std::size_t work_of(const Leaf& leaf) const override;
    std::size_t enough_work() const override;
    std::size_t enough_leaves() const override;
    // The generations below a leaf that may stay unsplit may not reach its copy of the rows.
    bool may_divide_below(int n_above) const override { return n_above + 2 <= order_.n_copies(); }

protected:
    WideSums wide_sums(const Leaf& leaf, std::size_t column, WideScratch& scratch) const override;
    void count_rows(const Leaf& leaf, int column,
                    std::span<std::uint32_t, n_slots> counts) const override;

private:
    struct Work;
    struct Part;
    void ask_before(const Leaf& leaf) const;
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

    RowOrder& order_;
};

}  // namespace treewright::histogram
