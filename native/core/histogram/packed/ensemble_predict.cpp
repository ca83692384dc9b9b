#include "core/histogram/packed/ensemble_predict.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/histogram/packed/packed_ensemble.hpp"
#include "core/histogram/packed/plane_tree.hpp"
#include "core/histogram/packed/symmetric_tree.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright::histogram {
namespace {

// Rows binned at once: they stay in the first-level cache, and a tree is read once for all.
constexpr std::size_t rows_of_block = 512;

// Fewer rows walk one by one, each through several trees at once.
constexpr std::size_t few_rows = 6;

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

struct EnsemblePredictor::Forms {
    Forms(const PackedTree& tree, std::span<const BinnedColumn> columns, std::size_t n_values,
          RowBlocks& blocks)
        : walking(tree, columns, blocks) {
        if (auto symmetric = SymmetricTree::of(tree, columns, blocks)) {
            keep(std::move(*symmetric));
        } else if (PlaneTree::fits(tree, columns)) {
            keep(PlaneTree(tree, columns, blocks));
        }
        if (n_values != 1) return;
        for (const std::uint32_t leaf : leaf_of_place) place_values.push_back(tree.value[leaf]);
    }

    template <class Form>
    void keep(Form form) {
        leaf_of_place = form.leaves();
        small = std::move(form);
    }
    // False if the rows of this block have to walk.
    bool find_places(RowBlock& block, std::uint8_t* places) const {
        if (!takes(ShortCut::tree_forms)) return false;
        if (const auto* symmetric = std::get_if<SymmetricTree>(&small)) {
            return symmetric->find(block, places);
        }
        if (const auto* planes = std::get_if<PlaneTree>(&small)) {
            planes->find(block, places);
            return true;
        }
        return false;
    }

    WalkingTree walking;
    std::variant<std::monostate, PlaneTree, SymmetricTree> small;  // another form, if it has one
    std::vector<std::uint32_t> leaf_of_place;                      // in that form
    std::vector<double> place_values;                              // of leaves with one value
};

bool EnsemblePredictor::ArrangedTree::is_prepared(LeafPrediction prediction) const {
    if (prediction == LeafPrediction::value) return true;
    return prediction == LeafPrediction::shares ? shares != nullptr : votes != nullptr;
}

void EnsemblePredictor::ArrangedTree::prepare(LeafPrediction prediction, std::size_t n_values) {
    if (is_prepared(prediction)) return;
    if (prediction == LeafPrediction::shares) {
        shares = std::make_shared<const std::vector<double>>(shares_of(*tree, n_values));
    } else {
        votes = std::make_shared<const std::vector<std::uint32_t>>(votes_of(*tree, n_values));
    }
}

EnsemblePredictor::EnsemblePredictor(const PackedEnsemble& ensemble)
    : columns_(std::make_shared<const std::vector<BinnedColumn>>(ensemble.columns)),
      n_values_(ensemble.n_values),
      blocks_(*columns_) {}

bool EnsemblePredictor::has_arranged(const PackedEnsemble& ensemble,
                                     const Combining& combining) const {
    if (trees_.size() < combining.last_tree) return false;
    for (std::size_t i = combining.first_tree; i < combining.last_tree; ++i) {
        if (trees_[i].tree != ensemble.trees[i]) return false;
        if (!trees_[i].is_prepared(combining.prediction)) return false;
    }
    return true;
}

void EnsemblePredictor::arrange(const PackedEnsemble& ensemble, const Combining& combining) {
    if (trees_.size() < combining.last_tree) trees_.resize(combining.last_tree);
    for (std::size_t i = combining.first_tree; i < combining.last_tree; ++i) {
        const auto& tree = ensemble.trees[i];
        if (trees_[i].tree != tree) {
            auto forms = std::make_shared<const Forms>(*tree, *columns_, n_values_, blocks_);
            trees_[i] = {tree, std::move(forms), nullptr, nullptr};
        }
        trees_[i].prepare(combining.prediction, n_values_);
    }
}

// ---------------------------------------------------------------------------- predicting

// What one thread needs for a block.
class EnsemblePredictor::Work {
public:
    Work(const EnsemblePredictor& predictor, std::size_t n_rows)
        : block(predictor.blocks_.make_block(n_rows)),
          predictor_(predictor),
          ends_(std::max(n_rows, WalkingTree::trees_at_once)),
          places_(block.stride) {}

    // Calls adder_for(tree)(row of the block, leaf) for all rows, those of a row in the order of
    // the trees.
    template <class AdderFor>
    void for_each_end(std::size_t first_tree, std::size_t last_tree, AdderFor adder_for) {
        if (has_few_rows()) return walk_few(first_tree, last_tree, adder_for);
        for (std::size_t i = first_tree; i < last_tree; ++i) {
            const Forms& tree = *predictor_.trees_[i].forms;
            auto add = adder_for(i);
            if (tree.find_places(block, places_.data())) {
                const std::uint32_t* const leaves = tree.leaf_of_place.data();
                for (std::size_t row = 0; row < block.n_rows; ++row) {
                    add(row, leaves[places_[row]]);
                }
            } else {
                tree.walking.walk(block, ends_.data());
                for (std::size_t row = 0; row < block.n_rows; ++row) {
                    add(row, leaf_at(i, ends_[row]));
                }
            }
        }
    }

