#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "core/grow.hpp"

namespace treewright::bindings {
namespace {

using namespace nb::literals;

// Columns arrive as (kind, array, number of levels); the arrays stay borrowed during the call.
struct BorrowedColumns {
    std::vector<Buffer> buffers;
    std::vector<ColumnView> views;

    BorrowedColumns(const nb::list& columns, std::size_t n_rows) {
        buffers.reserve(columns.size());
        views.reserve(columns.size());
        for (const nb::handle item : columns) {
            const auto column = nb::cast<nb::tuple>(item);
            buffers.emplace_back(column[1], "column");
            const Buffer& buffer = buffers.back();
            require(buffer.n_axes() == 1 && buffer.length(0) == n_rows, "column: one value per row");
            ColumnView view;
            view.kind = static_cast<ColumnKind>(nb::cast<int>(column[0]));
            view.n_levels = nb::cast<std::int32_t>(column[2]);
            view.data = reinterpret_cast<const char*>(buffer.data());
            view.stride = buffer.stride(0);
            view.type = type_of(buffer);
            require((view.kind == ColumnKind::numeric) == (view.type != ValueType::int32),
                    "column: numbers as floats, levels as 32-bit codes");
            check_codes(view, n_rows);
            views.push_back(view);
        }
    }

    static ValueType type_of(const Buffer& buffer) {
        if (buffer.holds<double>()) return ValueType::float64;
        if (buffer.holds<float>()) return ValueType::float32;
        require(buffer.holds<std::int32_t>(), "column: float64, float32 or int32");
        return ValueType::int32;
    }

