#include <nanobind/nanobind.h>

#include "bindings/borrowed_columns.hpp"
#include "bindings/grown_arrays.hpp"
#include "bindings/histogram_table.hpp"
#include "bindings/interrupt.hpp"
#include "core/histogram/forest/isolation_trees.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::IsolationSettings;

namespace {

nb::list grow_isolation_trees(const nb::list& columns, std::size_t n_rows,
                              const IsolationSettings& settings, int n_threads) {
    require(n_rows > 0 && n_rows < UINT32_MAX - 1, "rows: at least one, at most 2^32 - 3");
    const BorrowedColumns borrowed(columns, n_rows);
    auto trees = interruptible([&](const auto& check) {
        return histogram::grow_isolation_trees(borrowed.views, n_rows, settings, n_threads, check);
    });
    nb::list out;
    for (auto& tree : trees) out.append(tree_arrays(std::move(tree)));
    return out;
}

}  // namespace

void bind_isolation(nb::module_& module) {
    nb::class_<IsolationSettings, histogram::RowDrawing>(module, "IsolationSettings")
        .def(nb::init<>())
        .def_rw("n_trees", &IsolationSettings::n_trees)
        .def_rw("first_tree", &IsolationSettings::first_tree)
        .def_rw("max_features", &IsolationSettings::max_features)
        .def_rw("max_depth", &IsolationSettings::max_depth);
    module.def("grow_isolation_trees", &grow_isolation_trees, "columns"_a, "n_rows"_a, "settings"_a,
               "n_threads"_a, "Grow trees that separate rows by chance; their arrays by name.");
    module.def("mean_isolation_depth", &histogram::mean_isolation_depth, "n"_a,
               InStandardArithmetic(),
               "The mean depth of n rows in a random tree that is grown until they are all alone.");
}

}  // namespace treewright::bindings
