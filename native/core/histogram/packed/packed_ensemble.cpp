#include "core/histogram/packed/packed_ensemble.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/histogram/packed/row_sides.hpp"
#include "core/histogram/packed/shrinkage.hpp"
#include "core/parallel/thread_pool.hpp"

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

// To arrange a forest of 2.1 million nodes takes 50 ms, a row of it 0.2 ms without that.
bool CachedPredictor::may_walk(const PackedEnsemble& ensemble, const Combining& combining,
                               std::size_t n_rows) const {
    constexpr std::size_t most_rows = 64;
    if (predictor_ && predictor_->has_arranged(ensemble, combining)) return false;
    n_walked_ += std::min(n_rows, most_rows);
    return n_walked_ < most_rows;
}

void PackedEnsemble::add_predictions(const Rows& rows, const Combining& combining,
                                     std::span<double> out) const {
    const std::size_t n_outputs = combining.n_outputs;
    for (std::size_t row = 0; row * n_outputs < out.size(); ++row) {
        const RowSides sides(columns, rows, row);
        double* const sums = out.data() + row * n_outputs;
        for (std::size_t at = combining.first_tree; at < combining.last_tree; ++at) {
            const PackedTree& tree = *trees[at];
            const double* const values = tree.value.data() + sides.leaf_of(tree) * n_values;
            switch (combining.prediction) {
                case LeafPrediction::value: {
                    double& sum = sums[at % n_outputs];
                    sum = combining.in_float32 ? added<true>(sum, *values) : sum + *values;
                    break;
                }
                case LeafPrediction::vote:
                    sums[std::max_element(values, values + n_values) - values] += 1;
                    break;
                case LeafPrediction::shares: {
                    const double sum = std::accumulate(values, values + n_values, 0.0);
                    for (std::size_t k = 0; k < n_values; ++k) sums[k] += values[k] / sum;
                }
            }
        }
    }
}

void PackedEnsemble::add(PackedTree tree) {
    trees.push_back(std::make_shared<const PackedTree>(std::move(tree)));
}

void PackedEnsemble::scale(std::size_t tree, double factor) {
    auto scaled = std::make_shared<PackedTree>(*trees[tree]);
    for (double& value : scaled->value) value *= factor;
    trees[tree] = std::move(scaled);
}

void PackedEnsemble::shrink(std::size_t first, double strength, double prior, int n_threads,
                            const std::function<void()>& check) {
    const LeafForm form{n_values, values_are_sums, prior};
    run_tasks(trees.size() - first, n_threads, [&](std::size_t i, int) {
        check();
        auto& tree = trees[first + i];
        tree = std::make_shared<const PackedTree>(shrunk(*tree, columns, form, strength));
    });
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