    // The same for a single sum of values, the most common case.
    template <bool in_float32>
    void add_values(std::size_t first_tree, std::size_t last_tree, double* sums) {
        const auto adder_for = [&](std::size_t tree) {
            const double* const values = predictor_.trees_[tree].tree->value.data();
            return [=](std::size_t row, std::uint32_t leaf) {
                sums[row] = added<in_float32>(sums[row], values[leaf]);
            };
        };
        if (has_few_rows()) return walk_few(first_tree, last_tree, adder_for);
        for (std::size_t i = first_tree; i < last_tree; ++i) {
            const Forms& tree = *predictor_.trees_[i].forms;
            if (!tree.find_places(block, places_.data())) {
                for_each_end(i, i + 1, adder_for);
                continue;
            }
            const std::uint8_t* const places = places_.data();
            const double* const values = tree.place_values.data();
            for (std::size_t row = 0; row < block.n_rows; ++row) {
                sums[row] = added<in_float32>(sums[row], values[places[row]]);
            }
        }
    }

    RowBlock block;

private:
    bool has_few_rows() const { return block.n_rows <= few_rows && takes(ShortCut::trees_at_once); }
    std::uint32_t leaf_at(std::size_t tree, std::uint32_t slot) const {
        return predictor_.trees_[tree].tree->nodes[slot].child;
    }

    template <class AdderFor>
    void walk_few(std::size_t first_tree, std::size_t last_tree, AdderFor adder_for) {
        const WalkingTree* trees[WalkingTree::trees_at_once];
        for (std::size_t first = first_tree; first < last_tree;) {
            const std::size_t n = std::min(WalkingTree::trees_at_once, last_tree - first);
            for (std::size_t i = 0; i < n; ++i) {
                trees[i] = &predictor_.trees_[first + i].forms->walking;
            }
            for (std::size_t row = 0; row < block.n_rows; ++row) {
                WalkingTree::walk_one({trees, n}, block, row, ends_.data());
                for (std::size_t i = 0; i < n; ++i) {
                    adder_for(first + i)(row, leaf_at(first + i, ends_[i]));
                }
            }
            first += n;
        }
    }

    const EnsemblePredictor& predictor_;
    std::vector<std::uint32_t> ends_;
    std::vector<std::uint8_t> places_;
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

void EnsemblePredictor::add_predictions(const BlockSource& source, const Combining& combining,
                                        int n_threads, std::span<double> out,
                                        const std::function<void()>& check) const {
    const std::size_t n_outputs = combining.n_outputs, n_values = n_values_;
    const std::size_t first_tree = combining.first_tree, last_tree = combining.last_tree;
    for_each_block(source, n_threads, check, [&](Work& work, std::size_t first) {
        double* const sums = out.data() + first * n_outputs;
        if (combining.prediction == LeafPrediction::vote) {
            work.for_each_end(first_tree, last_tree, [&](std::size_t tree) {
                const std::uint32_t* const votes = trees_[tree].votes->data();
                return [=](std::size_t row, std::uint32_t leaf) {
                    sums[row * n_values + votes[leaf]] += 1;
                };
            });
        } else if (combining.prediction == LeafPrediction::shares) {
            work.for_each_end(first_tree, last_tree, [&](std::size_t tree) {
                const double* const shares = trees_[tree].shares->data();
                return [=](std::size_t row, std::uint32_t leaf) {
                    const double* const own = shares + leaf * n_values;
                    for (std::size_t k = 0; k < n_values; ++k) sums[row * n_values + k] += own[k];
                };
            });
        } else if (n_outputs == 1 && combining.in_float32) {
            work.add_values<true>(first_tree, last_tree, sums);
        } else if (n_outputs == 1) {
            work.add_values<false>(first_tree, last_tree, sums);
        } else {
            const bool in_float32 = combining.in_float32;
            work.for_each_end(first_tree, last_tree, [&](std::size_t tree) {
                const double* const values = trees_[tree].tree->value.data();
                double* const own = sums + tree % n_outputs;
                return [=](std::size_t row, std::uint32_t leaf) {
                    double& sum = own[row * n_outputs];
                    sum = in_float32 ? added<true>(sum, values[leaf]) : sum + values[leaf];
                };
            });
        }
    });
}

void EnsemblePredictor::find_leaves(const BlockSource& source, std::size_t first_tree,
                                    std::size_t last_tree, int n_threads,
                                    std::span<std::int32_t> out,
                                    const std::function<void()>& check) const {
    const std::size_t n_trees = last_tree - first_tree;
    std::vector<std::vector<std::int32_t>> node_of_leaf;
    for (std::size_t i = first_tree; i < last_tree; ++i) {
        node_of_leaf.push_back(nodes_of_leaves(*trees_[i].tree, *columns_));
    }
    for_each_block(source, n_threads, check, [&](Work& work, std::size_t first) {
        work.for_each_end(first_tree, last_tree, [&](std::size_t tree) {
            const std::int32_t* const nodes = node_of_leaf[tree - first_tree].data();
            std::int32_t* const own = out.data() + first * n_trees + (tree - first_tree);
            return [=](std::size_t row, std::uint32_t leaf) { own[row * n_trees] = nodes[leaf]; };
        });
    });
}

}  // namespace treewright::histogram
