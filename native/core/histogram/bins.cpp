#include "core/histogram/bins.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treewright::histogram {
namespace {

// Quantiles of so many rows are as good as those of all: 400 rows stand for a bin.
constexpr std::size_t sample_size = 100'000;

struct Value {
    double value;
    double weight;
};

// Rows in even steps, each at a place in its step that looks random but is always the same.
std::size_t sampled_row(std::size_t i, std::size_t n_rows, std::size_t n_sampled) {
    if (n_sampled == n_rows) return i;
    const std::size_t first = i * n_rows / n_sampled, end = (i + 1) * n_rows / n_sampled;
    const std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15ULL;
    return first + (mixed >> 32) % (end - first);
}

bool is_known(const ColumnView& column, std::size_t row) {
    return column.kind == ColumnKind::numeric ? !std::isnan(column.number(row))
                                              : column.code(row) >= 0;
}

// The different values among the sampled rows, ascending, with their weights.
std::vector<Value> sampled_values(const ColumnView& column, std::size_t n_rows,
                                  std::span<const double> weight) {
    const std::size_t n_sampled = std::min(n_rows, sample_size);
    std::vector<Value> values;
    values.reserve(n_sampled);
    for (std::size_t i = 0; i < n_sampled; ++i) {
        const std::size_t row = sampled_row(i, n_rows, n_sampled);
        const double weight_of_row = weight.empty() ? 1.0 : weight[row];
        if (weight_of_row > 0 && is_known(column, row)) {
            values.push_back({column.number(row), weight_of_row});
        }
    }
    std::ranges::sort(values, {}, &Value::value);
    std::size_t n_different = 0;
    for (const Value& value : values) {
        if (n_different > 0 && values[n_different - 1].value == value.value) {
            values[n_different - 1].weight += value.weight;
        } else {
            values[n_different++] = value;
        }
    }
    values.resize(n_different);
    return values;
}

// Adds the values that the sample missed, as long as there are not too many to have a bin each.
void add_rare_values(std::vector<Value>& values, const ColumnView& column, std::size_t n_rows,
                     std::span<const double> weight, std::size_t n_bins) {
    for (std::size_t row = 0; row < n_rows && values.size() <= n_bins; ++row) {
        const double value = column.number(row);
        if (!is_known(column, row) || (!weight.empty() && !(weight[row] > 0))) continue;
        const auto place = std::ranges::lower_bound(values, value, {}, &Value::value);
        if (place == values.end() || place->value != value) values.insert(place, {value, 0.0});
    }
}

// A finite number that separates two: not below `low`, below `high`.
double between(double low, double high) {
    constexpr double largest = std::numeric_limits<double>::max();
    if (std::isinf(low) && std::isinf(high)) return 0.0;
    if (std::isinf(low)) return -largest;
    if (std::isinf(high)) return largest;
    const double middle = low / 2 + high / 2;
    return middle < high && middle >= low ? middle : low;
}

}  // namespace

std::vector<double> find_cuts(const ColumnView& column, std::size_t n_rows,
                              std::span<const double> weight, int n_bins) {
    std::vector<Value> values = sampled_values(column, n_rows, weight);
    if (n_rows > sample_size && values.size() <= static_cast<std::size_t>(n_bins)) {
        add_rare_values(values, column, n_rows, weight, n_bins);
    }
    std::vector<double> cuts;
    const bool one_each = values.size() <= static_cast<std::size_t>(n_bins);
    double rest = 0;
    for (const Value& value : values) rest += value.weight;
    double in_bin = 0;
    int bins_left = n_bins;
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        in_bin += values[i].weight;
        const double share = rest / bins_left;
        // A bin ends here if it is full, or if the next value would overfill it by more.
        const double overfull = in_bin + values[i + 1].weight - share;
        if (!one_each && in_bin < share && overfull <= share - in_bin) continue;
        if (!one_each && bins_left == 1) break;
        cuts.push_back(between(values[i].value, values[i + 1].value));
        rest -= in_bin;
        in_bin = 0;
        --bins_left;
    }
    return cuts;
}

BinFinder::BinFinder(std::span<const double> cuts) {
    std::ranges::fill(cuts_, std::numeric_limits<double>::infinity());
    std::ranges::copy(cuts, cuts_);
}

}  // namespace treewright::histogram
