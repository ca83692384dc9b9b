// Growing one tree of a boosted model.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/boosting/column_choice.hpp"
#include "core/histogram/boosting/gradient_split.hpp"
#include "core/histogram/boosting/leaf_values.hpp"
#include "core/histogram/packed/packed_trees.hpp"

namespace treewright::histogram {

// Which node is split next: that of the largest gain; that nearest to the root; or all nodes of a
// level at once, by the same question.
enum class Growth : std::uint8_t { leaf, level, symmetric };

struct GradientTreeSettings {
    SplitLimits limits;
    ColumnSettings columns;
    Growth growth = Growth::leaf;
    std::int64_t max_leaf_nodes = 31;
    std::int64_t max_depth = INT64_MAX;
    double learning_rate = 0.1;
    // By column: 1 if predictions may only rise with it, -1 if only fall, 0 if both. Empty: 0.
    std::vector<std::int32_t> monotone;
};

class PartitionedRows;

// Grows the trees of a model, one after the other, on the same table, which must outlive it: memory
// is allocated once, with a folder most of it in its files.
class GradientTreeGrower {
public:
    GradientTreeGrower(const BinnedTable& table, const GradientTreeSettings& settings,
                       int n_threads, const Folder& folder = {});
    ~GradientTreeGrower();

    // A tree on the given rows. The values of its leaves, times the learning rate, are
    // added to the scores of all rows of the table. `check` may throw to cancel.
    PackedTree grow(const Gradients& gradients, const LeafRenewal& renewal, const GrownOn& rows,
                    std::span<double> scores, const std::function<void()>& check);

    // The same tree from rows that are elsewhere, in any number of parts, of which `n_drawn` are
    // grown on. The table has the number of all rows and how columns were cut, but no bytes. Nodes
    // of more than `few_rows` have no numbers of rows by bin unless a split depends on them.
    PackedTree grow(PartitionedRows& rows, std::size_t n_drawn, std::size_t few_rows,
                    const std::function<void()>& check);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace treewright::histogram
