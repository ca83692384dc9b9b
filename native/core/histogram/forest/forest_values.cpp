#include "core/histogram/forest/forest_values.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::histogram {
namespace {

// A row is drawn up to 15 times, so sums stay below 2^62.
constexpr int most_bits = 57;

int exponent_above(double value) { return value > 0 ? std::ilogb(value) + 1 : 0; }

void scale_weights(const ForestData& data, ScaledValues& values) {
    double total = 0;
    for (const double weight : data.weight) total += weight;
    values.weight_exponent = most_bits - exponent_above(total);
    values.weight.reserve(data.weight.size());
    for (const double weight : data.weight) {
        const auto scaled = std::llround(std::ldexp(weight, values.weight_exponent));
        values.weight.push_back(weight > 0 ? std::max<std::int64_t>(1, scaled) : 0);
    }
}

void scale_classes(const ForestData& data, ScaledValues& values) {
    values.sum.reserve(data.classes.size());
    for (std::size_t row = 0; row < data.classes.size(); ++row) {
        const std::int64_t weight = values.weight.empty() ? 1 : values.weight[row];
        values.sum.push_back(data.classes[row] == 1 ? weight : 0);
    }
}

// Near their mean, so that a large one costs no digits.
void scale_numbers(const ForestData& data, ScaledValues& values) {
    double largest = 0;
    for (const double y : data.y) largest = std::max(largest, std::abs(y));
    const int exponent = exponent_above(largest);
    const auto weight_of = [&](std::size_t row) {
        return values.weight.empty() ? 1.0 : static_cast<double>(values.weight[row]);
    };
    double mean = 0;
    for (const double y : data.y) mean += std::ldexp(y, -exponent);
    mean = std::nearbyint(mean / static_cast<double>(data.y.size()) * 0x1p30) * 0x1p-30;
    double total = 0;
    for (std::size_t row = 0; row < data.y.size(); ++row) {
        total += weight_of(row) * std::abs(std::ldexp(data.y[row], -exponent) - mean);
    }
    const int digits = most_bits - exponent_above(total);
    values.value_exponent = digits - exponent;
    values.sum.reserve(data.y.size());
    for (std::size_t row = 0; row < data.y.size(); ++row) {
        const double distance = std::ldexp(data.y[row], -exponent) - mean;
        values.sum.push_back(std::llround(std::ldexp(weight_of(row) * distance, digits)));
    }
}

}  // namespace

ForestMeasure measure_of(const ForestData& data, const ForestSettings& settings) {
    if (data.n_classes == 0) return ForestMeasure::squared_error;
    return settings.entropy ? ForestMeasure::entropy : ForestMeasure::gini;
}

ScaledValues scaled_values(const ForestData& data, const ForestSettings& settings) {
    ScaledValues values;
    values.target = data.y;
    if (!data.weight.empty()) scale_weights(data, values);
    if (data.n_classes == 0) scale_numbers(data, values);
    const std::size_t n_draws = data.n_draws(settings);
    const bool counts_do = data.weight.empty() && n_draws <= CountTally::mask;
    if ((data.n_classes == 1 || data.n_classes == 2) && !counts_do) scale_classes(data, values);
    if (data.n_classes > 0 && settings.entropy && data.weight.empty()) {
        for (std::size_t n = 0; n <= n_draws; ++n) {
            values.n_log2_n.push_back(x_log2_x(static_cast<double>(n)));
        }
    }
    return values;
}

}  // namespace treewright::histogram
