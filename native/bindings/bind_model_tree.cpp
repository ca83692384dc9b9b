#include <nanobind/nanobind.h>

#include <cmath>

#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "core/model_tree/model_tree.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using model_tree::Criterion;
using model_tree::ModelTreeSettings;
using model_tree::TermRule;

namespace {

nb::dict arrays_of(model_tree::ModelTree&& tree) {
    nb::dict arrays;
    arrays["feature"] = owned_array(std::move(tree.feature));
    arrays["cut"] = owned_array(std::move(tree.cut));
    arrays["first_child"] = owned_array(std::move(tree.first_child));
    arrays["n_rows"] = owned_array(std::move(tree.n_rows));
    arrays["weight"] = owned_array(std::move(tree.weight));
    arrays["mean"] = owned_array(std::move(tree.mean));
    arrays["deviation"] = owned_array(std::move(tree.deviation));
    arrays["gain"] = owned_array(std::move(tree.gain));
    arrays["stop_reason"] = owned_array(std::move(tree.stop_reason));
    arrays["intercept"] = owned_array(std::move(tree.intercept));
    arrays["term_start"] = owned_array(std::move(tree.term_start));
    arrays["term_column"] = owned_array(std::move(tree.term_column));
    arrays["term_cut"] = owned_array(std::move(tree.term_cut));
    arrays["coefficient"] = owned_array(std::move(tree.coefficient));
    arrays["model_error"] = owned_array(std::move(tree.model_error));
    arrays["subtree_error"] = owned_array(std::move(tree.subtree_error));
    arrays["subtree_parameters"] = owned_array(std::move(tree.subtree_parameters));
    return arrays;
}

nb::dict grow_model_tree(nb::object columns, nb::object is_ranked, nb::object unit,
                         nb::object target, nb::object weight, const ModelTreeSettings& settings,
                         int n_threads) {
    const Buffer column_buffer(columns, "columns"), ranked_buffer(is_ranked, "is_ranked"),
        unit_buffer(unit, "unit"), target_buffer(target, "target");
    const auto values = column_buffer.elements<double>();
    const auto ranked = ranked_buffer.elements<std::uint8_t>();
    const auto units = unit_buffer.elements<double>();
    model_tree::TrainingRows rows;
    rows.target = target_buffer.elements<double>();
    const std::size_t n_rows = rows.target.size();
    require(n_rows > 0 && n_rows < UINT32_MAX, "target: at least one row, less than 2^32");
    require(units.size() == ranked.size(), "unit: one for each column");
    require(column_buffer.n_axes() == 2 && column_buffer.length(0) == ranked.size() &&
                column_buffer.length(1) == n_rows,
            "columns: (n_columns, n_rows)");
    for (const double value : values) require(std::isfinite(value), "columns: a missing value");
    for (std::size_t j = 0; j < ranked.size(); ++j) {
        rows.columns.push_back({values.subspan(j * n_rows, n_rows), ranked[j] != 0, units[j]});
    }
    const BorrowedWeights weights(weight, n_rows);
    rows.weights = weights.values;
    for (const double value : rows.target) require(std::isfinite(value), "target: a number");
    for (const double each : rows.weights) {
        require(each > 0 && std::isfinite(each), "weight: above 0");
    }
    return arrays_of(interruptible([&](const auto& check) {
        return model_tree::grow_model_tree(rows, settings, n_threads, check);
    }));
}

}  // namespace

void bind_model_tree(nb::module_& module) {
    nb::enum_<Criterion>(module, "ModelTreeCriterion")
        .value("fifth_root", Criterion::fifth_root)
        .value("standard_deviation", Criterion::standard_deviation);
    nb::enum_<TermRule>(module, "TermRule")
        .value("none", TermRule::none)
        .value("all", TermRule::all)
        .value("akaike", TermRule::akaike)
        .value("adjusted_error", TermRule::adjusted_error);
    nb::class_<ModelTreeSettings>(module, "ModelTreeSettings")
        .def(nb::init<>())
        .def_rw("criterion", &ModelTreeSettings::criterion)
        .def_rw("terms", &ModelTreeSettings::terms)
        .def_rw("min_split", &ModelTreeSettings::min_split)
        .def_rw("min_leaf", &ModelTreeSettings::min_leaf)
        .def_rw("min_share", &ModelTreeSettings::min_share)
        .def_rw("min_deviation", &ModelTreeSettings::min_deviation)
        .def_rw("max_depth", &ModelTreeSettings::max_depth)
        .def_rw("penalty", &ModelTreeSettings::penalty)
        .def_rw("prune", &ModelTreeSettings::prune);
    module.def("grow_model_tree", &grow_model_tree, "columns"_a, "is_ranked"_a, "unit"_a,
               "target"_a, "weight"_a.none(), "settings"_a, "n_threads"_a,
               "Grow a tree with linear models and prune it; its arrays by name.");
}

}  // namespace treewright::bindings
