// Gradients as small integers, so that sums do not depend on the order of rows or on threads.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/arithmetic/order_free_sum.hpp"

namespace treewright::histogram {

// What a loss says of each row: how it changes with the score, and how that changes.
struct Gradients {
    std::span<const double> first;
    std::span<const double> second;  // empty: 1 for every row, or what follows from the first
    std::span<const double> weight;  // of rows, already in both; for leaves' own. Empty: 1
    bool logistic = false;           // the first are p - y with y 0 or 1: the second are p (1 - p)

    // Calls `work` with a function of a row that is its second derivative.
    template <class Work>
    auto with_hessians(const Work& work) const {
        if (!second.empty()) return work([this](std::size_t row) { return second[row]; });
        if (!logistic) return work([](std::size_t) { return 1.0; });
        return work([this](std::size_t row) {
            const double error = std::abs(first[row]);
            return error * (1 - error);
        });
    }
};

// The rows of the table that a tree is grown on, ascending: those of a list, or all.
struct GrownOn {
    std::span<const std::uint32_t> list;  // empty: all
    std::size_t n_rows = 0;               // of the table
    std::size_t size() const { return list.empty() ? n_rows : list.size(); }

    // Calls `work` with a function that is the row at a place.
    template <class Work>
    auto with_rows(const Work& work) const {
        if (list.empty()) return work([](std::size_t i) { return static_cast<std::uint32_t>(i); });
        return work([this](std::size_t i) { return list[i]; });
    }
};

// A row on its way through the tree: its number above, its two derivatives (16 bits each) below.
using Traveler = std::uint64_t;
inline std::uint32_t row_of(Traveler traveler) {
    return static_cast<std::uint32_t>(traveler >> 32);
}

// A sum of both: the first derivative in the upper half (signed), the second in the lower (never
// negative, of a row at least 1), so that one addition adds both. No sum over all rows overflows
// its half, and only that of no row is 0.
using Sum = std::int64_t;
inline Sum sum_of(Traveler traveler) {
    const auto first = static_cast<std::int16_t>(traveler >> 16);
    return (static_cast<Sum>(first) << 32) + static_cast<Sum>(traveler & 0xFFFF);
}
inline double gradient_of(Sum sum) { return static_cast<double>(sum >> 32); }
inline double hessian_of(Sum sum) { return static_cast<double>(sum & 0xFFFFFFFF); }

// The largest of all rows, by size.
struct LargestGradients {
    double gradient = 0, hessian = 0, weight = 0;
};

// How many units of the integers are 1.
struct Units {
    double gradient = 1;
    double hessian = 1;
    double largest_hessian = 1;  // of a row, in units
    bool coarse = false;         // rounding to the nearest would lose small gradients altogether
    LargestGradients largest;

    // Every row counts 1 in sums of the second derivative.
    bool count_rows() const { return largest_hessian == 1 && hessian == 1; }
};

Units find_units(const Gradients& gradients, const GrownOn& rows, int n_threads);

// The same in steps, for rows in several places: the largest of each place, then sums that are to
// within `bounds`, the largest of all places, and last the units from the surveys of all.
struct GradientSurvey {
    LargestGradients largest;
    WholeSum gradient, hessian;  // of their sizes

    void add(const GradientSurvey& other);
};
inline constexpr LargestGradients logistic_bounds{1, 0.25};  // known without a look at the rows
LargestGradients largest_gradients(const Gradients& gradients, const GrownOn& rows, int n_threads);
GradientSurvey survey_gradients(const Gradients& gradients, const GrownOn& rows,
                                const LargestGradients& bounds, std::size_t n_rows_of_all,
                                int n_threads);
// `all_ones`: every second derivative is 1.
Units units_from(const GradientSurvey& found, const LargestGradients& bounds,
                 std::size_t n_rows_of_all, bool all_ones);

// `draw` is another number for every tree: which rows are rounded up depends on it and on their
// numbers alone. Rows after the first n of a larger table take draw + n.
void pack_rows(const Gradients& gradients, const GrownOn& rows, const Units& units,
               std::uint64_t draw, int n_threads, Traveler* out);

}  // namespace treewright::histogram
