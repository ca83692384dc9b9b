#include "core/histogram/ensemble_predict.hpp"

#include <algorithm>

#include "core/histogram/packed_ensemble.hpp"
#include "core/parallel.hpp"

namespace treewright::histogram {
namespace {

// Rows binned at once: they stay in the first-level cache, and a tree is read once for all.
constexpr std::size_t rows_of_block = 512;

std::vector<double> shares_of(const PackedTree& tree, std::size_t n_values) {
    std::vector<double> shares(tree.value);
    for (std::size_t first = 0; first < shares.size(); first += n_values) {
        double sum = 0;
        for (std::size_t i = 0; i < n_values; ++i) sum += shares[first + i];
        for (std::size_t i = 0; i < n_values; ++i) shares[first + i] /= sum;
    }
    return shares;
}

std::vector<std::uint32_t> votes_of(const PackedTree& tree, std::size_t n_values) {
    std::vector<std::uint32_t> votes(tree.n_leaves());
    for (std::size_t leaf = 0; leaf < votes.size(); ++leaf) {
        const auto first = tree.value.begin() + static_cast<std::ptrdiff_t>(leaf * n_values);
        const auto largest = std::max_element(first, first + static_cast<std::ptrdiff_t>(n_values));
        votes[leaf] = static_cast<std::uint32_t>(largest - first);
    }
    return votes;
}

}  // namespace

// ---------------------------------------------------------------------------- arranging

struct EnsemblePredictor::ArrangedTree {
    WalkingTree walking;
    std::vector<double> shares;        // by leaf; made when shares are asked for
    std::vector<std::uint32_t> votes;  // by leaf; made when votes are asked for

    void prepare(const PackedTree& tree, LeafAnswer answer, std::size_t n_values) {
        if (answer == LeafAnswer::shares && shares.empty()) shares = shares_of(tree, n_values);
        if (answer == LeafAnswer::vote && votes.empty()) votes = votes_of(tree, n_values);
    }
    bool is_prepared(LeafAnswer answer) const {
        return answer == LeafAnswer::value ||
               !(answer == LeafAnswer::shares ? shares.empty() : votes.empty());
    }
};

EnsemblePredictor::EnsemblePredictor(const PackedEnsemble& ensemble)
    : ensemble_(ensemble), blocks_(ensemble.columns) {}
EnsemblePredictor::~EnsemblePredictor() = default;

bool EnsemblePredictor::is_arranged(const Combining& combining) const {
    if (trees_.size() < combining.last_tree) return false;
    for (std::size_t i = combining.first_tree; i < combining.last_tree; ++i) {
        if (!trees_[i] || !trees_[i]->is_prepared(combining.answer)) return false;
    }
    return true;
}

void EnsemblePredictor::arrange(const Combining& combining) {
    if (trees_.size() < combining.last_tree) trees_.resize(combining.last_tree);
    for (std::size_t i = combining.first_tree; i < combining.last_tree; ++i) {
        const PackedTree& tree = ensemble_.trees[i];
        if (!trees_[i]) {
            trees_[i].reset(
                new ArrangedTree{WalkingTree(tree, ensemble_.columns, blocks_), {}, {}});
        }
        trees_[i]->prepare(tree, combining.answer, ensemble_.n_values);
    }
}

std::shared_lock<std::shared_mutex> EnsemblePredictor::arranged(const Combining& combining) {
    while (true) {
        std::shared_lock shared(mutex_);
        if (is_arranged(combining)) return shared;
        shared.unlock();
        const std::unique_lock alone(mutex_);
        arrange(combining);
    }
}

void EnsemblePredictor::forget(std::size_t tree) {
    const std::unique_lock alone(mutex_);
    if (tree < trees_.size()) trees_[tree].reset();
}

// ---------------------------------------------------------------------------- predicting

// What one thread needs for a block.
class EnsemblePredictor::Work {
public:
    Work(const EnsemblePredictor& predictor, std::size_t n_rows)
        : predictor_(predictor), block(predictor.blocks_.make_block(n_rows)), ends_(n_rows) {}

