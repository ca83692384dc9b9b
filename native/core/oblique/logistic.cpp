#include "core/oblique/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/arithmetic/exponential.hpp"
#include "core/parallel/work_meter.hpp"

namespace treewright::oblique {
namespace {

constexpr int max_rounds = 10;
constexpr double ridge = 1e-3;        // per unit of weight
constexpr double longest_step = 4.0;  // of one slope in one round
constexpr double close_enough = 1e-3;

// Solves the symmetric positive definite `matrix` x = `right` in place, by Cholesky.
void solve(std::vector<double>& matrix, std::vector<double>& right) {
    const std::size_t n = right.size();
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < j; ++k) {
            const double factor = matrix[j * n + k];
            for (std::size_t i = j; i < n; ++i) matrix[i * n + j] -= matrix[i * n + k] * factor;
        }
        const double pivot = std::sqrt(std::max(matrix[j * n + j], 1e-300));
        for (std::size_t i = j; i < n; ++i) matrix[i * n + j] /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) right[i] -= matrix[i * n + k] * right[k];
        right[i] /= matrix[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) right[i] -= matrix[k * n + i] * right[k];
        right[i] /= matrix[i * n + i];
    }
}

struct Newton {
    std::vector<double> matrix, gradient;  // lower triangle by rows
};

// The equations of one round; the constant comes last.
Newton equations(std::span<const double* const> columns, std::span<const double> group,
                 std::span<const double> weight, const std::vector<double>& slopes,
                 const std::function<void()>& check) {
    const std::size_t n = columns.size() + 1;
    Newton sums{std::vector<double>(n * n, 0.0), std::vector<double>(n, 0.0)};
    std::vector<double> values(n, 1.0);
    double total = 0.0;
    WorkMeter meter(check);
    for (std::size_t row = 0; row < group.size(); ++row) {
        meter.add(n * n);
        double score = slopes[n - 1];
        for (std::size_t j = 0; j + 1 < n; ++j) {
            values[j] = columns[j][row];
            score += slopes[j] * values[j];
        }
        const double share = 1 / (1 + fast_exp(-std::clamp(score, -30.0, 30.0)));
        const double residual = weight[row] * (group[row] - share);
        const double curvature = weight[row] * std::max(share * (1 - share), 1e-6);
        total += weight[row];
        for (std::size_t j = 0; j < n; ++j) {
            sums.gradient[j] += residual * values[j];
            const double scaled = curvature * values[j];
            for (std::size_t k = 0; k <= j; ++k) sums.matrix[j * n + k] += scaled * values[k];
        }
    }
    for (std::size_t j = 0; j + 1 < n; ++j) {
        sums.gradient[j] -= ridge * total * slopes[j];
        sums.matrix[j * n + j] += ridge * total;
    }
    return sums;
}

}  // namespace

std::vector<double> logistic_slopes(std::span<const double* const> columns,
                                    std::span<const double> group, std::span<const double> weight,
                                    std::vector<double> start, const std::function<void()>& check) {
    std::vector<double> slopes = std::move(start);
    for (int round = 0; round < max_rounds; ++round) {
        Newton newton = equations(columns, group, weight, slopes, check);
        solve(newton.matrix, newton.gradient);
        double longest = 0.0;
        for (const double step : newton.gradient) longest = std::max(longest, std::abs(step));
        const double shortened = longest > longest_step ? longest_step / longest : 1.0;
        for (std::size_t j = 0; j < slopes.size(); ++j) slopes[j] += shortened * newton.gradient[j];
        if (longest < close_enough) break;
    }
    return slopes;
}

}  // namespace treewright::oblique
