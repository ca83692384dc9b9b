// Tests that may forbid a split: significance, and the error that new rows are expected to show.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/arithmetic/portable_math.hpp"

namespace treewright {

// The chance of a chi-square value of at least x with df degrees of freedom.
inline double chi_square_tail(double x, int df) {
    if (df <= 0 || x <= 0) return 1.0;
    const double a = 0.5 * df, half = 0.5 * x;
    // log2 of gamma(a), by the recurrence from gamma(1) = 1 or gamma(1/2) = sqrt(pi).
    double log2_gamma = df % 2 == 0 ? 0.0 : 0.8257480647361593;
    for (double b = df % 2 == 0 ? 1.0 : 0.5; b < a; b += 1.0) log2_gamma += log2_of(b);
    const double front = exp2_of(a * log2_of(half) - half * 1.4426950408889634 - log2_gamma);
    if (half < a + 1.0) {  // series for the lower part
        double term = 1.0 / a, sum = term;
        for (double b = a + 1.0; term > sum * 1e-17; b += 1.0) sum += term *= half / b;
        return std::clamp(1.0 - front * sum, 0.0, 1.0);
    }
    double b = half + 1.0 - a, c = 1e300, d = 1.0 / b, fraction = d;  // continued fraction
    for (int i = 1; i < 10000; ++i) {
        const double an = -i * (i - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        fraction *= d * c;
        if (std::abs(d * c - 1.0) < 1e-16) break;
    }
    return std::clamp(front * fraction, 0.0, 1.0);
}

// The p-value of independence of children and classes; `table` holds one row for each child.
inline double independence_p_value(std::span<const double> table, std::size_t n_classes) {
    const std::size_t n_children = table.size() / n_classes;
    std::vector<double> of_class(n_classes, 0.0), of_child(n_children, 0.0);
    double total = 0.0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        of_child[i / n_classes] += table[i];
        of_class[i % n_classes] += table[i];
        total += table[i];
    }
    double statistic = 0.0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const double expected = of_child[i / n_classes] * of_class[i % n_classes] / total;
        if (expected > 0) statistic += (table[i] - expected) * (table[i] - expected) / expected;
    }
    const auto populated = [](double w) { return w > 0; };
    const auto children = std::ranges::count_if(of_child, populated);
    const auto classes = std::ranges::count_if(of_class, populated);
    return chi_square_tail(statistic, static_cast<int>((children - 1) * (classes - 1)));
}

// Errors expected among n new rows at a leaf with e errors in training: C4.5's upper limit with
// confidence cf, z its normal quantile.
inline double pessimistic_errors(double n, double e, double cf, double z) {
    if (n <= 0) return 0.0;
    if (e < 1.0) {
        const double none = n * (1.0 - exp2_of(log2_of(cf) / n));
        if (e == 0.0) return none;
        return none + e * (pessimistic_errors(n, 1.0, cf, z) - none);
    }
    if (e + 0.5 >= n) return std::max(n, e);  // e > n: the far end of the line from no error to one
    const double f = (e + 0.5) / n;
    const double spread = std::sqrt(f / n - f * f / n + z * z / (4 * n * n));
    return n * (f + z * z / (2 * n) + z * spread) / (1 + z * z / n);
}

}  // namespace treewright
