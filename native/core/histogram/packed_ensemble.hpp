// The trees of an ensemble, and how the columns that they ask were cut into bins.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "core/histogram/ensemble_predict.hpp"
#include "core/histogram/packed_trees.hpp"

namespace treewright::histogram {

// The arranged form of an ensemble: made on first use, and left behind when the ensemble is copied.
class KeptPredictor {
public:
    KeptPredictor() = default;
    KeptPredictor(const KeptPredictor&) {}
    KeptPredictor& operator=(const KeptPredictor&) {
        predictor_.reset();
        return *this;
    }

    EnsemblePredictor& of(const PackedEnsemble& ensemble) const;
    void forget(std::size_t tree) const;

private:
    mutable std::mutex mutex_;
    mutable std::unique_ptr<EnsemblePredictor> predictor_;
};

struct PackedEnsemble {
    std::vector<PackedTree> trees;
    std::vector<BinnedColumn> columns;
    std::size_t n_values = 1;      // of a leaf
    bool values_are_sums = false;  // weights of classes; otherwise means

    KeptPredictor kept = {};

    EnsemblePredictor& predictor() const { return kept.of(*this); }
    std::size_t n_nodes() const;
    std::size_t n_bytes() const;

    // Multiplies the answers of a tree.
    void scale(std::size_t tree, double factor);
};

}  // namespace treewright::histogram
