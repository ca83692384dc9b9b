// Many trees: tables cut into bins, forests, boosting, isolation, and their predictions.
#include <memory>
#include <utility>

#include "core/histogram/boosting/gradient_tree.hpp"
#include "core/histogram/boosting/loss_derivatives.hpp"
#include "core/histogram/forest/forest_tree.hpp"
#include "core/histogram/forest/isolation_trees.hpp"
#include "core/histogram/forest/out_of_bag.hpp"
#include "core/histogram/packed/ensemble_arrays.hpp"
#include "core/histogram/packed/packed_ensemble.hpp"
#include "tests/kernels.hpp"
#include "tests/made_table.hpp"

namespace treewright::testing {
namespace {

using namespace histogram;
using Check = std::function<void()>;

const MadeTable& table() {
    static const MadeTable made(150);
    return made;
}

BinnedTable binned(int n_threads, const Check& check) {
    return bin_table(table().views, table().n_rows(),
                     plan_columns(table().views, table().n_rows(), {}, 16, n_threads, check),
                     n_threads, check);
}

const BinnedTable& bins() {
    static const BinnedTable made = binned(1, [] {});
    return made;
}

ForestSettings of_classes() {
    ForestSettings settings;
    settings.n_trees = 5;
    settings.n_drawn = table().n_rows();
    settings.max_features = 2;
    return settings;
}

std::vector<PackedTree> forest(const ForestSettings& settings, bool classes, int n_threads,
                               const Check& check) {
    ForestData data{bins(), 0, {}, {}, {}};
    if (classes) {
        data.n_classes = MadeTable::n_classes;
        data.classes = table().classes;
    } else {
        data.y = table().y;
        data.weight = table().weight;
    }
    return grow_forest(data, settings, n_threads, check);
}

PackedEnsemble ensemble_of(std::vector<PackedTree> trees, std::size_t n_values, bool sums) {
    PackedEnsemble ensemble{{}, bins().columns, n_values, sums};
    for (auto& tree : trees) ensemble.add(std::move(tree));
    return ensemble;
}

std::uint64_t digest_of(const PackedEnsemble& ensemble) {
    const auto arrays = arrays_of(ensemble);
    Digest digest;
    digest.add(arrays.question);
    digest.add(arrays.child);
    digest.add(arrays.value);
    digest.add(arrays.set_words);
    return digest.value();
}

std::uint64_t forest_of_classes(int n_threads, const Check& check) {
    return digest_of(ensemble_of(forest(of_classes(), true, n_threads, check), 3, true));
}

std::uint64_t random_forest_of_numbers(int n_threads, const Check& check) {
    ForestSettings settings = of_classes();
    settings.random_cuts = true;
    settings.max_leaf_nodes = 12;
    settings.drawing = Drawing::without_replacement;
    settings.n_drawn = 100;
    return digest_of(ensemble_of(forest(settings, false, n_threads, check), 1, false));
}

std::vector<PackedTree> boosted(Growth growth, Renewal renewal, int n_threads, const Check& check) {
    GradientTreeSettings settings;
    settings.limits.min_samples_leaf = 3;
    settings.growth = growth;
    settings.max_depth = 4;
    settings.columns.max_features = 0.9;
    GradientTreeGrower grower(bins(), settings, n_threads);
    std::vector<double> scores(table().n_rows()), first(table().n_rows());
    std::vector<PackedTree> trees;
    for (int round = 0; round < 3; ++round) {
        loss_gradients(Loss::squared_error, 0, {table().y, {}, scores, {}}, first, {}, n_threads,
                       check);
        trees.push_back(grower.grow({first, {}, {}, false}, {renewal, 0.5, table().y},
                                    {{}, table().n_rows()}, scores, check));
    }
    return trees;
}

Kernel boosting(const char* name, Growth growth, Renewal renewal) {
    return {name, [growth, renewal](int n_threads, const Check& check) {
                return digest_of(ensemble_of(boosted(growth, renewal, n_threads, check), 1, false));
            }};
}

std::uint64_t isolation(int n_threads, const Check& check) {
    IsolationSettings settings;
    settings.n_trees = 4;
    settings.n_drawn = 64;
    settings.drawing = Drawing::without_replacement;
    settings.max_features = MadeTable::n_columns;
    Digest digest;
    for (const auto& tree :
         grow_isolation_trees(table().views, table().n_rows(), settings, n_threads, check)) {
        digest.add(tree.feature);
        digest.add(tree.threshold);
        digest.add(tree.value);
    }
    return digest.value();
}

const PackedEnsemble& kept_forest() {
    static const PackedEnsemble made =
        ensemble_of(forest(of_classes(), true, 1, [] {}), MadeTable::n_classes, true);
    return made;
}

std::uint64_t predictions_of_all_trees(int n_threads, const Check& check) {
    const PackedEnsemble copy = kept_forest();  // nothing is arranged in it yet
    Digest digest;
    for (const LeafPrediction kind : {LeafPrediction::shares, LeafPrediction::vote}) {
        const Combining combining{kind, MadeTable::n_classes, 0, copy.trees.size()};
        std::vector<double> out(table().n_rows() * MadeTable::n_classes);
        copy.predictor(combining)
            ->add_predictions(table().rows(), combining, n_threads, out, check);
        digest.add(out);
    }
    return digest.value();
}

std::uint64_t out_of_bag_predictions(int n_threads, const Check& check) {
    std::vector<double> sums(table().n_rows() * MadeTable::n_classes);
    std::vector<std::uint32_t> n_trees(table().n_rows());
    add_out_of_bag(kept_forest(), bins(), of_classes(), 0, false, {sums, n_trees}, n_threads,
                   check);
    Digest digest;
    digest.add(sums);
    digest.add(n_trees);
    return digest.value();
}

std::uint64_t shrunk_forest(int n_threads, const Check& check) {
    const std::vector<std::uint32_t> rows{0, 3, 50, 120, 149};
    std::vector<std::int32_t> classes;
    for (const auto row : rows) classes.push_back(table().classes[row]);
    const std::vector<double> strengths{0.0, 1.0, 25.0};
    std::vector<double> sums(rows.size() * strengths.size());
    std::vector<std::uint32_t> n_trees(rows.size());
    add_shrunk_out_of_bag(kept_forest(), bins(), of_classes(), {rows, classes, strengths, 1.0},
                          {sums, n_trees}, n_threads, check);
    PackedEnsemble forest = kept_forest();
    forest.shrink(1, 25.0, 1.0, n_threads, check);
    Digest digest;
    digest.add(sums);
    digest.add(n_trees);
    for (const auto& tree : forest.trees) digest.add(tree->value);
    return digest.value();
}

std::uint64_t cut_into_bins(int n_threads, const Check& check) {
    const BinnedTable made = binned(n_threads, check);
    Digest digest;
    digest.add(std::span(made.by_row.data(), made.by_row.size()));
    return digest.value();
}

std::uint64_t arrays_and_back(int, const Check& check) {
    const auto arrays = arrays_of(kept_forest(), check);
    const EnsembleArrays<Borrowed> given{
        arrays.slot_start, arrays.question,  arrays.child,       arrays.gain,
        arrays.leaf_start, arrays.value,     arrays.weight,      arrays.n_rows,
        arrays.set_start,  arrays.set_words, arrays.column_kind, arrays.has_missing,
        arrays.cut_start,  arrays.cuts,      arrays.level_start, arrays.levels};
    const PackedEnsemble back =
        ensemble_from(given, {MadeTable::n_classes, true, table().n_levels}, check);
    const GrownTree tree = unpacked(*back.trees[0], back.columns, back.n_values, true);
    Digest digest;
    digest.add(tree.value);
    digest.add(tree.level_code);
    return digest.value() ^ digest_of(back);
}

}  // namespace

std::vector<Kernel> ensemble_kernels() {
    return {{"cut into bins", cut_into_bins},
            {"forest of classes", forest_of_classes},
            {"forest of numbers, random cuts", random_forest_of_numbers},
            boosting("boosting, leaf by leaf", Growth::leaf, Renewal::none),
            boosting("boosting, level by level", Growth::level, Renewal::quantile),
            boosting("boosting, symmetric", Growth::symmetric, Renewal::huber),
            {"isolation trees", isolation},
            {"predictions of all trees", predictions_of_all_trees},
            {"predictions out of bag", out_of_bag_predictions},
            {"shrunk forest", shrunk_forest},
            {"arrays and back", arrays_and_back}};
}

}  // namespace treewright::testing
