#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include "bindings/borrowed_columns.hpp"
#include "bindings/histogram_table.hpp"
#include "bindings/interrupt.hpp"
#include "core/histogram/packed/packed_ensemble.hpp"
#include "core/histogram/threshold_neighbors.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::BinnedColumn;
using histogram::BinnedTable;
using histogram::PackedEnsemble;
using histogram::ThresholdNeighbors;

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

void fill_neighbors(const nb::list& columns, std::size_t n_rows, const nb::list& thresholds,
                    const nb::list& below, const nb::list& above, int n_threads) {
    const BorrowedColumns borrowed(columns, n_rows);
    const std::size_t n = borrowed.views.size();
    require(thresholds.size() == n && below.size() == n && above.size() == n,
            "thresholds, below, above: one of each for each column");
    std::vector<Buffer> buffers;
    buffers.reserve(3 * n);
    std::vector<ThresholdNeighbors> wanted;
    for (std::size_t c = 0; c < n; ++c) {
        const auto at = buffers.emplace_back(thresholds[c], "thresholds").elements<double>();
        const auto low = buffers.emplace_back(below[c], "below", true).writable_elements<double>();
        const auto high = buffers.emplace_back(above[c], "above", true).writable_elements<double>();
        require(borrowed.views[c].kind == ColumnKind::numeric, "columns: numbers only");
        require(at.size() <= ThresholdNeighbors::most_thresholds && std::ranges::is_sorted(at),
                "thresholds: not so many, ascending");
        require(low.size() == at.size() && high.size() == at.size(),
                "below, above: one for each threshold");
        wanted.push_back({borrowed.views[c], at, low, high});
    }
    interruptible([&](const auto& check) {
        histogram::find_neighbors(wanted, n_rows, n_threads, check);
    });
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
    module.def("threshold_neighbors", &fill_neighbors, "columns"_a, "n_rows"_a, "thresholds"_a,
               "below"_a, "above"_a, "n_threads"_a,
               "Fill in the numbers of each column next to its thresholds on both sides.");
    module.attr("MOST_NEIGHBORED") = ThresholdNeighbors::most_thresholds;
}

}  // namespace treewright::bindings
