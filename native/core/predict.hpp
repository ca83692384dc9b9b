// Prediction: rows in, the answers of the nodes they end at out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rows.hpp"
#include "core/tree_view.hpp"

namespace treewright {

// Finds the child of a level in constant time where codes are dense, else by bisection.
// Never larger than a few times the levels listed.
class LevelMaps {
public:
    static constexpr std::int32_t unlisted = -1;

    struct Map {
        std::size_t start = 0;
        std::int32_t size = 0;
        std::int32_t lowest = 0;  // the code of the first entry, when dense
        bool dense = true;
    };

    Map add(std::span<const std::int32_t> codes, std::span<const std::int32_t> children);
    std::int32_t child(const Map& map, std::int32_t code) const;

private:
    std::vector<std::int32_t> children_;
    std::vector<std::int32_t> codes_;  // beside children_; meaningful in maps that are not dense
};

// A tree arranged for walking. Immutable, so many threads may share one.
class Predictor {
public:
    // `answers` holds n_values numbers per node and must outlive the predictor.
    Predictor(const TreeView& tree, std::span<const double> answers, std::size_t n_values);

    std::size_t n_values() const { return n_values_; }

    // Fills `out` with n_values numbers per row.
    void values(const Rows& rows, int n_threads, std::span<double> out) const;

    // Fills `out` with the node that answers each row; of several, the one with the largest share,
    // the first of these from the left on ties.
    void leaves(const Rows& rows, int n_threads, std::span<std::int32_t> out) const;

private:
    enum class Step : std::uint32_t { leaf, number, general };

    // A node in 16 bytes, four to a cache line, children side by side. `packed` is, from the low
    // bit: the step (2 bits), the child of a missing value (2 bits), and the column, or in a
    // general node the index of its Question.
    struct PackedNode {
        double threshold;
        std::int32_t first_child;
        std::uint32_t packed;

        Step step() const { return static_cast<Step>(packed & 3); }
        std::uint32_t missing_child() const { return (packed >> 2) & 3; }
        std::uint32_t operand() const { return packed >> 4; }
    };
    static_assert(sizeof(PackedNode) == 16);

    struct Surrogate {
        NodeKind kind;
        bool flip;
        std::int32_t feature;
        std::int32_t n_levels;
        double threshold;
        LevelMaps::Map levels;
    };

    // What a node asks when one comparison with a number is not all of it.
    struct Question {
        NodeKind kind;
        std::int32_t feature;
        std::int32_t n_levels;  // of the column; -1 for a numeric one
        std::int32_t missing_child;
        std::int32_t heaviest_child;
        std::int32_t other_child;  // of levels not listed, or LevelMaps::unlisted
        double threshold;
        LevelMaps::Map levels;
        std::size_t side_start, side_end;  // cuts or terms
        std::size_t surrogate_start, surrogate_end;
    };

    // The part of a row's answer that one node still has to give.
    struct Share {
        std::int32_t node;
        double share;
    };
    using Stack = std::vector<Share>;

    // What a value says: the number of a child, or one of these.
    static constexpr std::int32_t not_known = -1;
    static constexpr std::int32_t not_seen = -2;

    PackedNode pack(const TreeView& tree, std::size_t node);
    std::uint32_t add_question(const TreeView& tree, std::size_t node);
    void set_levels(const TreeView& tree, std::size_t node, Question& question);
    void add_surrogates(const TreeView& tree, std::size_t node, Question& question);
    void set_child_shares(const TreeView& tree);

    // Each returns the number of a child, or stop_here or spread_to_all.
    template <typename R>
    std::int32_t ask(const Question& question, const R& rows, std::size_t row) const;
    template <typename R>
    std::int32_t without_value(const Question& question, const R& rows, std::size_t row) const;

    // Each returns the number of a child, not_known or not_seen.
    template <typename R>
    std::int32_t child_by_value(const Question& question, const R& rows, std::size_t row) const;
    template <typename R>
    std::int32_t child_by_sum(const Question& question, const R& rows, std::size_t row) const;
    template <typename R>
    std::int32_t child_by_surrogate(const Surrogate& surrogate, const R& rows,
                                    std::size_t row) const;

    // Walks rows first .. first + ends.size(); where row i must be spread over the children of a
    // node, ends[i] is the complement of that node.
    template <typename R>
    void walk_block(const R& rows, std::size_t first, std::span<std::int32_t> ends) const;

    // Calls give(node, share) for every node that answers a part of the row, from left to right.
    template <typename R, typename Give>
    void spread(const R& rows, std::size_t row, std::int32_t node, Stack& stack, Give give) const;

    template <typename R, typename Finish>
    void for_each_block(const R& rows, int n_threads, Finish finish) const;

    std::vector<PackedNode> nodes_;
    std::vector<Question> questions_;
    std::vector<Surrogate> surrogates_;
    LevelMaps level_maps_;
    std::vector<double> cuts_;
    std::vector<std::int32_t> term_features_;
    std::vector<double> term_weights_;
    std::vector<std::int32_t> n_children_;  // these two only where some row may be spread
    std::vector<double> child_share_;
    std::span<const double> answers_;
    std::size_t n_values_;
};

}  // namespace treewright
