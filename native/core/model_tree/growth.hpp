// The tree before it has models: splits that reduce the deviation of the target most.
#pragma once

#include "core/model_tree/model_tree.hpp"

namespace treewright::model_tree {

struct GrownNode {
    std::uint32_t begin = 0, end = 0;  // the node's rows among those of `Growth`
    std::uint32_t first_child = 0;     // 0: a leaf
    std::int32_t feature = -1;
    std::int64_t depth = 0;
    double cut = 0.0;
    double weight = 0.0;
    double mean = 0.0;
    double squares = 0.0;  // weight times square of the distance from the mean, summed up
    double gain = 0.0;
    std::uint8_t stop_reason = 0;

    bool is_leaf() const { return first_child == 0; }
};

struct Growth {
    std::vector<GrownNode> nodes;
    std::vector<std::uint32_t> rows;  // in the order of the table within each leaf
};

Growth grow(const TrainingRows& rows, const ModelTreeSettings& settings, int n_threads,
            const std::function<void()>& check);

}  // namespace treewright::model_tree
