// The trees of an ensemble, and how the columns that they ask were cut into bins.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/histogram/packed/ensemble_predict.hpp"
#include "core/histogram/packed/packed_trees.hpp"

namespace treewright::histogram {

// The arranged form of an ensemble: made on first use, and not copied with the ensemble. Once made
// it never changes: its owner predicts without a lock, even if the ensemble changes or goes. Two
// calls of `of`, or a call and a change of the ensemble, must not overlap: the bindings do both
// under the lock of the interpreter, which a fork waits for too.
class CachedPredictor {
public:
    CachedPredictor() = default;
    CachedPredictor(const CachedPredictor&) {}
    CachedPredictor& operator=(const CachedPredictor&) {
        predictor_.reset();
        n_walked_ = 0;
        return *this;
    }

    std::shared_ptr<const EnsemblePredictor> of(const PackedEnsemble& ensemble,
                                                const Combining& combining) const;

    // Whether these rows, and those asked for so far, are too few to arrange the trees for.
    bool may_walk(const PackedEnsemble& ensemble, const Combining& combining,
                  std::size_t n_rows) const;

private:
    mutable std::shared_ptr<const EnsemblePredictor> predictor_;
    mutable std::size_t n_walked_ = 0;  // rows
};

struct PackedEnsemble {
    std::vector<std::shared_ptr<const PackedTree>> trees;  // copies share them
    std::vector<BinnedColumn> columns;
    std::size_t n_values = 1;      // of a leaf
    bool values_are_sums = false;  // weights of classes; otherwise means

    CachedPredictor cache = {};

    std::shared_ptr<const EnsemblePredictor> predictor(const Combining& combining) const {
        return cache.of(*this, combining);
    }
    // Adds what predictor(combining) adds, without it: for a few rows.
    void add_predictions(const Rows& rows, const Combining& combining,
                         std::span<double> out) const;
    std::size_t n_nodes() const;
    std::size_t n_bytes() const;

    void add(PackedTree tree);

    // Replaces a tree by one whose predictions are `factor` times as large.
    void scale(std::size_t tree, double factor);

    // Replaces the trees from number `first` on by shrunk ones; see shrinkage.hpp.
    void shrink(std::size_t first, double strength, double prior, int n_threads,
                const std::function<void()>& check);
};

}  // namespace treewright::histogram
