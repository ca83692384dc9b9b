#include <nanobind/nanobind.h>

#include <cmath>
#include <deque>
#include <new>
#include <utility>
#include <variant>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/borrowed_rows.hpp"
#include "bindings/grown_arrays.hpp"
#include "bindings/histogram_table.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "core/histogram/packed/ensemble_arrays.hpp"
#include "core/shap/packed_row.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::BinnedTable;
using histogram::LeafPrediction;
using histogram::PackedEnsemble;

namespace {

// ---------------------------------------------------------------------------- trees

nb::dict tree_at(const PackedEnsemble& self, std::size_t at) {
    require(at < self.trees.size(), "tree: no tree of this number");
    return tree_arrays(
        unpacked(*self.trees[at], self.columns, self.n_values, self.values_are_sums));
}

void append(PackedEnsemble& self, const PackedEnsemble& other) {
    require(self.n_values == other.n_values && self.values_are_sums == other.values_are_sums,
            "append: trees of another kind");
    require_same_bins(self.columns, other.columns, "append");
    const auto added = other.trees;  // which may be its own
    self.trees.insert(self.trees.end(), added.begin(), added.end());
}

PackedEnsemble head(const PackedEnsemble& self, std::size_t n_trees) {
    require(n_trees <= self.trees.size(), "head: more trees than there are");
    PackedEnsemble out{{}, self.columns, self.n_values, self.values_are_sums};
    out.trees.assign(self.trees.begin(), self.trees.begin() + static_cast<std::ptrdiff_t>(n_trees));
    return out;
}

void scale(PackedEnsemble& self, std::size_t tree, double factor) {
    require(tree < self.trees.size(), "scale: no tree of this number");
    self.scale(tree, factor);
}

PackedEnsemble shrunk(const PackedEnsemble& self, std::size_t first, double strength, double prior,
                      int n_threads) {
    require(first <= self.trees.size(), "shrunk: no tree of this number");
    require(std::isfinite(strength) && strength >= 0 && std::isfinite(prior) && prior >= 0,
            "strength, prior: numbers from 0 on");
    PackedEnsemble out = self;
    interruptible([&](const Check& check) { out.shrink(first, strength, prior, n_threads, check); });
    return out;
}

// ---------------------------------------------------------------------------- prediction

// Rows as they were given, or a table that has been cut into the bins of the ensemble.
struct BorrowedSource {
    BorrowedRows rows;
    histogram::BlockSource source;
    std::size_t n_rows = 0;

    BorrowedSource(const PackedEnsemble& ensemble, nb::handle X) {
        if (nb::isinstance<BinnedTable>(X)) {
            const auto& table = nb::cast<const BinnedTable&>(X);
            require_same_bins(table.columns, ensemble.columns, "X");
            source = &table;
        } else {
            std::vector<std::int32_t> n_levels;
            n_levels.reserve(ensemble.columns.size());
            for (const auto& column : ensemble.columns) n_levels.push_back(column.coded ? 0 : -1);
            rows = borrow_rows(X, n_levels);
            source = rows.rows;
        }
        n_rows = histogram::n_rows_of(source);
    }
};

void check_range(const PackedEnsemble& self, std::size_t first, std::size_t last) {
    require(first <= last && last <= self.trees.size(), "first, last: trees that are not there");
}

void add_values(const PackedEnsemble& self, nb::handle X, nb::handle out, int n_threads,
                LeafPrediction prediction, std::size_t first, std::size_t last, bool in_float32) {
    const BorrowedSource borrowed(self, X);
    const Buffer target(out, "out", true);
    check_range(self, first, last);
    require(target.n_axes() == 2 && target.length(0) == borrowed.n_rows && target.length(1) > 0,
            "out: one line per row");
    require(prediction == LeafPrediction::value ? self.n_values == 1
                                                : target.length(1) == self.n_values,
            "out: as many columns as the leaves have values");
    const histogram::Combining combining{prediction, target.length(1), first, last, in_float32};
    const auto elements = target.writable_elements<double>();
    const auto* const rows = std::get_if<Rows>(&borrowed.source);
    if (rows && self.cache.may_walk(self, combining, borrowed.n_rows)) {
        const PackedEnsemble trees = self;  // a copy: other threads may add to it
        interruptible([&](const auto&) { trees.add_predictions(*rows, combining, elements); });
        return;
    }
    const auto predictor = self.predictor(combining);
    interruptible([&](const auto& check) {
        predictor->add_predictions(borrowed.source, combining, n_threads, elements, check);
    });
}

void fill_leaves(const PackedEnsemble& self, nb::handle X, nb::handle out, int n_threads,
                 std::size_t first, std::size_t last) {
    const BorrowedSource borrowed(self, X);
    const Buffer target(out, "out", true);
    check_range(self, first, last);
    require(target.n_axes() == 2 && target.length(0) == borrowed.n_rows &&
                target.length(1) == last - first,
            "out: one node per row and tree");
    const auto elements = target.writable_elements<std::int32_t>();
    const auto predictor = self.predictor({LeafPrediction::value, 1, first, last});
    interruptible([&](const auto& check) {
        predictor->find_leaves(borrowed.source, first, last, n_threads, elements, check);
    });
}

// ---------------------------------------------------------------------------- explaining

nb::object explain_row(const PackedEnsemble& self, nb::handle X, int n_threads,
                       LeafPrediction prediction, std::size_t n_outputs, std::size_t output) {
    const BorrowedSource borrowed(self, X);
    require(borrowed.n_rows == 1 && std::holds_alternative<Rows>(borrowed.source), "X: one row");
    require(prediction == LeafPrediction::value ? self.n_values == 1 : self.n_values == n_outputs,
            "n_outputs: as many as the leaves have values");
    require(output < n_outputs, "output: below n_outputs");
    const PackedEnsemble trees = self;  // a copy: other threads may add to it
    auto found = interruptible([&](const Check& check) {
        return shap_of_row(trees, std::get<Rows>(borrowed.source), {prediction, n_outputs, output},
                           n_threads, check);
    });
    if (!found) return nb::none();
    return nb::make_tuple(found->base, owned_array(std::move(found->parts)));
}

// ---------------------------------------------------------------------------- arrays

template <template <class> class Array, class Visit>
void for_each_array(histogram::EnsembleArrays<Array>& arrays, Visit visit) {
    visit("slot_start", arrays.slot_start);
    visit("question", arrays.question);
    visit("child", arrays.child);
    visit("gain", arrays.gain);
    visit("leaf_start", arrays.leaf_start);
    visit("value", arrays.value);
    visit("weight", arrays.weight);
    visit("n_rows", arrays.n_rows);
    visit("set_start", arrays.set_start);
    visit("set_words", arrays.set_words);
    visit("column_kind", arrays.column_kind);
    visit("has_missing", arrays.has_missing);
    visit("cut_start", arrays.cut_start);
    visit("cuts", arrays.cuts);
    visit("level_start", arrays.level_start);
    visit("levels", arrays.levels);
}

nb::dict arrays_of_trees(const PackedEnsemble& self) {
    const PackedEnsemble trees = self;  // a copy: other threads may add to it
    auto arrays =
        interruptible([&](const Check& check) { return histogram::arrays_of(trees, check); });
    nb::dict out;
    for_each_array(arrays, [&](const char* name, auto& values) {
        out[name] = owned_array(std::move(values));
    });
    return out;
}

nb::list cuts_of_columns(const PackedEnsemble& self) {
    nb::list cuts;
    for (const auto& column : self.columns) cuts.append(owned_array(std::vector(column.cuts)));
    return cuts;
}

PackedEnsemble trees_from_arrays(const nb::dict& given, std::size_t n_values, bool values_are_sums,
                                 nb::handle n_levels) {
    std::deque<Buffer> buffers;
    histogram::EnsembleArrays<histogram::Borrowed> arrays;
    for_each_array(arrays, [&]<class T>(const char* name, std::span<const T>& values) {
        require(given.contains(name), std::string(name) + ": not given");
        const Buffer& buffer = buffers.emplace_back(given[name], name);
        require(buffer.n_axes() == 1, std::string(name) + ": one axis is expected");
        values = buffer.template elements<T>();
    });
    require(given.size() == buffers.size(), "there are arrays that belong to nothing");
    const Buffer levels(n_levels, "n_levels");
    const histogram::EnsembleShape shape{n_values, values_are_sums,
                                         levels.elements<std::int32_t>()};
    return interruptible([&](const Check& check) { return ensemble_from(arrays, shape, check); });
}

}  // namespace

