#include "core/histogram/gradients.hpp"

#include <algorithm>
#include <cmath>

#include "core/arithmetic/random.hpp"
#include "core/parallel/row_shares.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t least_rows = 4'096;  // that are worth a task
constexpr double largest_sum = 1073741824.0;  // 2^30: each row may still be rounded up
constexpr double largest_gradient = 32'766, largest_hessian = 65'534;
constexpr double fine = 128;  // units in a gradient of middling size

// Calls `work` with functions for the row at a place and for the second derivative of a row.
template <class Work>
void with_cells(const Gradients& gradients, const GrownOn& rows, const Work& work) {
    rows.with_rows([&](const auto& row_at) {
        gradients.with_hessians([&](const auto& hessian_of) { work(row_at, hessian_of); });
    });
}

template <bool Sums>
GradientSurvey survey(const Gradients& gradients, const GrownOn& rows, const SumUnits& of_gradient,
              const SumUnits& of_hessian, int n_threads) {
    const RowShares shares = share_rows(rows.size(), n_threads, least_rows);
    std::vector<GradientSurvey> parts(shares.size());
    run_tasks(shares.size(), n_threads, [&](std::size_t share, int) {
        const std::size_t begin = shares.begin(share), end = shares.end(share);
        GradientSurvey part;
        with_cells(gradients, rows, [&](const auto& row_at, const auto& hessian_of) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t row = row_at(i);
                const double g = std::abs(gradients.first[row]), h = hessian_of(row);
                part.largest.gradient = std::max(part.largest.gradient, g);
                part.largest.hessian = std::max(part.largest.hessian, h);
                if constexpr (Sums) {
                    of_gradient.add_coarse(g, part.gradient);
                    of_hessian.add_coarse(h, part.hessian);
                }
            }
            if (gradients.weight.empty()) return;
            for (std::size_t i = begin; i < end; ++i) {
                part.largest.weight = std::max(part.largest.weight, gradients.weight[row_at(i)]);
            }
        });
        parts[share] = part;
        note_bytes(static_cast<double>((end - begin) * sizeof(double)));
    });
    GradientSurvey all;
    for (const GradientSurvey& part : parts) all.add(part);
    return all;
}

Traveler packed(std::uint32_t row, double first, double second) {
    const auto low = static_cast<std::uint16_t>(static_cast<std::int32_t>(second));
    const auto high = static_cast<std::uint16_t>(static_cast<std::int32_t>(first));
    return Traveler{row} << 32 | std::uint32_t{high} << 16 | low;
}

// A power of two, so that whole numbers stay whole; found without logarithms, whose last digit
// depends on the machine. Neither it nor its inverse overflows.
double unit_for(double sum, double largest, double limit) {
    if (!(largest > 0)) return 1;
    const int exponent = std::ilogb(std::min(largest_sum / sum, limit / largest));
    return std::ldexp(1.0, std::clamp(exponent, -1020, 1020));
}

}  // namespace

void GradientSurvey::add(const GradientSurvey& other) {
    largest.gradient = std::max(largest.gradient, other.largest.gradient);
    largest.hessian = std::max(largest.hessian, other.largest.hessian);
    largest.weight = std::max(largest.weight, other.largest.weight);
    gradient += other.gradient;
    hessian += other.hessian;
}

LargestGradients largest_gradients(const Gradients& gradients, const GrownOn& rows, int n_threads) {
    const SumUnits none(0, 1);
    return survey<false>(gradients, rows, none, none, n_threads).largest;
}

GradientSurvey survey_gradients(const Gradients& gradients, const GrownOn& rows,
                                const LargestGradients& bounds, std::size_t n_rows_of_all,
                                int n_threads) {
    return survey<true>(gradients, rows, SumUnits(bounds.gradient, n_rows_of_all),
                        SumUnits(bounds.hessian, n_rows_of_all), n_threads);
}

Units units_from(const GradientSurvey& found, const LargestGradients& bounds,
                 std::size_t n_rows_of_all, bool all_ones) {
    const double all_gradients =
        SumUnits(bounds.gradient, n_rows_of_all).value(found.gradient);
    const double all_hessians = SumUnits(bounds.hessian, n_rows_of_all).value(found.hessian);
    Units units;
    units.largest = found.largest;
    units.gradient = unit_for(all_gradients, units.largest.gradient, largest_gradient);
    units.coarse =
        all_gradients / static_cast<double>(n_rows_of_all) * units.gradient < fine;
    if (all_ones) return units;
    units.hessian = unit_for(all_hessians, units.largest.hessian, largest_hessian);
    units.largest_hessian = std::ceil(units.largest.hessian * units.hessian);
    return units;
}

Units find_units(const Gradients& gradients, const GrownOn& rows, int n_threads) {
    const LargestGradients bounds =
        gradients.logistic ? logistic_bounds : largest_gradients(gradients, rows, n_threads);
    const GradientSurvey found =
        survey_gradients(gradients, rows, bounds, rows.size(), n_threads);
    return units_from(found, bounds, rows.size(), gradients.second.empty() && !gradients.logistic);
}

void pack_rows(const Gradients& gradients, const GrownOn& rows, const Units& units,
               std::uint64_t draw, int n_threads, Traveler* out) {
    const RowShares shares = share_rows(rows.size(), n_threads, least_rows);
    run_tasks(shares.size(), n_threads, [&](std::size_t share, int) {
        const std::size_t begin = shares.begin(share), end = shares.end(share);
        with_cells(gradients, rows, [&](const auto& row_at, const auto& hessian_of) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint32_t row = row_at(i);
                const double up = units.coarse ? Random(draw + row).unit() : 0.5;
                const double first = gradients.first[row] * units.gradient + up;
                const double second = hessian_of(row) * units.hessian + up;
                out[i] = packed(row, std::floor(first), std::max(1.0, std::floor(second)));
            }
        });
        note_bytes(static_cast<double>((end - begin) * (sizeof(double) + sizeof(Traveler))));
    });
}

}  // namespace treewright::histogram
