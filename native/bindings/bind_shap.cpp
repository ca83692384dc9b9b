#include <memory>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/borrowed_rows.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "bindings/tree_arrays.hpp"
#include "core/parallel/cancellation.hpp"
#include "core/shap/tree_shap.hpp"

namespace treewright::bindings {

using namespace nb::literals;

namespace {

// A core tree, the predictions it points to, and what it needs to check rows.
struct BoundShapTree {
    Buffer predictions;
    std::vector<std::int32_t> n_levels;  // of each column; -1 for a numeric one
    std::unique_ptr<ShapTree> tree;
};

void make_shap_tree(BoundShapTree* self, nb::object tree, nb::object predictions,
                    nb::object n_levels, bool unseen_to_majority) {
    const BorrowedTree borrowed(tree, n_levels, unseen_to_majority);
    const TreeView& view = borrowed.view();
    Buffer per_node(predictions, "predictions");
    require(per_node.n_axes() == 2 && per_node.length(0) == view.n_nodes(),
            "predictions: one row per node");
    auto arranged =
        std::make_unique<ShapTree>(view, per_node.elements<double>(), per_node.length(1));
    new (self) BoundShapTree{std::move(per_node),
                             {view.n_levels.begin(), view.n_levels.end()},
                             std::move(arranged)};
}

// Checks the size of `out` and calls kernel(rows, work) without the interpreter lock.
template <typename Kernel>
void add_to(const BoundShapTree& self, nb::handle X, nb::handle out, std::size_t numbers_per_row,
            int n_threads, const Kernel& kernel) {
    const BorrowedRows borrowed = borrow_rows(X, self.n_levels);
    const Buffer target(out, "out", true);
    const auto elements = target.writable_elements<double>();
    require(elements.size() == n_rows_of(borrowed.rows) * numbers_per_row,
            "out: rows, columns and values of another number are expected");
    const std::function<bool()> interrupted = python_interrupted;
    try {
        const Unlocked unlocked;
        kernel(borrowed.rows, ShapWork{n_threads, interrupted, elements});
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
}

void add_by_weight(const BoundShapTree& self, nb::object X, nb::object out, int n_threads) {
    const std::size_t per_row = self.tree->n_columns() * self.tree->n_values();
    add_to(self, X, out, per_row, n_threads, [&](const Rows& rows, const ShapWork& work) {
        add_shap_by_weight(*self.tree, rows, work);
    });
}

void add_of_pairs(const BoundShapTree& self, nb::object X, nb::object out, int n_threads) {
    const std::size_t n_columns = self.tree->n_columns();
    const std::size_t per_row = n_columns * n_columns * self.tree->n_values();
    add_to(self, X, out, per_row, n_threads, [&](const Rows& rows, const ShapWork& work) {
        add_shap_of_pairs(*self.tree, rows, work);
    });
}

void add_against(const BoundShapTree& self, nb::object X, nb::object background, nb::object out,
                 int n_threads) {
    const BorrowedRows others = borrow_rows(background, self.n_levels);
    require(n_rows_of(others.rows) > 0, "background: at least one row");
    const std::size_t per_row = self.tree->n_columns() * self.tree->n_values();
    add_to(self, X, out, per_row, n_threads, [&](const Rows& rows, const ShapWork& work) {
        add_shap_against(*self.tree, rows, others.rows, work);
    });
}

}  // namespace

void bind_shap(nb::module_& module) {
    nb::class_<BoundShapTree>(module, "ShapTree", "A tree arranged for Shapley values.")
        .def("__init__", &make_shap_tree, "tree"_a, "predictions"_a, "n_levels"_a,
             "unseen_to_majority"_a, InStandardArithmetic())
        .def(
            "expected",
            [](const BoundShapTree& self) { return owned_array(self.tree->expected()); },
            "The base value, if no column is known: the mean by training weight.")
        .def("add_by_weight", &add_by_weight, "X"_a, "out"_a, "n_threads"_a,
             "Add Shapley values by training weight to `out` (n_rows, n_columns, n_values).")
        .def("add_of_pairs", &add_of_pairs, "X"_a, "out"_a, "n_threads"_a,
             "Add halves of interactions by training weight to `out` (n_rows, n_columns, "
             "n_columns, n_values).")
        .def("add_against", &add_against, "X"_a, "background"_a, "out"_a, "n_threads"_a,
             "Add Shapley values against background rows to `out` (n_rows, n_columns, n_values).");
}

}  // namespace treewright::bindings
