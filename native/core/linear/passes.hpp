// One pass over the rows: scores, the cost with its gradient, or the products of all terms.
//
// Rows are taken in chunks that do not depend on the number of threads, and their sums are added in
// the order of the chunks: the same digits on any number of threads.
#pragma once

#include <functional>
#include <span>

#include "core/linear/linear_rows.hpp"
#include "core/linear/row_loss.hpp"

namespace treewright::linear {

struct Pass {
    int n_threads;
    const std::function<void()>& check;  // throws to cancel
};

// (n_rows, n_outputs) from (n_outputs, n_terms).
void fill_scores(const LinearRows& rows, std::span<const double> coefficients,
                 std::size_t n_outputs, const Pass& pass, std::span<double> scores);

// The mean cost of a row, by weight; its gradient has the shape of the coefficients.
double cost_and_gradient(const LinearRows& rows, LinearLoss loss, std::span<const double> target,
                         std::span<const double> coefficients, const Pass& pass,
                         std::span<double> gradient);

// (n_terms, n_terms): the mean product of any two terms, each row times its factor (empty: 1).
void fill_products(const LinearRows& rows, std::span<const double> factors, const Pass& pass,
                   std::span<double> products);

}  // namespace treewright::linear
