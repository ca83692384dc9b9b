// Prediction by all trees of an ensemble.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/histogram/packed/packed_trees.hpp"
#include "core/histogram/packed/row_blocks.hpp"
#include "core/histogram/packed/walking_tree.hpp"

namespace treewright::histogram {

struct PackedEnsemble;

// What a leaf adds to the prediction for a row.
//   value   its one value, to output number (tree % n_outputs)
//   shares  its values, divided by their sum
//   vote    1 for the largest of its values, the first on ties
enum class LeafPrediction : std::uint8_t { value, shares, vote };

struct Combining {
    LeafPrediction prediction = LeafPrediction::value;
    std::size_t n_outputs = 1;
    std::size_t first_tree = 0, last_tree = 0;  // the last one is left out
    bool in_float32 = false;  // sums of values are rounded after each tree, as float32 sums are
};

// A sum as doubles or floats have it. For two floats, the double sum rounds to the float sum.
template <bool in_float32>
double added(double sum, double value) {
    if constexpr (in_float32) return static_cast<float>(sum + value);
    return sum + value;
}

// Trees arranged for prediction. The predictions for a row are summed in the order of the trees,
// for any number of threads or rows. Threads may share a predictor once it is arranged; copies
// share what has been arranged.
class EnsemblePredictor {
public:
    explicit EnsemblePredictor(const PackedEnsemble& ensemble);

    // Must be called before a prediction.
    bool has_arranged(const PackedEnsemble& ensemble, const Combining& combining) const;
    void arrange(const PackedEnsemble& ensemble, const Combining& combining);

    // Adds to `out`, n_outputs numbers per row. `check` may throw to cancel.
    void add_predictions(const BlockSource& source, const Combining& combining, int n_threads,
                         std::span<double> out, const std::function<void()>& check) const;

    // The nodes where rows end, numbered as in the unpacked trees: one per tree for each row.
    void find_leaves(const BlockSource& source, std::size_t first_tree, std::size_t last_tree,
                     int n_threads, std::span<std::int32_t> out,
                     const std::function<void()>& check) const;

private:
    struct Forms;
    class Work;
    struct ArrangedTree {
        std::shared_ptr<const PackedTree> tree;
        std::shared_ptr<const Forms> forms;
        std::shared_ptr<const std::vector<double>> shares;        // by leaf, once needed
        std::shared_ptr<const std::vector<std::uint32_t>> votes;  // by leaf, once needed

        bool is_prepared(LeafPrediction prediction) const;
        void prepare(LeafPrediction prediction, std::size_t n_values);
    };

    template <class Use>
    void for_each_block(const BlockSource& source, int n_threads,
                        const std::function<void()>& check, Use use) const;

    std::shared_ptr<const std::vector<BinnedColumn>> columns_;  // its own: copies share them
    std::size_t n_values_;
    RowBlocks blocks_;
    std::vector<ArrangedTree> trees_;
};

}  // namespace treewright::histogram
