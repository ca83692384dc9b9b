// Single trees: grown, used for predictions, pruned, explained.
#include <stdexcept>
#include <utility>

#include "core/grow/held_table.hpp"
#include "core/grow/subtree_table.hpp"
#include "core/parallel/cancellation.hpp"
#include "core/predict/predict.hpp"
#include "core/prune/cost_complexity.hpp"
#include "core/prune/error_pruning.hpp"
#include "core/shap/tree_shap.hpp"
#include "tests/kernels.hpp"
#include "tests/made_table.hpp"

namespace treewright::testing {
namespace {

using Check = std::function<void()>;

const MadeTable& table() {
    static const MadeTable made(90);
    return made;
}

void add_tree(Digest& digest, const GrownTree& tree) {
    digest.add(tree.kind);
    digest.add(tree.feature);
    digest.add(tree.threshold);
    digest.add(tree.first_child);
    digest.add(tree.missing_child);
    digest.add(tree.value);
    digest.add(tree.gain);
    digest.add(tree.level_code);
    digest.add(tree.level_child);
    digest.add(tree.cut);
    digest.add(tree.stop_reason);
}

// Growth asks whether to stop; here it is canceled by a throw, as in all other kernels.
std::function<bool()> asking(const Check& check) {
    return [&check] {
        check();
        return false;
    };
}

std::uint64_t grown_digest(const TrainingData& data, const Settings& settings, int n_threads,
                           const Check& check) {
    Digest digest;
    add_tree(digest, grow(data, settings, n_threads, asking(check)));
    return digest.value();
}

Settings c45() {
    Settings settings;
    settings.measure = Measure::entropy;
    settings.gain_ratio = true;
    settings.nominal = NominalSplit::branches;
    settings.missing = MissingPolicy::fractional;
    settings.limits_by_weight = true;
    settings.average_gain_filter = true;
    settings.mdl_correction = true;
    settings.data_value_thresholds = true;
    settings.min_samples_leaf = 2;
    return settings;
}

Settings cart() {
    Settings settings;
    settings.missing = MissingPolicy::surrogate;
    settings.max_surrogates = 5;
    return settings;
}

Settings with(Settings settings, Measure measure, MissingPolicy missing) {
    settings.measure = measure;
    settings.missing = missing;
    return settings;
}

Kernel growing(const char* name, Settings settings, bool classes = true) {
    return {name, [settings, classes](int n_threads, const Check& check) {
                const auto data = classes ? table().for_classes() : table().for_numbers();
                return grown_digest(data, settings, n_threads, check);
            }};
}

// The top of a tree, and the subtrees of its open nodes on another copy of the table.
Kernel handing_over(const char* name, Settings settings, bool classes = true) {
    return {name, [settings, classes](int n_threads, const Check& check) {
                const auto data = classes ? table().for_classes() : table().for_numbers();
                Digest digest;
                const auto top = grow_top(data, settings, {20, 3}, n_threads, asking(check));
                add_tree(digest, top.tree);
                SubtreeTable subtrees(data, settings, n_threads, check);
                for (const auto& node : top.nodes) {
                    digest.add(node.rows);
                    digest.add(node.columns);
                    add_tree(digest, subtrees.grow(node, n_threads, check));
                }
                return digest.value();
            }};
}

// A table held for a person: the best splits of the root, a given one, and growth from there.
Kernel holding(const char* name, Settings settings, bool classes = true) {
    return {name, [settings, classes](int n_threads, const Check& check) {
                const auto data = classes ? table().for_classes() : table().for_numbers();
                HeldTable held(data, settings, n_threads, check);
                std::vector<std::int64_t> some;
                for (std::size_t row = 0; row < data.n_rows; row += row % 3 + 1) {
                    some.push_back(static_cast<std::int64_t>(row));
                }
                const HeldNode node{some, {}, {}, {}};
                Digest digest;
                for (const auto& best : held.best_splits(node, n_threads, check)) {
                    for (const auto& side : best.sides) {
                        digest.add(side.of_class);
                        digest.add(std::vector{side.weight, side.mean, side.squares});
                    }
                    digest.add(std::vector{best.split.threshold});
                }
                GivenSplit given;
                given.threshold = data.columns[0].number(static_cast<std::size_t>(some[1]));
                try {
                    digest.add(std::vector{held.measure(node, given, check).n_cuts});
                    add_tree(digest, held.split(node, given, n_threads, check));
                } catch (const std::invalid_argument&) {  // the largest value, or a missing one
                }
                add_tree(digest, held.leaf(node, n_threads, check));
                add_tree(digest, held.grow(node, 3, n_threads, check));
                return digest.value();
            }};
}

std::vector<Kernel> growing_kernels() {
    Settings chi = with({}, Measure::chi_square, MissingPolicy::branch);
    chi.numeric = NumericSplit::intervals;
    chi.nominal = NominalSplit::branches;
    chi.significance = 0.2;
    Settings ordered = with({}, Measure::entropy, MissingPolicy::stop);
    ordered.numeric = NumericSplit::intervals;
    ordered.column_order = {2, 0, 1};
    Settings custom = with({}, Measure::custom, MissingPolicy::learned);
    custom.custom = [](std::span<const double> w) {
        double sum = 0, largest = 0;
        for (const double one : w) {
            sum += one;
            largest = one > largest ? one : largest;
        }
        return 1 - largest / sum;
    };
    Settings best_first = with({}, Measure::squared_error, MissingPolicy::learned);
    best_first.max_leaf_nodes = 9;
    Settings drawn = with({}, Measure::gini, MissingPolicy::majority);
    drawn.max_features = 2;
    drawn.nominal = NominalSplit::one_vs_rest;
    return {holding("hold: C4.5", c45()),
            holding("hold: CART with surrogates", cart()),
            holding("hold: squares", with({}, Measure::squared_error, MissingPolicy::learned),
                    false),
            handing_over("hand over: C4.5", c45()),
            handing_over("hand over: CART with surrogates", cart()),
            handing_over("hand over: spread squares",
                         with({}, Measure::squared_error, MissingPolicy::fractional), false),
            growing("grow: C4.5", c45()),
            growing("grow: CART with surrogates", cart()),
            growing("grow: chi-square and intervals", chi),
            growing("grow: given order", ordered),
            growing("grow: own measure", custom),
            growing("grow: best first", best_first, false),
            growing("grow: drawn columns", drawn),
            growing("grow: absolute error",
                    with({}, Measure::absolute_error, MissingPolicy::surrogate), false)};
}

const StoredTree& cart_tree() {
    static const StoredTree tree(grown(table().for_classes(), cart()), table().n_levels);
    return tree;
}

const StoredTree& c45_tree() {
    static const StoredTree tree(grown(table().for_classes(), c45()), table().n_levels);
    return tree;
}

std::uint64_t predict_all(int n_threads, const Check& check) {
    Digest digest;
    for (const StoredTree* tree : {&cart_tree(), &c45_tree()}) {
        const Predictor predictor(tree->view(), tree->arrays().value, MadeTable::n_classes);
        std::vector<double> values(table().n_rows() * MadeTable::n_classes);
        predictor.values(table().rows(), n_threads, values, check);
        std::vector<std::int32_t> leaves(table().n_rows());
        predictor.leaves(table().rows(), n_threads, leaves, check);
        const RowParts parts = predictor.parts(table().rows(), check);
        digest.add(values);
        digest.add(leaves);
        digest.add(parts.node);
        digest.add(parts.share);
    }
    return digest.value();
}

std::uint64_t prune_errors(int n_threads, const Check& check) {
    const std::vector<double> unit(MadeTable::n_classes, 1.0);
    const auto pruned =
        prune_by_errors(c45_tree().view(), table().rows(), {table().classes, {}},
                        {0.25, 0.6744897501960817, unit, {}}, n_threads, asking(check));
    Digest digest;
    digest.add(pruned.origin);
    digest.add(pruned.value);
    digest.add(pruned.as_branch);
    return digest.value();
}

std::uint64_t prices(int, const Check&) {
    const auto& tree = cart_tree().arrays();
    const std::vector<double> stopped(tree.kind.size());
    std::vector<double> found(tree.kind.size()), saving(tree.kind.size());
    const SubtreeRisks risks{tree.first_child, tree.n_children, tree.impurity, stopped};
    weakest_link_prices(risks, found);
    saving_per_leaf_prices(risks, 0.0, saving);
    Digest digest;
    digest.add(found);
    digest.add(saving);
    return digest.value();
}

using ShapSum = void (*)(const ShapTree&, const Rows&, const ShapWork&);

std::uint64_t shap(ShapSum sum, std::size_t per_row, int n_threads, const Check& check) {
    const auto interrupted = asking(check);
    Digest digest;
    for (const StoredTree* tree : {&cart_tree(), &c45_tree()}) {
        const ShapTree shap_tree(tree->view(), tree->arrays().value, MadeTable::n_classes);
        std::vector<double> out(table().n_rows() * per_row * MadeTable::n_classes);
        sum(shap_tree, table().rows(), {n_threads, interrupted, out});
        digest.add(out);
        digest.add(shap_tree.expected());
    }
    return digest.value();
}

void against_few_rows(const ShapTree& tree, const Rows& rows, const ShapWork& work) {
    add_shap_against(tree, rows, Columns{table().given, 12, 0}, work);
}

}  // namespace

std::vector<Kernel> tree_kernels() {
    constexpr std::size_t n = MadeTable::n_columns;
    std::vector<Kernel> kernels = growing_kernels();
    kernels.push_back({"predict", predict_all});
    kernels.push_back({"prune by errors", prune_errors});
    kernels.push_back({"prices of subtrees", prices, true});
    kernels.push_back({"Shapley values by weight", [](int n_threads, const Check& check) {
                           return shap(add_shap_by_weight, n, n_threads, check);
                       }});
    kernels.push_back({"Shapley values of pairs", [](int n_threads, const Check& check) {
                           return shap(add_shap_of_pairs, n * n, n_threads, check);
                       }});
    kernels.push_back({"Shapley values against rows", [](int n_threads, const Check& check) {
                           return shap(against_few_rows, n, n_threads, check);
                       }});
    return kernels;
}

}  // namespace treewright::testing
