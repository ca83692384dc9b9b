#include <memory>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/borrowed_rows.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "bindings/tree_arrays.hpp"
#include "core/predict/predict.hpp"

namespace treewright::bindings {

using namespace nb::literals;

namespace {

// A core predictor, the predictions it points to, and what it needs to check rows.
struct BoundPredictor {
    Buffer predictions;
    std::vector<std::int32_t> n_levels;  // of each column; -1 for a numeric one
    std::unique_ptr<Predictor> predictor;
};

void make_predictor(BoundPredictor* self, nb::object tree, nb::object predictions,
                    nb::object n_levels, bool unseen_to_majority) {
    const BorrowedTree borrowed(tree, n_levels, unseen_to_majority);
    const TreeView& view = borrowed.view();
    Buffer per_node(predictions, "predictions");
    require(per_node.n_axes() == 2 && per_node.length(0) == view.n_nodes(),
            "predictions: one row per node");
    auto predictor = std::make_unique<Predictor>(view, per_node.elements<double>(),
                                                 per_node.length(1));
    new (self) BoundPredictor{std::move(per_node),
                              {view.n_levels.begin(), view.n_levels.end()},
                              std::move(predictor)};
}

void fill_values(const BoundPredictor& self, nb::object X, nb::object out, int n_threads) {
    const BorrowedRows borrowed = borrow_rows(X, self.n_levels);
    const Buffer target(out, "out", true);
    const auto elements = target.writable_elements<double>();
    require(elements.size() == n_rows_of(borrowed.rows) * self.predictor->n_values(),
            "out: n_values numbers per row");
    interruptible([&](const Check& check) {
        self.predictor->values(borrowed.rows, n_threads, elements, check);
    });
}

void fill_leaves(const BoundPredictor& self, nb::object X, nb::object out, int n_threads) {
    const BorrowedRows borrowed = borrow_rows(X, self.n_levels);
    const Buffer target(out, "out", true);
    const auto elements = target.writable_elements<std::int32_t>();
    require(elements.size() == n_rows_of(borrowed.rows), "out: one node per row");
    interruptible([&](const Check& check) {
        self.predictor->leaves(borrowed.rows, n_threads, elements, check);
    });
}

nb::tuple parts_of_rows(const BoundPredictor& self, nb::object X) {
    const BorrowedRows borrowed = borrow_rows(X, self.n_levels);
    RowParts parts = interruptible(
        [&](const Check& check) { return self.predictor->parts(borrowed.rows, check); });
    return nb::make_tuple(owned_array(std::move(parts.row)), owned_array(std::move(parts.node)),
                          owned_array(std::move(parts.share)));
}

}  // namespace

void bind_predict(nb::module_& module) {
    nb::class_<BoundPredictor>(module, "Predictor", "A tree arranged for walking many rows.")
        .def("__init__", &make_predictor, "tree"_a, "predictions"_a, "n_levels"_a,
             "unseen_to_majority"_a, InStandardArithmetic())
        .def("values", &fill_values, "X"_a, "out"_a, "n_threads"_a,
             "Fill `out` (n_rows, n_values) with the predictions of the nodes that rows end at.")
        .def("leaves", &fill_leaves, "X"_a, "out"_a, "n_threads"_a,
             "Fill `out` (n_rows,) with the nodes that rows end at.")
        .def("parts", &parts_of_rows, "X"_a,
             "Row, node and share of every part of a row that ends at a node.");
}

}  // namespace treewright::bindings