    static void check_codes(const ColumnView& view, std::size_t n_rows) {
        if (view.kind == ColumnKind::numeric) return;
        for (std::size_t row = 0; row < n_rows; ++row) {
            require(view.code(row) < view.n_levels, "column: a code without a level");
        }
    }
};

// Columns in order, to grow several trees on the same rows.
struct SortedColumns {
    std::size_t n_rows = 0;
    std::vector<WorkColumn<std::uint32_t>> columns;
};

SortedColumns sort_columns(const nb::list& columns, std::size_t n_rows, int n_threads) {
    require(n_rows > 0 && n_rows < UINT32_MAX - 1, "rows: at least one, at most 2^32 - 3");
    const BorrowedColumns borrowed(columns, n_rows);
    nb::gil_scoped_release unlocked;
    return {n_rows, prepare_columns(borrowed.views, n_rows, n_threads, [] {})};
}

nb::dict as_arrays(GrownTree&& tree) {
    nb::dict out;
    out["kind"] = owned_array(std::move(tree.kind));
    out["feature"] = owned_array(std::move(tree.feature));
    out["threshold"] = owned_array(std::move(tree.threshold));
    out["first_child"] = owned_array(std::move(tree.first_child));
    out["n_children"] = owned_array(std::move(tree.n_children));
    out["missing_child"] = owned_array(std::move(tree.missing_child));
    out["value"] = owned_array(std::move(tree.value));
    out["weight"] = owned_array(std::move(tree.weight));
    out["n_rows"] = owned_array(std::move(tree.n_rows));
    out["impurity"] = owned_array(std::move(tree.impurity));
    out["gain"] = owned_array(std::move(tree.gain));
    out["score"] = owned_array(std::move(tree.score));
    out["stop_reason"] = owned_array(std::move(tree.stop_reason));
    out["split_order"] = owned_array(std::move(tree.split_order));
    return out;
}

void add_levels_and_cuts(nb::dict& out, GrownTree& tree) {
    if (!tree.level_code.empty()) {
        out["level_start"] = owned_array(std::move(tree.level_start));
        out["level_code"] = owned_array(std::move(tree.level_code));
        out["level_child"] = owned_array(std::move(tree.level_child));
    }
    if (!tree.cut.empty()) {
        out["cut_start"] = owned_array(std::move(tree.cut_start));
        out["cut"] = owned_array(std::move(tree.cut));
    }
}

void add_surrogates(nb::dict& out, GrownTree& tree) {
    if (tree.surrogates.empty()) return;
    std::vector<std::uint8_t> kind, flip;
    std::vector<std::int32_t> feature, level_code, level_child;
    std::vector<double> threshold, agreement;
    std::vector<std::int64_t> level_start{0};
    for (const auto& surrogate : tree.surrogates) {
        kind.push_back(static_cast<std::uint8_t>(surrogate.kind));
        flip.push_back(surrogate.flip);
        feature.push_back(surrogate.feature);
        threshold.push_back(surrogate.threshold);
        agreement.push_back(surrogate.agreement);
        level_code.insert(level_code.end(), surrogate.level_code.begin(), surrogate.level_code.end());
        level_child.insert(level_child.end(), surrogate.level_child.begin(),
                           surrogate.level_child.end());
        level_start.push_back(static_cast<std::int64_t>(level_code.size()));
    }
    out["surrogate_start"] = owned_array(std::move(tree.surrogate_start));
    out["surrogate_kind"] = owned_array(std::move(kind));
    out["surrogate_feature"] = owned_array(std::move(feature));
    out["surrogate_threshold"] = owned_array(std::move(threshold));
    out["surrogate_flip"] = owned_array(std::move(flip));
    out["surrogate_agreement"] = owned_array(std::move(agreement));
    out["surrogate_level_start"] = owned_array(std::move(level_start));
    out["surrogate_level_code"] = owned_array(std::move(level_code));
    out["surrogate_level_child"] = owned_array(std::move(level_child));
}

void add_competitors(nb::dict& out, GrownTree& tree) {
    if (tree.competitors.empty()) return;
    std::vector<std::int32_t> feature;
    std::vector<double> gain, score, threshold;
    std::vector<std::uint8_t> tied;
    for (const auto& competitor : tree.competitors) {
        feature.push_back(competitor.feature);
        gain.push_back(competitor.gain);
        score.push_back(competitor.score);
        threshold.push_back(competitor.threshold);
        tied.push_back(competitor.tied);
    }
    out["competitor_start"] = owned_array(std::move(tree.competitor_start));
    out["competitor_feature"] = owned_array(std::move(feature));
    out["competitor_gain"] = owned_array(std::move(gain));
    out["competitor_score"] = owned_array(std::move(score));
    out["competitor_threshold"] = owned_array(std::move(threshold));
    out["competitor_tied"] = owned_array(std::move(tied));
}

// The impurity of class weights by a Python function.
CustomImpurity call_back(nb::object function) {
    return [function](std::span<const double> weights) {
        nb::gil_scoped_acquire locked;
        return nb::cast<double>(function(owned_array(std::vector(weights.begin(), weights.end()))));
    };
}

nb::dict grow_tree(const nb::list& columns, nb::handle target, nb::handle weight,
                   std::size_t n_classes, Settings& settings, const nb::object& custom,
                   int n_threads, const SortedColumns* sorted) {
    const Buffer targets(target, "target");
    TrainingData data;
    data.n_rows = targets.length(0);
    data.n_classes = n_classes;
    if (n_classes > 0) {
        data.classes = targets.elements<std::int32_t>();
        for (const auto cls : data.classes) {
            require(cls >= 0 && static_cast<std::size_t>(cls) < n_classes, "target: a class out of range");
        }
    } else {
        data.y = targets.elements<double>();
    }
    std::vector<Buffer> weights;
    if (!weight.is_none()) {
        weights.emplace_back(weight, "weight");
        data.weight = weights.back().elements<double>();
        require(data.weight.size() == data.n_rows, "weight: one value per row");
    }
    require(data.n_rows > 0 && data.n_rows < UINT32_MAX - 1, "rows: at least one, at most 2^32 - 3");
    require(n_classes <= UINT16_MAX, "target: at most 65,535 classes");
    const BorrowedColumns borrowed(columns, data.n_rows);
    data.columns = borrowed.views;
    if (sorted != nullptr) {
        require(sorted->n_rows == data.n_rows && sorted->columns.size() == data.columns.size(),
                "sorted: the columns of another table");
        data.sorted = sorted->columns;
    }
    if (!custom.is_none()) settings.custom = call_back(custom);

    GrownTree tree;
    try {
        nb::gil_scoped_release unlocked;
        tree = grow(data, settings, n_threads, python_interrupted);
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
    const auto n_values = tree.n_values;
    nb::dict out = as_arrays(std::move(tree));
    add_levels_and_cuts(out, tree);
    add_surrogates(out, tree);
    add_competitors(out, tree);
    out["value"] = out["value"].attr("reshape")(-1, n_values);
    return out;
}

}  // namespace

void bind_grow(nb::module_& module) {
    nb::enum_<Measure>(module, "Measure")
        .value("entropy", Measure::entropy)
        .value("gini", Measure::gini)
        .value("cost_gini", Measure::cost_gini)
        .value("chi_square", Measure::chi_square)
        .value("squared_error", Measure::squared_error)
        .value("absolute_error", Measure::absolute_error)
        .value("poisson", Measure::poisson)
        .value("custom", Measure::custom);
    nb::enum_<NominalSplit>(module, "NominalSplit")
        .value("branches", NominalSplit::branches)
        .value("subset", NominalSplit::subset)
        .value("one_vs_rest", NominalSplit::one_vs_rest);
    nb::enum_<NumericSplit>(module, "NumericSplit")
        .value("threshold", NumericSplit::threshold)
        .value("intervals", NumericSplit::intervals);
    nb::enum_<MissingPolicy>(module, "MissingPolicy")
        .value("fractional", MissingPolicy::fractional)
        .value("surrogate", MissingPolicy::surrogate)
        .value("learned", MissingPolicy::learned)
        .value("branch", MissingPolicy::branch)
        .value("majority", MissingPolicy::majority)
        .value("stop", MissingPolicy::stop);
    nb::class_<Settings>(module, "Settings", "What the grower is asked to do.")
        .def(nb::init<>())
        .def_rw("measure", &Settings::measure)
        .def_rw("gain_ratio", &Settings::gain_ratio)
        .def_rw("nominal", &Settings::nominal)
        .def_rw("numeric", &Settings::numeric)
        .def_rw("missing", &Settings::missing)
        .def_rw("max_intervals", &Settings::max_intervals)
        .def_rw("max_surrogates", &Settings::max_surrogates)
        .def_rw("min_surrogate_disagreement", &Settings::min_surrogate_disagreement)
        .def_rw("n_competitors", &Settings::n_competitors)
        .def_rw("rows_in_table", &Settings::rows_in_table)
        .def_rw("max_depth", &Settings::max_depth)
        .def_rw("max_leaf_nodes", &Settings::max_leaf_nodes)
        .def_rw("max_splits", &Settings::max_splits)
        .def_rw("min_samples_split", &Settings::min_samples_split)
        .def_rw("min_samples_leaf", &Settings::min_samples_leaf)
        .def_rw("min_weight_leaf", &Settings::min_weight_leaf)
        .def_rw("limits_by_weight", &Settings::limits_by_weight)
        .def_rw("has_min_gain", &Settings::has_min_gain)
        .def_rw("min_gain", &Settings::min_gain)
        .def_rw("significance", &Settings::significance)
        .def_rw("error_z", &Settings::error_z)
        .def_rw("error_confidence", &Settings::error_confidence)
        .def_rw("use_once", &Settings::use_once)
        .def_rw("average_gain_filter", &Settings::average_gain_filter)
        .def_rw("mdl_correction", &Settings::mdl_correction)
        .def_rw("data_value_thresholds", &Settings::data_value_thresholds)
        .def_rw("c45_gaps", &Settings::c45_gaps)
        .def_rw("column_order", &Settings::column_order)
        .def_rw("costs", &Settings::costs)
        .def_rw("class_factor", &Settings::class_factor);
    nb::class_<SortedColumns>(module, "SortedColumns");
    module.def("sort_columns", &sort_columns, "columns"_a, "n_rows"_a, "n_threads"_a,
               "Put columns in order once, to grow several trees on the same rows.");
    module.def("grow_tree", &grow_tree, "columns"_a, "target"_a, "weight"_a.none(), "n_classes"_a,
               "settings"_a, "custom"_a.none(), "n_threads"_a, "sorted"_a.none() = nb::none(),
               "Grow a tree; returns its arrays by name. Columns are (kind, array, n_levels).");
}

}  // namespace treewright::bindings
