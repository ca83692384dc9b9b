// Growing one tree of a boosted model.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/gradient_split.hpp"
#include "core/histogram/packed_trees.hpp"

namespace treewright::histogram {

struct GradientTreeSettings {
    SplitLimits limits;
    std::int64_t max_leaf_nodes = 31;
    std::int64_t max_depth = INT64_MAX;
    double learning_rate = 0.1;
};

// Grows the trees of a model, one after the other, on the same table: memory is asked for once.
class GradientTreeGrower {
public:
    GradientTreeGrower(const BinnedTable& table, const GradientTreeSettings& settings,
                       int n_threads);
    ~GradientTreeGrower();

    // A tree on the given rows, ascending. The answers of its leaves, times the learning rate, are
    // added to the scores of these rows. `check` may throw to give up.
    PackedTree grow(const Gradients& gradients, std::span<const std::uint32_t> rows,
                   std::span<double> scores, const std::function<void()>& check);

private:
    class Growth;
    std::unique_ptr<Growth> growth_;
};

}  // namespace treewright::histogram
