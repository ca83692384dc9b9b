#include <nanobind/nanobind.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/borrowed_columns.hpp"
#include "bindings/borrowed_training.hpp"
#include "bindings/call_back.hpp"
#include "bindings/folder.hpp"
#include "bindings/grown_arrays.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/lists.hpp"
#include "bindings/owned_array.hpp"
#include "core/grow/grow.hpp"
#include "core/grow/taken_rows.hpp"

namespace treewright::bindings {
namespace {

using namespace nb::literals;

// Columns in order, to grow several trees on the same rows.
struct SortedColumns {
    std::size_t n_rows = 0;
    std::vector<WorkColumn<std::uint32_t>> columns;
};

void raise_no_room(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const NoRoomInFolder& error) {
        PyErr_SetString(PyExc_OSError, error.what());
    }
}

SortedColumns sort_columns(const nb::list& columns, std::size_t n_rows, int n_threads,
                           nb::handle folder) {
    require(n_rows > 0 && n_rows < UINT32_MAX - 1, "rows: at least one, at most 2^32 - 3");
    const BorrowedColumns borrowed(columns, n_rows);
    return {n_rows, interruptible([&](const Check& check) {
                return prepare_columns(borrowed.views, n_rows, n_threads, folder_of(folder), check);
            })};
}

// The columns of some of the rows (positions, rising), in order without being sorted again.
SortedColumns take_sorted(const SortedColumns& from, nb::handle positions) {
    const Buffer given(positions, "positions");
    const auto rows = given.elements<std::int64_t>();
    require(!rows.empty(), "positions: at least one row");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        require(rows[i] >= 0 && static_cast<std::size_t>(rows[i]) < from.n_rows &&
                    (i == 0 || rows[i - 1] < rows[i]),
                "positions: rows of the table, each once, in rising order");
    }
    const Unlocked unlocked;
    return {rows.size(), take_rows(from.columns, from.n_rows, rows)};
}

// The rank of each row's value among the different ones of a column; missing values come last.
nb::object ranks_of(const SortedColumns& from, std::size_t at) {
    require(at < from.columns.size(), "column: out of range");
    const auto& column = from.columns[at];
    std::vector<std::uint64_t> ranks(from.n_rows);
    if (column.counted) {
        for (std::size_t row = 0; row < ranks.size(); ++row) ranks[row] = column.slot(row);
    } else {
        std::uint64_t n_known = 0;
        for (const auto& [row, rank] : column.sorted) {
            if (rank != missing_rank<std::uint32_t>) n_known = rank + 1;
            ranks[row] = rank == missing_rank<std::uint32_t> ? n_known : rank;
        }
    }
    return owned_array(std::move(ranks));
}

nb::dict grow_tree(const nb::list& columns, nb::handle target, nb::handle weight,
                   std::size_t n_classes, const Settings& given, const nb::object& custom,
                   int n_threads, const SortedColumns* sorted, nb::handle folder) {
    Settings settings = given;
    if (!custom.is_none()) settings.custom = call_back(custom);
    const BorrowedTraining training(columns, target, weight, n_classes, folder);
    TrainingData data = training.data;
    if (sorted != nullptr) {
        require(sorted->n_rows == data.n_rows && sorted->columns.size() == data.columns.size(),
                "sorted: the columns of another table");
        data.sorted = sorted->columns;
    }
    check_settings(settings, n_classes);

    cancel_if_unwanted();
    GrownTree tree;
    try {
        const Unlocked unlocked;
        tree = grow(data, settings, n_threads, python_interrupted);
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
    return tree_arrays(std::move(tree));
}

}  // namespace

void bind_grow(nb::module_& module) {
    nb::register_exception_translator(&raise_no_room);
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
        .def_rw("without_surrogates", &Settings::without_surrogates)
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
        .def_rw("weights_are_counts", &Settings::weights_are_counts)
        .def_rw("has_min_gain", &Settings::has_min_gain)
        .def_rw("min_gain", &Settings::min_gain)
        .def_rw("min_risk", &Settings::min_risk)
        .def_rw("significance", &Settings::significance)
        .def_rw("error_z", &Settings::error_z)
        .def_rw("error_confidence", &Settings::error_confidence)
        .def_rw("use_once", &Settings::use_once)
        .def_rw("average_gain_filter", &Settings::average_gain_filter)
        .def_rw("mdl_correction", &Settings::mdl_correction)
        .def_rw("data_value_thresholds", &Settings::data_value_thresholds)
        .def_rw("j48_gaps", &Settings::j48_gaps)
        .def_rw("max_features", &Settings::max_features)
        .def_rw("seed", &Settings::seed)
        .def_rw("column_order", &Settings::column_order)
        .def_rw("costs", &Settings::costs)
        .def_rw("class_factor", &Settings::class_factor);
    nb::class_<SortedColumns>(module, "SortedColumns")
        .def("take", &take_sorted, "positions"_a,
             "The columns of some of the rows (rising), without sorting them again.")
        .def("ranks", &ranks_of, "column"_a,
             "The rank of each row's value among the different ones; missing values come last.");
    module.def("sort_columns", &sort_columns, "columns"_a, "n_rows"_a, "n_threads"_a,
               "folder"_a.none() = nb::none(),
               "Put columns in order once, to grow several trees on the same rows.");
    module.def("grow_tree", &grow_tree, "columns"_a, "target"_a, "weight"_a.none(), "n_classes"_a,
               "settings"_a, "custom"_a.none(), "n_threads"_a, "sorted"_a.none() = nb::none(),
               "folder"_a.none() = nb::none(),
               "Grow a tree; returns its arrays by name. Columns are (kind, array, n_levels).");
}

}  // namespace treewright::bindings
