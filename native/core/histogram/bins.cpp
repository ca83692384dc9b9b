#include "core/histogram/bins.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/arithmetic/as_index.hpp"
#include "core/short_cuts.hpp"

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

// Bits that sort as the numbers do, and back.
template <class Key, class Number>
Key key_of(Number number) {
    constexpr Key sign = Key{1} << (8 * sizeof(Key) - 1);
    const auto bits = std::bit_cast<Key>(number + Number{0});  // -0.0 and 0.0 are one value
    return bits & sign ? ~bits : bits | sign;
}
template <class Number, class Key>
Number number_of(Key key) {
    constexpr Key sign = Key{1} << (8 * sizeof(Key) - 1);
    return std::bit_cast<Number>(key & sign ? key & ~sign : ~key);
}

// Digit by digit, from the last: eight times as fast as sorting by comparisons on 100,000 keys.
template <class Key>
void sort_keys(std::vector<Key>& keys) {
    constexpr std::size_t bits = 11, size = std::size_t{1} << bits;
    std::vector<Key> other(keys.size());
    for (std::size_t shift = 0; shift < 8 * sizeof(Key); shift += bits) {
        std::array<std::uint32_t, size> start{};
        for (const Key key : keys) ++start[(key >> shift) & (size - 1)];
        if (std::ranges::find(start, keys.size()) != start.end()) continue;
        std::exclusive_scan(start.begin(), start.end(), start.begin(), 0U);
        for (const Key key : keys) other[start[(key >> shift) & (size - 1)]++] = key;
        keys.swap(other);
    }
}

template <class Key, class Number>
std::vector<Value> sorted_values(const ColumnView& column, std::size_t n_rows) {
    const std::size_t n_sampled = std::min(n_rows, sample_size);
    std::vector<Key> keys;
    keys.reserve(n_sampled);
    for (std::size_t i = 0; i < n_sampled; ++i) {
        const std::size_t row = sampled_row(i, n_rows, n_sampled);
        const auto number = *reinterpret_cast<const Number*>(column.at(row));
        if (number == number) keys.push_back(key_of<Key>(number));
    }
    if (takes(ShortCut::radix_sort)) {
        sort_keys(keys);
    } else {
        std::ranges::sort(keys);
    }
    std::vector<Value> values;
    for (std::size_t i = 0; i < keys.size();) {
        std::size_t end = i + 1;
        while (end < keys.size() && keys[end] == keys[i]) ++end;
        values.push_back({number_of<Number>(keys[i]), static_cast<double>(end - i)});
        i = end;
    }
    return values;
}

std::vector<Value> sorted_weighted_values(const ColumnView& column, std::size_t n_rows,
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
    std::ranges::stable_sort(values, {}, &Value::value);
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

// The different values among the sampled rows, ascending, with their weights.
std::vector<Value> sampled_values(const ColumnView& column, std::size_t n_rows,
                                  std::span<const double> weight) {
    if (!weight.empty() || column.kind != ColumnKind::numeric) {
        return sorted_weighted_values(column, n_rows, weight);
    }
    if (column.type == ValueType::float32) {
        return sorted_values<std::uint32_t, float>(column, n_rows);
    }
    return sorted_values<std::uint64_t, double>(column, n_rows);
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
    const std::size_t most = as_index(n_bins);
    if (n_rows > sample_size && values.size() <= most) {
        add_rare_values(values, column, n_rows, weight, most);
    }
    std::vector<double> cuts;
    const bool one_each = values.size() <= most;
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
