// Rows of numbers and levels, and how far two of them are apart.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright::neighbors {

// What a column adds where one of two rows, or both, have no value in it.
//   as_one    1
//   farthest  as much as the known number, between 0 and 1, can be away; 1 if none is known
//   left_out  nothing, and the sum is divided by the number of columns that both rows know
enum class Missing : std::uint8_t { as_one, farthest, left_out };

// How the differences of columns are put together: two levels differ by 0 or 1, two numbers by what
// lies between them.
struct Measure {
    bool squares = true;  // whether squares are added up, and the distance is the root of the sum
    Missing missing = Missing::as_one;
};

// One number for each column of each row: a scaled number, or the code of a level. NaN is missing.
struct MixedRows {
    std::size_t n_rows = 0;
    std::span<const double> values;          // row by row
    std::span<const std::uint8_t> is_level;  // by column

    std::size_t n_columns() const { return is_level.size(); }
    const double* row(std::size_t at) const { return values.data() + at * n_columns(); }
};

inline double farthest_from(double value) { return std::max(value, 1 - value); }

// What one column adds before it is squared; 0 for one that is left out.
inline double difference(double a, double b, bool is_level, Missing missing) {
    const bool a_known = !std::isnan(a), b_known = !std::isnan(b);
    if (a_known && b_known) {
        if (a == b) return 0;  // two infinities, too
        return is_level ? 1 : std::abs(a - b);
    }
    if (missing == Missing::left_out) return 0;
    if (missing == Missing::farthest && !is_level && (a_known || b_known)) {
        return farthest_from(a_known ? a : b);
    }
    return 1;
}

// The definition: what is compared is this number, added up in the order of the columns; if squares
// are added up, it is the square of the distance.
inline double apart(const double* a, const double* b, std::span<const std::uint8_t> is_level,
                    const Measure& measure) {
    double sum = 0;
    std::size_t n_known = 0;
    for (std::size_t c = 0; c < is_level.size(); ++c) {
        const double one = difference(a[c], b[c], is_level[c], measure.missing);
        sum += measure.squares ? one * one : one;
        n_known += !std::isnan(a[c]) && !std::isnan(b[c]);
    }
    if (measure.missing != Missing::left_out) return sum;
    return n_known > 0 ? sum / static_cast<double>(n_known) : 1.0;
}

// The same of several rows at a time, if neither those nor `a` have missing values or infinities.
template <std::size_t n>
std::array<double, n> apart_if_finite(const double* a, const std::array<const double*, n>& others,
                                      std::span<const std::uint8_t> is_level,
                                      const Measure& measure) {
    std::array<double, n> sums{};
    for (std::size_t c = 0; c < is_level.size(); ++c) {
        for (std::size_t i = 0; i < n; ++i) {
            const double between = std::abs(a[c] - others[i][c]);
            const double one = is_level[c] ? static_cast<double>(between > 0) : between;
            sums[i] += measure.squares ? one * one : one;
        }
    }
    if (measure.missing != Missing::left_out) return sums;
    const auto n_known = static_cast<double>(is_level.size());
    for (double& sum : sums) sum = n_known > 0 ? sum / n_known : 1.0;
    return sums;
}

inline double distance_of(double apart, const Measure& measure) {
    return measure.squares ? std::sqrt(apart) : apart;
}

}  // namespace treewright::neighbors
