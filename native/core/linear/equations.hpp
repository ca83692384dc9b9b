// Sums of products and linear equations, added up in one order on every machine.
//
// BLAS and LAPACK choose their order, and fused multiply-add, by the processor. Here every sum has
// its order in the source, and still enough sums side by side for vector code.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace treewright::linear {

// The sum of the products of two arrays of one length.
double dot(std::span<const double> one, std::span<const double> other);

// Fills `out` with the products of each row of a matrix, out.size() by vector.size(), with a vector.
void fill_row_products(std::span<const double> matrix, std::span<const double> vector,
                       std::span<double> out);

// Fills `out` with the sum of the rows of a matrix, weights.size() by out.size(), each times its
// weight.
void fill_weighted_sum(std::span<const double> weights, std::span<const double> matrix,
                       std::span<double> out);

// Cholesky's upper triangle U of a symmetric matrix, in its place: the matrix is U' U. Below the
// diagonal all becomes zero.
//
// A column whose own share of the diagonal, once the columns before it are known, is `least` or
// less is a combination of them: its row and its diagonal become zero. `check` may throw.
void factor_in_place(std::span<double> matrix, std::size_t n, double least,
                     const std::function<void()>& check);

// Solves U' U x = right in the place of `right`; 0 for columns whose diagonal is zero.
void solve_in_place(std::span<const double> factor, std::span<double> right);

}  // namespace treewright::linear
