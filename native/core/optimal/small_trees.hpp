// The best trees of up to two levels, from counts of pairs of questions and along a long column.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/optimal/cut_lines.hpp"
#include "core/optimal/found.hpp"
#include "core/optimal/pair_counts.hpp"
#include "core/optimal/question_bits.hpp"

namespace treewright::optimal {

// The rows of a node, and the counts of them.
struct CountedNode {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> by_code;  // of the long column
    PairCounts counts;
};

// A side of a question. The node is filled if more than two levels are below, its rows also if
// there is a long column.
struct CountedSide {
    CountsView counts;
    const CountedNode* node;
};

// Both sides of a question: their weight, and that of their most frequent class.
struct Halves {
    std::array<Units, 2> weight{}, most{};

    void add(Units left, Units right) {
        const std::array<Units, 2> of_class{left, right};
        for (std::size_t i = 0; i < 2; ++i) {
            weight[i] += of_class[i];
            most[i] = std::max(most[i], of_class[i]);
        }
    }
    bool are_not_empty() const { return weight[0] > 0 && weight[1] > 0; }
    bool allow(Units least) const { return weight[0] >= least && weight[1] >= least; }
};

Halves halves_of(const CountsView& counts, std::size_t question);

// What the sides of each question cost at least.
struct Floors {
    std::vector<Weight> left, right;
    Weight of(std::size_t question) const { return left[question] + right[question]; }
};

// What is known of the trees below each question.
struct Below {
    std::vector<Weight> costs;  // of a tree; questions that do not split the rows have no limit
    Floors small_trees;         // what a leaf or one more question costs on the sides
    CutLine line;               // the cuts of the long column
};

class SmallTrees {
public:
    SmallTrees(const QuestionBits& table, Weight leaf_price, const Stops& stops)
        : table_(table), leaf_price_(leaf_price), stops_(stops), counter_(table) {}

    Found leaf(const CountsView& counts) const;
    void take_stump(const CountedSide& side, Found& best) const;
    // Says what is below each question, if it is asked for.
    void take_two_levels(const CountedSide& side, std::int64_t leaves, Found& best, Below* below);

    PairCounter& counter() { return counter_; }
    std::int64_t n_searched() const { return n_searched_; }

private:
    // A tree of two levels, without the questions below its root.
    struct TwoLevels {
        Split root;
        Weight cost = no_limit;
        std::array<bool, 2> is_split{};
        std::array<Units, 2> hits{};  // of the stumps
        Halves halves;

        int n_leaves() const { return 2 + is_split[0] + is_split[1]; }
    };
    TwoLevels two_levels(const Halves& halves, std::array<Units, 2> hits,
                         std::int64_t leaves) const;
    bool take_long_column(const CountedSide& side, std::int64_t leaves, TwoLevels& first,
                          Found& best, Below* below);
    void take_if_less(const TwoLevels& tree, Split root, TwoLevels& first);
    Plan side_plan(const CountedSide& side, const TwoLevels& tree, bool left);

    Weight leaf_cost(Weight weight, Weight hits) const {
        return (weight - hits) * table_.unit + leaf_price_;
    }
    Weight stump_cost(Weight weight, Weight hits) const {
        return hits < 0 ? no_limit : (weight - hits) * table_.unit + 2 * leaf_price_;
    }

    const QuestionBits& table_;
    Weight leaf_price_;
    const Stops& stops_;
    PairCounter counter_;
    StumpHits stumps_;
    std::int64_t n_searched_ = 0;
};

}  // namespace treewright::optimal
