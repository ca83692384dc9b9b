// The trees of an ensemble, and how the columns that they ask were cut into bins.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/histogram/packed/ensemble_predict.hpp"
#include "core/histogram/packed/packed_trees.hpp"

namespace treewright::histogram {

// The arranged form of an ensemble: made on first use, and left behind when the ensemble is copied.
// Once made it never changes: whoever has it predicts without a lock, whatever becomes of the
// ensemble. Only to ask for it must not coincide with asking for it or with a change elsewhere: the
// bindings do both under the lock of the interpreter, which also is what a fork waits for.
class KeptPredictor {
public:
    KeptPredictor() = default;
    KeptPredictor(const KeptPredictor&) {}
    KeptPredictor& operator=(const KeptPredictor&) {
        predictor_.reset();
        return *this;
    }

    std::shared_ptr<const EnsemblePredictor> of(const PackedEnsemble& ensemble,
                                                const Combining& combining) const;

private:
    mutable std::shared_ptr<const EnsemblePredictor> predictor_;
};

struct PackedEnsemble {
    std::vector<std::shared_ptr<const PackedTree>> trees;  // copies share them
    std::vector<BinnedColumn> columns;
    std::size_t n_values = 1;      // of a leaf
    bool values_are_sums = false;  // weights of classes; otherwise means

    KeptPredictor kept = {};

    std::shared_ptr<const EnsemblePredictor> predictor(const Combining& combining) const {
        return kept.of(*this, combining);
    }
    std::size_t n_nodes() const;
    std::size_t n_bytes() const;

    void add(PackedTree tree);

    // Puts a tree in the place of another that answers as many times as much.
    void scale(std::size_t tree, double factor);
};

}  // namespace treewright::histogram
