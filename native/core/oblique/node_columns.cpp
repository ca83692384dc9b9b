#include "core/oblique/node_columns.hpp"

#include <cmath>

namespace treewright::oblique {
namespace {

struct Moments {
    double mean = 0.0, deviation = 0.0;
};

Moments moments_of(std::span<const double> values, std::span<const double> weight) {
    double total = 0.0, sum = 0.0, squares = 0.0;
    for (std::size_t row = 0; row < values.size(); ++row) {
        if (std::isnan(values[row])) continue;
        total += weight[row];
        sum += weight[row] * values[row];
    }
    if (!(total > 0.0)) return {};
    const double mean = sum / total;
    for (std::size_t row = 0; row < values.size(); ++row) {
        if (std::isnan(values[row])) continue;
        squares += weight[row] * (values[row] - mean) * (values[row] - mean);
    }
    return {mean, std::sqrt(squares / total)};
}

}  // namespace

NodeColumns::NodeColumns(std::span<const double> given, std::span<const double> weight)
    : n_rows(weight.size()) {
    const std::size_t n_given = n_rows == 0 ? 0 : given.size() / n_rows;
    for (std::size_t c = 0; c < n_given; ++c) {
        const auto here = given.subspan(c * n_rows, n_rows);
        const Moments moments = moments_of(here, weight);
        // What rounding makes of a constant is no deviation.
        const bool varies = moments.deviation > 1e-12 * std::abs(moments.mean);
        if (!varies || !std::isfinite(moments.mean) || !std::isfinite(moments.deviation)) continue;
        for (const double value : here) {
            values.push_back(std::isnan(value) ? 0.0 : (value - moments.mean) / moments.deviation);
        }
        deviation.push_back(moments.deviation);
        column.push_back(static_cast<std::uint32_t>(c));
    }
}

}  // namespace treewright::oblique
