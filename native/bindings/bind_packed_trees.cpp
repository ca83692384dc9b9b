#include <nanobind/nanobind.h>

#include "bindings/arrays.hpp"
#include "bindings/grown_arrays.hpp"
#include "core/histogram/packed_ensemble.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::PackedEnsemble;

namespace {

nb::dict tree_at(const PackedEnsemble& self, std::size_t at) {
    require(at < self.trees.size(), "tree: no tree of this number");
    return tree_arrays(
        unpacked(self.trees[at], self.columns, self.n_values, self.values_are_sums));
}

void append(PackedEnsemble& self, const PackedEnsemble& other) {
    require(self.columns.size() == other.columns.size() && self.n_values == other.n_values,
            "append: trees of another table");
    self.trees.insert(self.trees.end(), other.trees.begin(), other.trees.end());
}

PackedEnsemble head(const PackedEnsemble& self, std::size_t n_trees) {
    require(n_trees <= self.trees.size(), "head: more trees than there are");
    PackedEnsemble out{{}, self.columns, self.n_values, self.values_are_sums};
    out.trees.assign(self.trees.begin(), self.trees.begin() + static_cast<std::ptrdiff_t>(n_trees));
    return out;
}

}  // namespace

void bind_packed_trees(nb::module_& module) {
    nb::class_<PackedEnsemble>(module, "PackedTrees", "The trees of an ensemble, kept small.")
        .def_prop_ro("n_trees", [](const PackedEnsemble& self) { return self.trees.size(); })
        .def_ro("n_values", &PackedEnsemble::n_values)
        .def_prop_ro("nbytes", &PackedEnsemble::n_bytes)
        .def("tree", &tree_at, "at"_a, "The arrays of one tree by name.")
        .def("append", &append, "other"_a, "Take on the trees of another, grown on equal bins.")
        .def("head", &head, "n_trees"_a, "The first trees alone.");
}

}  // namespace treewright::bindings
