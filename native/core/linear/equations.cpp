#include "core/linear/equations.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel/work_meter.hpp"

namespace treewright::linear {
namespace {

constexpr std::size_t n_sums = 8;  // side by side
constexpr std::size_t n_rows_at_once = 8;

// Subtracts factors[k] x rows[k], one k after the other, from the elements of `to`.
//
// Several rows at once read and write `to` once; each of its elements sees the same differences in
// the same order as with one row at a time.
void subtract_rows(double* __restrict to, std::size_t n, const double* __restrict rows,
                   std::size_t stride, const std::array<double, n_rows_at_once>& factors) {
    for (std::size_t at = 0; at < n; ++at) {
        double left = to[at];
        for (std::size_t k = 0; k < n_rows_at_once; ++k) left -= factors[k] * rows[k * stride + at];
        to[at] = left;
    }
}

void subtract_row(double* __restrict to, std::size_t n, const double* __restrict row,
                  double factor) {
    for (std::size_t at = 0; at < n; ++at) to[at] -= factor * row[at];
}

// Makes row `at` of the factor from what earlier rows left of it.
void finish_row(double* row, std::size_t at, std::size_t n, double least) {
    const double own = row[at];
    if (!(own > least)) {
        std::fill(row + at, row + n, 0.0);
        return;
    }
    const double root = std::sqrt(own);
    row[at] = root;
    for (std::size_t j = at + 1; j < n; ++j) row[j] /= root;
}

}  // namespace

double dot(std::span<const double> one, std::span<const double> other) {
    std::array<double, n_sums> lanes{};
    const std::size_t n = one.size();
    std::size_t at = 0;
    for (; at + n_sums <= n; at += n_sums) {
        for (std::size_t lane = 0; lane < n_sums; ++lane) {
            lanes[lane] += one[at + lane] * other[at + lane];
        }
    }
    for (std::size_t lane = 0; at + lane < n; ++lane) {
        lanes[lane] += one[at + lane] * other[at + lane];
    }
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
           ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

void fill_row_products(std::span<const double> matrix, std::span<const double> vector,
                       std::span<double> out) {
    for (std::size_t row = 0; row < out.size(); ++row) {
        out[row] = dot(matrix.subspan(row * vector.size(), vector.size()), vector);
    }
}

void fill_weighted_sum(std::span<const double> weights, std::span<const double> matrix,
                       std::span<double> out) {
    const std::size_t n = out.size();
    std::ranges::fill(out, 0.0);
    for (std::size_t row = 0; row < weights.size(); ++row) {
        const double* __restrict values = matrix.data() + row * n;
        double* __restrict sums = out.data();
        for (std::size_t at = 0; at < n; ++at) sums[at] += weights[row] * values[at];
    }
}

void factor_in_place(std::span<double> matrix, std::size_t n, double least,
                     const std::function<void()>& check) {
    WorkMeter meter(check);
    double* rows = matrix.data();
    for (std::size_t begin = 0; begin < n; begin += n_rows_at_once) {
        const std::size_t end = std::min(begin + n_rows_at_once, n);
        for (std::size_t at = begin; at < end; ++at) {
            double* row = rows + at * n;
            std::fill(row, row + at, 0.0);
            for (std::size_t k = begin; k < at; ++k) {
                subtract_row(row + at, n - at, rows + k * n + at, rows[k * n + at]);
            }
            finish_row(row, at, n, least);
        }
        if (end - begin < n_rows_at_once) break;  // the last rows: none follow
        for (std::size_t at = end; at < n; ++at) {
            meter.add((n - at) * n_rows_at_once);
            std::array<double, n_rows_at_once> factors;
            for (std::size_t k = 0; k < n_rows_at_once; ++k) {
                factors[k] = rows[(begin + k) * n + at];
            }
            subtract_rows(rows + at * n + at, n - at, rows + begin * n + at, n, factors);
        }
    }
}

void solve_in_place(std::span<const double> factor, std::span<double> right) {
    const std::size_t n = right.size();
    for (std::size_t at = 0; at < n; ++at) {
        const double* row = factor.data() + at * n;
        right[at] = row[at] > 0 ? right[at] / row[at] : 0.0;
        subtract_row(right.data() + at + 1, n - at - 1, row + at + 1, right[at]);
    }
    for (std::size_t at = n; at-- > 0;) {
        const auto row = factor.subspan(at * n, n);
        if (!(row[at] > 0)) continue;  // 0 from above
        const double rest = dot(row.subspan(at + 1), right.subspan(at + 1));
        right[at] = (right[at] - rest) / row[at];
    }
}

}  // namespace treewright::linear
