#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "bindings/histogram_table.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "core/histogram/forest/forest_tree.hpp"
#include "core/histogram/forest/out_of_bag.hpp"
#include "core/histogram/packed/packed_ensemble.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::BinnedTable;
using histogram::Drawing;
using histogram::ForestSettings;
using histogram::PackedEnsemble;
using histogram::RowDrawing;

namespace {

PackedEnsemble grow_forest(const BinnedTable& table, nb::handle target, nb::handle weight,
                           std::size_t n_classes, const ForestSettings& settings, int n_threads) {
    const Buffer targets(target, "target");
    require(targets.n_axes() == 1 && targets.length(0) == table.n_rows,
            "target: one value per row");
    const BorrowedWeights weights(weight, table.n_rows);
    histogram::ForestData data{table, n_classes, {}, {}, weights.values};
    require(n_classes <= UINT16_MAX, "target: at most 65,535 classes");
    if (n_classes > 0) {
        data.classes = targets.elements<std::int32_t>();
        for (const auto cls : data.classes) {
            require(cls >= 0 && static_cast<std::size_t>(cls) < n_classes,
                    "target: a class out of range");
        }
    } else {
        data.y = targets.elements<double>();
    }
    const double total = std::accumulate(data.weight.begin(), data.weight.end(), 0.0);
    require(std::isfinite(total * UINT8_MAX), "weight: the sum is too large");
    auto trees = interruptible([&](const auto& check) {
        return histogram::grow_forest(data, settings, n_threads, check);
    });
    PackedEnsemble forest{{}, table.columns, std::max<std::size_t>(1, n_classes), n_classes > 0};
    for (auto& tree : trees) forest.add(std::move(tree));
    return forest;
}

nb::object draw_rows(const RowDrawing& settings, std::size_t tree, std::size_t n_rows) {
    require(n_rows > 0 && n_rows < UINT32_MAX - 1, "rows: at least one, at most 2^32 - 3");
    return owned_array(histogram::draw_rows(settings, tree, n_rows));
}

void add_out_of_bag(const PackedEnsemble& forest, const BinnedTable& table,
                    const ForestSettings& settings, bool hard, nb::handle sums, nb::handle n_trees,
                    int n_threads) {
    const Buffer out_sums(sums, "sums", true), out_trees(n_trees, "n_trees", true);
    const histogram::OutOfBag out{out_sums.writable_elements<double>(),
                                  out_trees.writable_elements<std::uint32_t>()};
    require_same_bins(forest.columns, table.columns, "trees");
    require(out.sums.size() == table.n_rows * forest.n_values && out.n_trees.size() == table.n_rows,
            "sums, n_trees: one line per row");
    const PackedEnsemble trees = forest;  // a copy: other threads may add to it
    interruptible([&](const auto& check) {
        histogram::add_out_of_bag(trees, table, settings, settings.first_tree, hard, out, n_threads,
                                  check);
    });
}

void add_shrunk_out_of_bag(const PackedEnsemble& forest, const BinnedTable& table,
                           const RowDrawing& drawing, nb::handle rows, nb::handle classes,
                           nb::handle strengths, double prior, nb::handle sums, nb::handle n_trees,
                           int n_threads) {
    const Buffer row_numbers(rows, "rows"), levels(strengths, "strengths");
    const Buffer out_sums(sums, "sums", true), out_trees(n_trees, "n_trees", true);
    histogram::ShrinkageTrial trial{
        row_numbers.elements<std::uint32_t>(), {}, levels.elements<double>(), prior};
    require_same_bins(forest.columns, table.columns, "trees");
    for (const auto row : trial.rows) require(row < table.n_rows, "rows: no row of this number");
    std::optional<Buffer> codes;
    if (forest.values_are_sums) {
        codes.emplace(classes, "classes");
        trial.classes = codes->elements<std::int32_t>();
        require(trial.classes.size() == trial.rows.size(), "classes: one per row");
        for (const auto cls : trial.classes) {
            require(cls >= 0 && static_cast<std::size_t>(cls) < forest.n_values,
                    "classes: a class out of range");
        }
    }
    for (const double strength : trial.strengths) require(strength >= 0, "strengths: from 0 on");
    const histogram::OutOfBag out{out_sums.writable_elements<double>(),
                                  out_trees.writable_elements<std::uint32_t>()};
    require(out.sums.size() == trial.rows.size() * trial.strengths.size() &&
                out.n_trees.size() == trial.rows.size(),
            "sums, n_trees: one line per row");
    const PackedEnsemble trees = forest;  // a copy: other threads may add to it
    interruptible([&](const auto& check) {
        histogram::add_shrunk_out_of_bag(trees, table, drawing, trial, out, n_threads, check);
    });
}

}  // namespace

void bind_forest(nb::module_& module) {
    nb::enum_<Drawing>(module, "Drawing")
        .value("all_rows", Drawing::all_rows)
        .value("with_replacement", Drawing::with_replacement)
        .value("without_replacement", Drawing::without_replacement);
    nb::class_<RowDrawing>(module, "RowDrawing")
        .def(nb::init<>())
        .def_rw("drawing", &RowDrawing::drawing)
        .def_rw("n_drawn", &RowDrawing::n_drawn)
        .def_rw("seed", &RowDrawing::seed);
    nb::class_<ForestSettings, RowDrawing>(module, "ForestSettings")
        .def(nb::init<>())
        .def_rw("n_trees", &ForestSettings::n_trees)
        .def_rw("first_tree", &ForestSettings::first_tree)
        .def_rw("max_features", &ForestSettings::max_features)
        .def_rw("random_cuts", &ForestSettings::random_cuts)
        .def_rw("max_depth", &ForestSettings::max_depth)
        .def_rw("min_samples_split", &ForestSettings::min_samples_split)
        .def_rw("min_samples_leaf", &ForestSettings::min_samples_leaf)
        .def_rw("weights_are_counts", &ForestSettings::weights_are_counts)
        .def_rw("min_weight_fraction_leaf", &ForestSettings::min_weight_fraction_leaf)
        .def_rw("min_gain", &ForestSettings::min_gain)
        .def_rw("min_level_rows", &ForestSettings::min_level_rows)
        .def_rw("entropy", &ForestSettings::entropy)
        .def_rw("max_leaf_nodes", &ForestSettings::max_leaf_nodes);
    module.def("grow_forest", &grow_forest, "table"_a, "target"_a, "weight"_a.none(), "n_classes"_a,
               "settings"_a, "n_threads"_a, "Grow the trees of a forest.");
    module.def("draw_rows", &draw_rows, "settings"_a, "tree"_a, "n_rows"_a,
               "How often each row is drawn for a tree.");
    module.def("add_out_of_bag", &add_out_of_bag, "trees"_a, "table"_a, "settings"_a, "hard"_a,
               "sums"_a, "n_trees"_a, "n_threads"_a,
               "Add to each row the predictions of the trees that did not draw it.");
    module.def("add_shrunk_out_of_bag", &add_shrunk_out_of_bag, "trees"_a, "table"_a, "drawing"_a,
               "rows"_a, "classes"_a.none(), "strengths"_a, "prior"_a, "sums"_a, "n_trees"_a,
               "n_threads"_a, InStandardArithmetic(),
               "Add to `sums` (n_rows, n_strengths) what the trees that did not draw a row predict, "
               "shrunk by each strength: the share of the row's class, or a number.");
}

}  // namespace treewright::bindings
