#include "core/oblique/node_columns.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::oblique {
namespace {

struct Moments {
    double mean = 0.0, deviation = 0.0;
};

// A power of two that brings the values to at most 1: squares then neither vanish nor overflow.
double unit_of(std::span<const double> values) {
    double largest = 0.0;
    for (const double value : values) {
        if (std::abs(value) > largest) largest = std::abs(value);  // not for NaN
    }
    int exponent = 0;
    std::frexp(largest, &exponent);
    return std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
}

Moments moments_of(std::span<const double> values, std::span<const double> weight, double unit) {
    double total = 0.0, sum = 0.0, squares = 0.0;
    for (std::size_t row = 0; row < values.size(); ++row) {
        if (std::isnan(values[row])) continue;
        total += weight[row];
        sum += weight[row] * (values[row] * unit);
    }
    if (!(total > 0.0)) return {};
    const double mean = sum / total;
    for (std::size_t row = 0; row < values.size(); ++row) {
        if (std::isnan(values[row])) continue;
        const double difference = values[row] * unit - mean;
        squares += weight[row] * difference * difference;
    }
    return {mean, std::sqrt(squares / total)};
}

}  // namespace

NodeColumns::NodeColumns(std::span<const double> given, std::span<const double> weight)
    : n_rows(weight.size()) {
    const std::size_t n_given = n_rows == 0 ? 0 : given.size() / n_rows;
    for (std::size_t c = 0; c < n_given; ++c) {
        const auto here = given.subspan(c * n_rows, n_rows);
        const double unit = unit_of(here);
        const Moments moments = moments_of(here, weight, unit);
        // What rounding makes of a constant is no deviation.
        const bool varies = moments.deviation > 1e-12 * std::abs(moments.mean);
        if (!varies || !std::isfinite(moments.mean) || !std::isfinite(moments.deviation)) continue;
        for (const double value : here) {
            values.push_back(std::isnan(value) ? 0.0
                                               : (value * unit - moments.mean) / moments.deviation);
        }
        deviation.push_back(moments.deviation / unit);
        column.push_back(static_cast<std::uint32_t>(c));
    }
}

}  // namespace treewright::oblique
