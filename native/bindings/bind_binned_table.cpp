#include <nanobind/nanobind.h>

#include <new>

#include "bindings/borrowed_columns.hpp"
#include "bindings/histogram_table.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::BinnedTable;

namespace {

void make_table(BinnedTable* self, const nb::list& columns, std::size_t n_rows, nb::handle weight,
                int n_bins, int n_threads) {
    require(n_rows > 0 && n_rows < UINT32_MAX - 1, "rows: at least one, at most 2^32 - 3");
    require(n_bins >= 2 && n_bins <= histogram::max_bins, "n_bins: from 2 to 255");
    const BorrowedColumns borrowed(columns, n_rows);
    const BorrowedWeights weights(weight, n_rows);
    new (self) BinnedTable(interruptible([&](const auto& check) {
        return histogram::bin_table(borrowed.views, n_rows, weights.values, n_bins, n_threads,
                                    check);
    }));
}

}  // namespace

void bind_binned_table(nb::module_& module) {
    nb::class_<BinnedTable>(module, "BinnedTable", "A table as bytes, for histogram growers.")
        .def("__init__", &make_table, "columns"_a, "n_rows"_a, "weight"_a.none(), "n_bins"_a,
             "n_threads"_a)
        .def_ro("n_rows", &BinnedTable::n_rows)
        .def_ro("n_columns", &BinnedTable::n_columns)
        .def_prop_ro("nbytes", &BinnedTable::n_bytes);
}

}  // namespace treewright::bindings
