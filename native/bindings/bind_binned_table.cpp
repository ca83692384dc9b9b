#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include "bindings/borrowed_columns.hpp"
#include "bindings/histogram_table.hpp"
#include "bindings/interrupt.hpp"
#include "core/histogram/packed/bin_guide.hpp"
#include "core/histogram/packed/packed_ensemble.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::BinnedColumn;
using histogram::BinnedTable;
using histogram::PackedEnsemble;

namespace {

// Columns of another table may be cut as those that trees were grown on.
void require_same_kinds(const std::vector<ColumnView>& views,
                        const std::vector<BinnedColumn>& columns) {
    require(views.size() == columns.size(), "like: trees of a table with other columns");
    for (std::size_t c = 0; c < views.size(); ++c) {
        const bool coded = views[c].kind != ColumnKind::numeric;
        require(coded == columns[c].coded && views[c].is_nominal() == columns[c].nominal,
                "like: a column of another kind");
        require(!columns[c].nominal || views[c].n_levels <= columns[c].n_bins,
                "like: a column with more levels");
    }
}

void make_table(BinnedTable* self, const nb::list& columns, std::size_t n_rows, nb::handle weight,
                int n_bins, int n_threads, const PackedEnsemble* like) {
    require(n_rows > 0 && n_rows < (std::size_t{1} << 30), "rows: at least one, below 2^30");
    require(n_bins >= 2 && n_bins <= histogram::max_bins, "n_bins: from 2 to 255");
    require(columns.size() <= histogram::max_columns, "columns: too many");
    const BorrowedColumns borrowed(columns, n_rows);
    const BorrowedWeights weights(weight, n_rows);
    if (like != nullptr) require_same_kinds(borrowed.views, like->columns);
    new (self) BinnedTable(interruptible([&](const auto& check) {
        auto plan = like != nullptr
                        ? like->columns
                        : histogram::plan_columns(borrowed.views, n_rows, weights.values, n_bins,
                                                  n_threads, check);
        return histogram::bin_table(borrowed.views, n_rows, std::move(plan), n_threads, check);
    }));
}

nb::list cuts_of(const BinnedTable& table, std::size_t column) {
    require(column < table.n_columns, "column: not in the table");
    nb::list cuts;
    for (const double cut : table.columns[column].cuts) cuts.append(cut);
    return cuts;
}

nb::bytes bins_of(const BinnedTable& table, std::size_t column) {
    require(column < table.n_columns, "column: not in the table");
    require(!table.columns[column].is_wide(), "column: more than 255 categories");
    return nb::bytes(table.column(column), table.n_rows);
}

void fill_neighbors(nb::handle thresholds, nb::handle numbers, nb::handle below, nb::handle above) {
    const Buffer rising(thresholds, "thresholds"), values(numbers, "numbers");
    const Buffer lower(below, "below", true), upper(above, "above", true);
    const auto at = rising.elements<double>();
    const auto to_lower = lower.writable_elements<double>();
    const auto to_upper = upper.writable_elements<double>();
    using Guide = histogram::BinGuide<double, std::uint16_t>;
    require(at.size() <= std::size_t{Guide::most_cuts} && std::ranges::is_sorted(at),
            "thresholds: not so many, ascending");
    require(to_lower.size() == at.size() && to_upper.size() == at.size(),
            "below, above: one for each threshold");
    const auto known = values.elements<double>();
    interruptible([&](const auto&) { histogram::find_neighbors(at, known, to_lower, to_upper); });
}

}  // namespace

void bind_binned_table(nb::module_& module) {
    nb::class_<BinnedTable>(module, "BinnedTable", "A table as bytes, for histogram growers.")
        .def("__init__", &make_table, "columns"_a, "n_rows"_a, "weight"_a.none(), "n_bins"_a,
             "n_threads"_a, "like"_a.none() = nb::none(),
             "Cut columns into bins, or cut them as the columns of trees were.")
        .def("cuts", &cuts_of, "column"_a, "Where a column is cut: bin b holds values <= cuts[b].")
        .def("bins", &bins_of, "column"_a, "The bin of each row as a byte; 255 is missing.")
        .def_ro("n_rows", &BinnedTable::n_rows)
        .def_ro("n_columns", &BinnedTable::n_columns)
        .def_prop_ro("nbytes", &BinnedTable::n_bytes);
    module.def("threshold_neighbors", &fill_neighbors, "thresholds"_a, "numbers"_a, "below"_a,
               "above"_a, "Fill in the numbers next to each threshold on both sides.");
    module.attr("MOST_NEIGHBORED") = histogram::BinGuide<double, std::uint16_t>::most_cuts;
}

}  // namespace treewright::bindings
