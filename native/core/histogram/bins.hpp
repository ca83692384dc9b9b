// Where the values of one column are cut into bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/grow/columns.hpp"

namespace treewright::histogram {

// A sum of weights. Integers, so that neither the order of rows nor blocks of them change it.
using WeightSum = unsigned __int128;

// The weights of rows as integers: 1 without weights, else in units of 2^-96 of a power of two that
// no weight reaches. Sums of 2^30 rows do not overflow, and weights of up to 2^-43 of the largest
// are exact.
class RowWeights {
public:
    explicit RowWeights(std::span<const double> weight);  // of all rows; empty: 1 each
    RowWeights(std::span<const double> some, double largest);  // of some rows; and of all of them

    bool are_counts() const { return weight_.empty(); }
    // 0 for rows that are ignored.
    WeightSum operator[](std::size_t row) const {
        if (weight_.empty()) return 1;
        if (!(weight_[row] > 0)) return 0;
        const auto units = static_cast<WeightSum>(weight_[row] * scale_[0] * scale_[1]);
        return units > 0 ? units : 1;  // however small, the value exists
    }

private:
    std::span<const double> weight_;
    double scale_[2] = {1.0, 1.0};  // two factors: one could overflow
};

// A value of a column and what its rows weigh.
struct DistinctValue {
    double value;
    WeightSum weight;
};

// The cuts of a column with these different values, ascending: at most n_bins - 1, each between two
// neighbors. Every value has a bin of its own if there are no more than `n_bins`.
std::vector<double> cuts_between(std::span<const DistinctValue> values, int n_bins);

// Whether a bin ends with the value that makes it `in_bin` heavy: it is full, or the next value
// would overfill it by more than it lacks. `with_next` is the weight with that value.
bool ends_bin(WeightSum in_bin, WeightSum with_next, double share);

// A finite number that separates two: not below `low`, below `high`.
double number_between(double low, double high);

// The different values, ascending, with the sums of their weights; without weights, their counts.
// NaN is not allowed.
std::vector<DistinctValue> distinct_values_of(std::vector<double> numbers,
                                           std::span<const WeightSum> weights);

// Numbers of some rows one after the other: those of the column itself, or copies. A missing code
// is NaN.
template <class T>  // float or double
std::span<const T> numbers_of(const ColumnView& column, std::size_t first, std::size_t end,
                              std::span<T> room) {
    const std::size_t n = end - first;
    if (column.type == ValueType::int32) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t code = column.code(first + i);
            room[i] = code < 0 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(code);
        }
        return {room.data(), n};
    }
    if (column.stride == sizeof(T)) return {reinterpret_cast<const T*>(column.at(first)), n};
    const char* at = column.at(first);
    for (std::size_t i = 0; i < n; ++i, at += column.stride)
        room[i] = *reinterpret_cast<const T*>(at);
    return {room.data(), n};
}

// Copies of some rows of columns that are not contiguous, so that these may be read as if they
// were. Columns of a matrix share cache lines, and are copied together: three times as fast as one
// after the other.
class GatheredRows {
public:
    static constexpr std::size_t most_rows = 2048;

    // The columns with these rows as rows 0, 1, ...; valid until the next call.
    std::span<const ColumnView> operator()(std::span<const ColumnView> columns, std::size_t first,
                                           std::size_t end);

private:
    std::vector<ColumnView> views_;
    std::vector<double> room_;
};

// Cuts by the definition: all values are sorted. Negative codes and NaN are missing.
std::vector<double> find_cuts(const ColumnView& column, std::size_t n_rows,
                              const RowWeights& weights, int n_bins);

}  // namespace treewright::histogram