void bind_packed_trees(nb::module_& module) {
    nb::enum_<LeafPrediction>(module, "LeafPrediction")
        .value("value", LeafPrediction::value)
        .value("shares", LeafPrediction::shares)
        .value("vote", LeafPrediction::vote);
    nb::class_<PackedEnsemble>(module, "PackedTrees", "The trees of an ensemble, in compact form.")
        .def_prop_ro("n_trees", [](const PackedEnsemble& self) { return self.trees.size(); })
        .def_ro("n_values", &PackedEnsemble::n_values)
        .def_ro("values_are_sums", &PackedEnsemble::values_are_sums)
        .def_prop_ro("n_nodes", &PackedEnsemble::n_nodes)
        .def_prop_ro("nbytes", &PackedEnsemble::n_bytes)
        .def("tree", &tree_at, "at"_a, "The arrays of one tree by name.")
        .def("append", &append, "other"_a, "Take on the trees of another, grown on equal bins.")
        .def("head", &head, "n_trees"_a, "The first trees alone.")
        .def("scale", &scale, "tree"_a, "factor"_a, InStandardArithmetic(),
             "Multiply the predictions of one tree.")
        .def("shrunk", &shrunk, "first"_a, "strength"_a, "prior"_a, "n_threads"_a,
             InStandardArithmetic(),
             "The trees, those from number `first` on shrunk toward the values of their inner nodes.")
        .def("add_values", &add_values, "X"_a, "out"_a, "n_threads"_a, "prediction"_a, "first"_a,
             "last"_a, "in_float32"_a = false,
             "Add to `out` (n_rows, n_outputs) what trees first .. last - 1 predict.")
        .def("leaves", &fill_leaves, "X"_a, "out"_a, "n_threads"_a, "first"_a, "last"_a,
             "Fill `out` (n_rows, n_trees) with the nodes that rows end at.")
        .def("explain_row", &explain_row, "X"_a, "n_threads"_a, "prediction"_a, "n_outputs"_a,
             "output"_a,
             "Base value and Shapley values (n_columns,) of one row, by training weight; None if "
             "only single trees can tell.")
        .def("cuts", &cuts_of_columns, "Where each column is cut into bins.")
        .def("arrays", &arrays_of_trees, "All trees and bins as flat arrays by name.")
        .def_static("from_arrays", &trees_from_arrays, "arrays"_a, "n_values"_a,
                    "values_are_sums"_a, "n_levels"_a,
                    "Trees from what `arrays` gave; ValueError unless they can be walked.");
}

}  // namespace treewright::bindings
