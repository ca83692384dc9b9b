#include "core/histogram/packed/packed_ensemble.hpp"

#include <utility>

namespace treewright::histogram {
namespace {

template <class T>
std::size_t bytes_of(const std::vector<T>& values) {
    return values.size() * sizeof(T);
}

}  // namespace

std::shared_ptr<const EnsemblePredictor> CachedPredictor::of(const PackedEnsemble& ensemble,
                                                             const Combining& combining) const {
    if (!predictor_ || !predictor_->has_arranged(ensemble, combining)) {
        auto next = predictor_ ? std::make_shared<EnsemblePredictor>(*predictor_)
                               : std::make_shared<EnsemblePredictor>(ensemble);
        next->arrange(ensemble, combining);
        predictor_ = std::move(next);
    }
    return predictor_;
}

void PackedEnsemble::add(PackedTree tree) {
    trees.push_back(std::make_shared<const PackedTree>(std::move(tree)));
}

void PackedEnsemble::scale(std::size_t tree, double factor) {
    auto scaled = std::make_shared<PackedTree>(*trees[tree]);
    for (double& value : scaled->value) value *= factor;
    trees[tree] = std::move(scaled);
}

// A binary tree has one inner node less than leaves.
std::size_t PackedEnsemble::n_nodes() const {
    std::size_t n = 0;
    for (const auto& tree : trees) n += 2 * tree->n_leaves() - 1;
    return n;
}

std::size_t PackedEnsemble::n_bytes() const {
    std::size_t n = 0;
    for (const auto& tree : trees) {
        n += bytes_of(tree->nodes) + bytes_of(tree->gain) + bytes_of(tree->value) +
             bytes_of(tree->weight) + bytes_of(tree->n_rows) + bytes_of(tree->set_words);
    }
    for (const BinnedColumn& column : columns) n += bytes_of(column.cuts) + bytes_of(column.levels);
    return n;
}

}  // namespace treewright::histogram
