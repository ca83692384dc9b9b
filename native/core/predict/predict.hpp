// Prediction: rows in, the predictions of the nodes they end at out.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/arithmetic/as_index.hpp"
#include "core/parallel/cancellation.hpp"
#include "core/predict/questions.hpp"
#include "core/predict/rows.hpp"
#include "core/predict/tree_view.hpp"

namespace treewright {

// The nodes where rows end; a row that is spread ends in several parts, from left to right.
struct RowParts {
    std::vector<std::int64_t> row;
    std::vector<std::int32_t> node;
    std::vector<double> share;
};

// A tree arranged for walking. Immutable, so many threads may share one.
class Predictor {
public:
    // `predictions` holds n_values numbers per node and must outlive the predictor.
    Predictor(const TreeView& tree, std::span<const double> predictions, std::size_t n_values);

    std::size_t n_values() const { return n_values_; }

    // Fills `out` with n_values numbers per row.
    void values(const Rows& rows, int n_threads, std::span<double> out,
                const Check& check = never_stop) const;

    // Fills `out` with the node where each row ends; of several, the one with the largest share,
    // the first of these from the left on ties.
    void leaves(const Rows& rows, int n_threads, std::span<std::int32_t> out,
                const Check& check = never_stop) const;

    // All parts of all rows, row by row.
    RowParts parts(const Rows& rows, const Check& check = never_stop) const;

private:
    // What a row does at a slot.
    //   leaf      it has arrived
    //   number    one comparison with a number; a missing value goes to a given child
    //   question  anything else
    //   trap      where a number node sends missing values that need more than a given child:
    //             one more slot after its children
    enum class Step : std::uint32_t { leaf, number, question, trap };

    // A node, or a trap, in 16 bytes, four to a cache line, the children of a node side by side.
    // `packed` is, from the low bit: the step (2 bits), the child of a missing value (2 bits), the
    // column (28 bits). Only number nodes use it all. The others are their own first child, have an
    // infinite threshold and the root's column, which is numeric in a tree of numbers: a row that
    // waits there may go on stepping and stays where it is.
    struct Slot {
        double threshold;
        std::int32_t first_child;
        std::uint32_t packed;

        Step step() const { return static_cast<Step>(packed & 3); }
        std::uint32_t missing_child() const { return (packed >> 2) & 3; }
        std::uint32_t column() const { return packed >> 4; }

        // Without a branch, which would often be mispredicted.
        std::int32_t next(double value) const {
            const bool is_missing = std::isunordered(value, threshold);  // no threshold is NaN
            const std::uint32_t child = std::isgreater(value, threshold);
            return first_child + static_cast<std::int32_t>(is_missing ? missing_child() : child);
        }
    };
    static_assert(sizeof(Slot) == 16);

    // What question and trap slots need to know of their node.
    struct Station {
        Question question;
        std::int32_t slot;         // of the node itself
        std::int32_t first_child;  // its slot
    };

    // Where a step from a question or a trap leads; to be spread: the complement of the slot.
    struct Arrival {
        std::int32_t slot;
        bool goes_on;
    };

    // The part of a row's prediction that one slot still has to add.
    struct Share {
        std::int32_t slot;
        double share;
    };

    struct Scratch {
        std::vector<double> copy;
        std::vector<Share> stack;
    };

    void add_node(const TreeView& tree, std::size_t node, std::vector<std::int32_t>& slot_of);
    void set_child_shares(const TreeView& tree, const std::vector<std::int32_t>& slot_of);
    void set_used_columns(const TreeView& tree);

    const Station& station_at(std::int32_t slot) const {
        return stations_[as_index(station_of_slot_[as_index(slot)])];
    }

    // The number of the child a row goes to from a question or trap, or stop_here, spread_to_all.
    template <typename R>
    std::int32_t child_at(std::int32_t slot, const R& rows, std::size_t row) const;
    template <typename R>
    Arrival leave(std::int32_t slot, const R& rows, std::size_t row) const;

    // All three find the slots where rows first .. first + ends.size() end.
    template <typename R>
    void walk_block(const R& rows, std::size_t first, std::span<std::int32_t> ends,
                    Scratch& scratch) const;
    template <typename N, typename R>  // `numbers`: the same rows, counted from 0
    void walk_by_numbers(N numbers, const R& rows, std::size_t first,
                         std::span<std::int32_t> ends) const;
    template <typename R>
    void walk_by_questions(const R& rows, std::size_t first, std::span<std::int32_t> ends) const;

    // Calls give(node, share) for every node where a part of the row ends, from left to right.
    template <typename R, typename Give>
    void spread(const R& rows, std::size_t row, std::int32_t slot, Scratch& scratch,
                Give give) const;

    template <typename R, typename Finish>
    void for_each_row(const R& rows, int n_threads, const Check& check, Finish finish) const;

    std::vector<Slot> slots_;
    std::vector<std::int32_t> node_of_slot_;
    std::vector<std::int32_t> station_of_slot_;  // meaningful for questions and traps
    std::vector<Station> stations_;
    Questions questions_;
    std::vector<double> child_share_;  // of its parent's weight, by slot; empty if none is spread
    std::span<const double> predictions_;
    std::size_t n_values_;
    std::size_t n_columns_;
    bool only_numbers_ = true;  // no question slot
    std::uint32_t idle_column_ = 0;
    std::vector<std::uint32_t> used_columns_;  // ascending; only in narrow trees of numbers
};

}  // namespace treewright
