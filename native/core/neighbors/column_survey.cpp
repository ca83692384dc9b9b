#include "core/neighbors/column_survey.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace treewright::neighbors {
namespace {

constexpr std::size_t rows_between_checks = 4096;
constexpr std::size_t n_of_middle = 15, n_of_spread = 128;
constexpr int largest_exponent = 400;  // of the unit: its square is a number, too

// The finite ones of at most n numbers of a column, from rows evenly spread over those given.
template <std::size_t n>
std::span<double> some_numbers(const MixedRows& rows, std::span<const std::uint32_t> of,
                               std::size_t column, std::array<double, n>& into) {
    const std::size_t n_asked = std::min(n, of.size());
    std::size_t n_found = 0;
    for (std::size_t i = 0; i < n_asked; ++i) {
        const double value = rows.row(of[i * of.size() / n_asked])[column];
        if (std::isfinite(value)) into[n_found++] = value;
    }
    return {into.data(), n_found};
}

}  // namespace

double middle_of(const MixedRows& rows, std::span<const std::uint32_t> of, std::size_t column) {
    std::array<double, n_of_middle> place;
    const std::span<double> numbers = some_numbers(rows, of, column, place);
    if (numbers.empty()) return 0;
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
}

double spread_of(const MixedRows& rows, std::span<const std::uint32_t> of, std::size_t column) {
    std::array<double, n_of_spread> place;
    const std::span<double> numbers = some_numbers(rows, of, column, place);
    const auto n = static_cast<double>(numbers.size());
    double mean = 0, spread = 0;
    for (const double value : numbers) mean += value / n;
    for (const double value : numbers) spread += std::abs(value - mean) / n;
    return spread;
}

ColumnSurvey::ColumnSurvey(const MixedRows& rows, Measure measure,
                           const std::function<void()>& check)
    : has_missing(rows.n_columns(), 0), largest(rows.n_columns(), -HUGE_VAL) {
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        if (row % rows_between_checks == 0) check();
        for (std::size_t c = 0; c < rows.n_columns(); ++c) {
            const double value = rows.row(row)[c];
            has_missing[c] |= std::isnan(value);
            all_finite = all_finite && std::isfinite(value);
            largest[c] = value > largest[c] ? value : largest[c];
        }
    }
    std::vector<std::uint32_t> all(rows.n_rows);
    std::iota(all.begin(), all.end(), 0U);
    for (std::size_t c = 0; c < rows.n_columns(); ++c) center.push_back(middle_of(rows, all, c));
    // Where something adds 1, 1 is the unit.
    const auto is_set = [](std::uint8_t flag) { return flag != 0; };
    const bool adds_ones = std::ranges::any_of(has_missing, is_set) ||
                           std::ranges::any_of(rows.is_level, is_set) ||
                           measure.missing == Missing::farthest;
    if (!adds_ones) unit = choose_unit(rows);
}

double ColumnSurvey::choose_unit(const MixedRows& rows) const {
    std::vector<double> sizes;  // how far numbers are from the middle of their column
    for (std::size_t row = 0; row < rows.n_rows; row += 1 + rows.n_rows / n_of_spread) {
        double size = 0;
        for (std::size_t c = 0; c < rows.n_columns(); ++c) {
            const double away = std::abs(rows.row(row)[c] - center[c]);
            if (std::isfinite(away)) size = std::max(size, away);
        }
        if (size > 0) sizes.push_back(size);
    }
    if (sizes.empty()) return 1;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return std::ldexp(1.0, std::clamp(-std::ilogb(*middle), -largest_exponent, largest_exponent));
}

}  // namespace treewright::neighbors
