// What growth hands over: flat arrays, as documented in src/treewright/tree/tree.py.
#pragma once

#include <cstdint>
#include <vector>

namespace treewright {

enum class SplitKind : std::uint8_t { leaf, threshold, branches, intervals, subset };

enum class StopReason : std::uint8_t {
    none,
    pure,
    no_candidate,
    max_depth,
    max_leaf_nodes,
    max_splits,
    min_samples_split,
    min_samples_leaf,
    min_gain,
    significance,
    error_estimate,
    validation,
    collapsed,
    pruned,
    empty,
    by_hand = 17,  // 15 and 16 are not the grower's
};

inline constexpr std::int32_t missing_stops = -1;
inline constexpr std::int32_t missing_spreads = -2;

struct Surrogate {
    SplitKind kind = SplitKind::threshold;
    std::int32_t feature = 0;
    double threshold = 0;
    bool flip = false;
    double agreement = 0;
    std::vector<std::int32_t> level_code, level_child;
};

struct Competitor {
    std::int32_t feature = 0;
    double gain = 0, score = 0, threshold = 0;
    bool tied = false;
};

struct GrownTree {
    std::size_t n_values = 1;
    std::vector<std::uint8_t> kind;
    std::vector<std::int32_t> feature;
    std::vector<double> threshold;
    std::vector<std::int32_t> first_child, n_children, missing_child;
    std::vector<double> value, weight;
    std::vector<std::int64_t> n_rows;
    std::vector<double> impurity, gain, score;
    std::vector<std::uint8_t> stop_reason;
    std::vector<std::int32_t> split_order;

    std::vector<std::int64_t> level_start;
    std::vector<std::int32_t> level_code, level_child;
    std::vector<std::int64_t> cut_start;
    std::vector<double> cut;
    std::vector<std::int64_t> surrogate_start;
    std::vector<Surrogate> surrogates;
    std::vector<std::int64_t> competitor_start;
    std::vector<Competitor> competitors;
};

}  // namespace treewright