    // Calls give(row in block, leaf) for the rows of the block.
    template <class Give>
    void for_each_end(std::size_t tree, Give give) {
        const PackedNode* const nodes = predictor_.ensemble_.trees[tree].nodes.data();
        predictor_.trees_[tree]->walking.walk(block, ends_.data());
        for (std::size_t row = 0; row < block.n_rows; ++row) give(row, nodes[ends_[row]].child);
    }

private:
    const EnsemblePredictor& predictor_;

public:
    RowBlock block;

private:
    std::vector<std::uint32_t> ends_;
};

template <class Use>
void EnsemblePredictor::for_each_block(const BlockSource& source, int n_threads,
                                       const std::function<void()>& check, Use use) const {
    const std::size_t n_rows = n_rows_of(source);
    const std::size_t n_at_once = std::min(n_rows, rows_of_block);
    if (n_rows == 0) return;
    const std::size_t n_blocks = (n_rows + n_at_once - 1) / n_at_once;
    std::vector<std::unique_ptr<Work>> work(
        static_cast<std::size_t>(std::max(1, usable_threads(n_threads))));
    run_tasks(n_blocks, n_threads, [&](std::size_t at, int worker) {
        check();
        auto& own = work[static_cast<std::size_t>(worker)];
        if (!own) own = std::make_unique<Work>(*this, n_at_once);
        const std::size_t first = at * n_at_once;
        blocks_.fill(source, first, std::min(n_at_once, n_rows - first), own->block);
        use(*own, first);
    });
}

void EnsemblePredictor::add_answers(const BlockSource& source, const Combining& combining,
                                    int n_threads, std::span<double> out,
                                    const std::function<void()>& check) {
    const auto lock = arranged(combining);
    const std::size_t n_outputs = combining.n_outputs, n_values = ensemble_.n_values;
    for_each_block(source, n_threads, check, [&](Work& work, std::size_t first) {
        double* const sums = out.data() + first * n_outputs;
        for (std::size_t i = combining.first_tree; i < combining.last_tree; ++i) {
            const ArrangedTree& tree = *trees_[i];
            if (combining.answer == LeafAnswer::value) {
                const double* const values = ensemble_.trees[i].value.data();
                double* const own_sums = sums + i % n_outputs;
                work.for_each_end(i, [&](std::size_t row, std::uint32_t leaf) {
                    own_sums[row * n_outputs] += values[leaf];
                });
            } else if (combining.answer == LeafAnswer::shares) {
                work.for_each_end(i, [&](std::size_t row, std::uint32_t leaf) {
                    const double* const shares = tree.shares.data() + leaf * n_values;
                    for (std::size_t k = 0; k < n_values; ++k) sums[row * n_values + k] += shares[k];
                });
            } else {
                work.for_each_end(i, [&](std::size_t row, std::uint32_t leaf) {
                    sums[row * n_values + tree.votes[leaf]] += 1;
                });
            }
        }
    });
}

void EnsemblePredictor::find_leaves(const BlockSource& source, std::size_t first_tree,
                                    std::size_t last_tree, int n_threads,
                                    std::span<std::int32_t> out,
                                    const std::function<void()>& check) {
    const auto lock = arranged({LeafAnswer::value, 1, first_tree, last_tree});
    const std::size_t n_trees = last_tree - first_tree;
    std::vector<std::vector<std::int32_t>> node_of_leaf;
    for (std::size_t i = first_tree; i < last_tree; ++i) {
        node_of_leaf.push_back(nodes_of_leaves(ensemble_.trees[i], ensemble_.columns));
    }
    for_each_block(source, n_threads, check, [&](Work& work, std::size_t first) {
        for (std::size_t i = 0; i < n_trees; ++i) {
            work.for_each_end(first_tree + i, [&](std::size_t row, std::uint32_t leaf) {
                out[(first + row) * n_trees + i] = node_of_leaf[i][leaf];
            });
        }
    });
}

}  // namespace treewright::histogram
