#include <nanobind/nanobind.h>

#include "bindings/histogram_table.hpp"
#include "core/histogram/forest_tree.hpp"
#include "core/histogram/packed_ensemble.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::BinnedTable;
using histogram::Drawing;
using histogram::ForestSettings;
using histogram::PackedEnsemble;

namespace {

PackedEnsemble grow_forest(const BinnedTable& table, nb::handle target, nb::handle weight,
                           std::size_t n_classes, const ForestSettings& settings, int n_threads) {
    const Buffer targets(target, "target");
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
    require(targets.length(0) == table.n_rows, "target: one value per row");
    return {interruptible([&](const auto& check) {
                return histogram::grow_forest(data, settings, n_threads, check);
            }),
            table.columns, std::max<std::size_t>(1, n_classes), n_classes > 0};
}

}  // namespace

void bind_forest(nb::module_& module) {
    nb::enum_<Drawing>(module, "Drawing")
        .value("all_rows", Drawing::all_rows)
        .value("with_replacement", Drawing::with_replacement)
        .value("without_replacement", Drawing::without_replacement);
    nb::class_<ForestSettings>(module, "ForestSettings")
        .def(nb::init<>())
        .def_rw("n_trees", &ForestSettings::n_trees)
        .def_rw("seed", &ForestSettings::seed)
        .def_rw("first_tree", &ForestSettings::first_tree)
        .def_rw("drawing", &ForestSettings::drawing)
        .def_rw("n_drawn", &ForestSettings::n_drawn)
        .def_rw("max_features", &ForestSettings::max_features)
        .def_rw("random_cuts", &ForestSettings::random_cuts)
        .def_rw("max_depth", &ForestSettings::max_depth)
        .def_rw("min_samples_split", &ForestSettings::min_samples_split)
        .def_rw("min_samples_leaf", &ForestSettings::min_samples_leaf)
        .def_rw("min_gain", &ForestSettings::min_gain);
    module.def("grow_forest", &grow_forest, "table"_a, "target"_a, "weight"_a.none(), "n_classes"_a,
               "settings"_a, "n_threads"_a, "Grow the trees of a forest.");
}

}  // namespace treewright::bindings
