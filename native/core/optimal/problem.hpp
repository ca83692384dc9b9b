// What an optimal tree is looked for in: rows as codes, and the questions that may be asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::optimal {

// Weights are whole numbers (the caller scales them), so every sum is exact and in any order.
using Weight = std::int64_t;

// Values of a column as codes below `n_values`, in the order of the values; a missing value has
// the code `n_values`.
struct Column {
    std::span<const std::uint32_t> codes;
    std::uint32_t n_values = 0;
};

// A family of questions whose left sides are nested: the codes in some order, cut at any place.
// A set of levels has two positions only, so one question.
struct Feature {
    enum class Kind : std::uint8_t { missing_last, missing_first, set, set_with_missing };
    std::int32_t column = 0;
    Kind kind = Kind::missing_last;
    std::span<const std::uint32_t> set;  // levels that go left; ascending

    bool is_set() const { return kind == Kind::set || kind == Kind::set_with_missing; }
    bool takes_missing_left() const {
        return kind == Kind::missing_first || kind == Kind::set_with_missing;
    }
};

// Rows that are alike in all columns and in the class are one row here.
struct Problem {
    std::vector<Column> columns;
    std::vector<Feature> features;  // by column
    std::span<const std::uint32_t> classes;
    std::span<const Weight> weights;
    std::span<const std::uint32_t> n_rows;  // how many rows of the table each row stands for
    std::span<const Weight> sure_loss;      // weight that no tree gets right: others are alike
    std::uint32_t n_classes = 0;

    std::size_t size() const { return classes.size(); }
};

// What a leaf needs.
struct LeafLimits {
    std::int64_t min_rows = 1;
    Weight min_weight = 0;

    bool allow_all() const { return min_rows <= 1 && min_weight <= 0; }
    bool allow(std::int64_t n_rows, Weight weight) const {
        return n_rows >= min_rows && weight >= min_weight;
    }
};

struct Limits {
    int max_depth = 3;
    std::int64_t max_leaves = 8;
    Weight leaf_price = 0;
    LeafLimits leaf;
    double seconds = 0;  // 0: no limit
    int n_threads = 1;
    Weight start_cost = Weight{1} << 62;  // of a tree that is known; only better ones are of use
};

// The nodes of a tree in preorder; the left child comes right after its parent.
struct PlannedNode {
    std::int32_t feature = -1;  // -1: a leaf
    std::uint32_t cut = 0;      // positions up to this go left
};

struct Solution {
    std::vector<PlannedNode> tree;
    Weight cost = 0;              // weight of the errors + price of the leaves
    Weight bound = 0;             // no tree costs less, also none that was known before
    bool proven = false;          // neither this tree nor the one known before can be improved
    std::int64_t n_searched = 0;  // questions asked at inner nodes
};

}  // namespace treewright::optimal
