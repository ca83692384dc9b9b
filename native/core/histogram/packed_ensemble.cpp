#include "core/histogram/packed_ensemble.hpp"

namespace treewright::histogram {
namespace {

template <class T>
std::size_t bytes_of(const std::vector<T>& values) {
    return values.size() * sizeof(T);
}

}  // namespace

EnsemblePredictor& KeptPredictor::of(const PackedEnsemble& ensemble) const {
    const std::lock_guard lock(mutex_);
    if (!predictor_) predictor_ = std::make_unique<EnsemblePredictor>(ensemble);
    return *predictor_;
}

void KeptPredictor::forget(std::size_t tree) const {
    const std::lock_guard lock(mutex_);
    if (predictor_) predictor_->forget(tree);
}

void PackedEnsemble::scale(std::size_t tree, double factor) {
    for (double& value : trees[tree].value) value *= factor;
    kept.forget(tree);
}

// A binary tree has one inner node less than leaves.
std::size_t PackedEnsemble::n_nodes() const {
    std::size_t n = 0;
    for (const PackedTree& tree : trees) n += 2 * tree.n_leaves() - 1;
    return n;
}

std::size_t PackedEnsemble::n_bytes() const {
    std::size_t n = 0;
    for (const PackedTree& tree : trees) {
        n += bytes_of(tree.nodes) + bytes_of(tree.gain) + bytes_of(tree.value) +
             bytes_of(tree.weight) + bytes_of(tree.n_rows) + bytes_of(tree.set_words);
    }
    for (const BinnedColumn& column : columns) n += bytes_of(column.cuts) + bytes_of(column.levels);
    return n;
}

}  // namespace treewright::histogram
