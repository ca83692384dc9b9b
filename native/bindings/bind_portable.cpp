#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "core/arithmetic/elementwise.hpp"
#include "core/linear/equations.hpp"

namespace treewright::bindings {

using namespace nb::literals;

namespace {

void fill(Elementwise function, nb::object values, nb::object out) {
    const Buffer given(values, "values"), written(out, "out", true);
    const auto from = given.elements<double>();
    const auto to = written.writable_elements<double>();
    require(from.size() == to.size(), "out: the shape of the values");
    fill_elementwise(function, from, to);
}

double product(nb::object one, nb::object other) {
    const Buffer first(one, "one"), second(other, "other");
    const auto left = first.elements<double>(), right = second.elements<double>();
    require(left.size() == right.size(), "other: as long as the first");
    return linear::dot(left, right);
}

void row_products(nb::object matrix, nb::object vector, nb::object out) {
    const Buffer rows(matrix, "matrix"), given(vector, "vector"), written(out, "out", true);
    const auto values = rows.elements<double>(), factors = given.elements<double>();
    const auto to = written.writable_elements<double>();
    require(values.size() == factors.size() * to.size(), "matrix: len(out) by len(vector)");
    linear::fill_row_products(values, factors, to);
}

void weighted_sum(nb::object weights, nb::object matrix, nb::object out) {
    const Buffer given(weights, "weights"), rows(matrix, "matrix"), written(out, "out", true);
    const auto factors = given.elements<double>(), values = rows.elements<double>();
    const auto to = written.writable_elements<double>();
    require(values.size() == factors.size() * to.size(), "matrix: len(weights) by len(out)");
    linear::fill_weighted_sum(factors, values, to);
}

void factor(nb::object matrix, double least) {
    const Buffer written(matrix, "matrix", true);
    require(written.n_axes() == 2 && written.length(0) == written.length(1), "matrix: square");
    const auto values = written.writable_elements<double>();
    interruptible([&](const auto& check) {
        linear::factor_in_place(values, written.length(0), least, check);
    });
}

void solve(nb::object factor, nb::object right) {
    const Buffer given(factor, "factor"), written(right, "right", true);
    const auto values = given.elements<double>();
    const auto to = written.writable_elements<double>();
    require(values.size() == to.size() * to.size(), "factor: square, as wide as `right` is long");
    linear::solve_in_place(values, to);
}

}  // namespace

void bind_portable(nb::module_& module) {
    nb::enum_<Elementwise>(module, "Elementwise")
        .value("exp", Elementwise::exp)
        .value("exp2", Elementwise::exp2)
        .value("log", Elementwise::log)
        .value("log1p", Elementwise::log1p)
        .value("log2", Elementwise::log2)
        .value("log_gamma", Elementwise::log_gamma);
    module.def("elementwise_of", &elementwise_of, "function"_a, "value"_a,
               "A function of one value.");
    module.def("fill_elementwise", &fill, "function"_a, "values"_a, "out"_a,
               "Fill `out` with a function of each value.");
    module.def("dot", &product, "one"_a, "other"_a, "The sum of the products of two arrays.");
    module.def("fill_row_products", &row_products, "matrix"_a, "vector"_a, "out"_a,
               "Fill `out` with the product of each row with a vector.");
    module.def("fill_weighted_sum", &weighted_sum, "weights"_a, "matrix"_a, "out"_a,
               "Fill `out` with the sum of the rows, each times its weight.");
    module.def("factor_in_place", &factor, "matrix"_a, "least"_a,
               "Cholesky's upper triangle; rows of zeros for columns that others make up.");
    module.def("solve_in_place", &solve, "factor"_a, "right"_a,
               "Solve the equations of a factored matrix in the place of their right side.");
}

}  // namespace treewright::bindings
