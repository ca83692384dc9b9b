#include "core/histogram/gradients.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t rows_at_once = 16'384;
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

struct Sizes {
    double gradient = 0, hessian = 0, largest_gradient = 0, largest_hessian = 0;
};

Sizes sizes_of(const Gradients& gradients, const GrownOn& rows, std::size_t begin,
               std::size_t end) {
    Sizes sizes;
    with_cells(gradients, rows, [&](const auto& row_at, const auto& hessian_of) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t row = row_at(i);
            const double g = std::abs(gradients.first[row]), h = hessian_of(row);
            sizes.gradient += g;
            sizes.hessian += h;
            sizes.largest_gradient = std::max(sizes.largest_gradient, g);
            sizes.largest_hessian = std::max(sizes.largest_hessian, h);
        }
    });
    return sizes;
}

// A number in [0, 1) that depends on the row alone.
double random_of(std::uint64_t row) {
    row = (row + 1) * 0x9E3779B97F4A7C15ULL;
    row = (row ^ (row >> 32)) * 0xD6E8FEB86659FD93ULL;
    return static_cast<double>(row >> 11) * 0x1p-53;
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

Units find_units(const Gradients& gradients, const GrownOn& rows, int n_threads) {
    const std::size_t n_blocks = (rows.size() + rows_at_once - 1) / rows_at_once;
    std::vector<Sizes> blocks(n_blocks);
    run_tasks(n_blocks, n_threads, [&](std::size_t block, int) {
        const std::size_t first = block * rows_at_once;
        const std::size_t end = std::min(rows.size(), first + rows_at_once);
        blocks[block] = sizes_of(gradients, rows, first, end);
    });
    Sizes all;
    for (const Sizes& block : blocks) {
        all.gradient += block.gradient;
        all.hessian += block.hessian;
        all.largest_gradient = std::max(all.largest_gradient, block.largest_gradient);
        all.largest_hessian = std::max(all.largest_hessian, block.largest_hessian);
    }
    Units units;
    units.gradient = unit_for(all.gradient, all.largest_gradient, largest_gradient);
    units.coarse = all.gradient / static_cast<double>(rows.size()) * units.gradient < fine;
    if (gradients.second.empty() && !gradients.logistic) return units;
    units.hessian = unit_for(all.hessian, all.largest_hessian, largest_hessian);
    units.largest_hessian = std::ceil(all.largest_hessian * units.hessian);
    return units;
}

void pack_rows(const Gradients& gradients, const GrownOn& rows, const Units& units, int n_threads,
               Traveler* out) {
    const std::size_t n_blocks = (rows.size() + rows_at_once - 1) / rows_at_once;
    run_tasks(n_blocks, n_threads, [&](std::size_t block, int) {
        const std::size_t end = std::min(rows.size(), (block + 1) * rows_at_once);
        with_cells(gradients, rows, [&](const auto& row_at, const auto& hessian_of) {
            for (std::size_t i = block * rows_at_once; i < end; ++i) {
                const std::uint32_t row = row_at(i);
                const double up = units.coarse ? random_of(row) : 0.5;
                const double first = gradients.first[row] * units.gradient + up;
                const double second = hessian_of(row) * units.hessian + up;
                out[i] = packed(row, std::floor(first), std::max(1.0, std::floor(second)));
            }
        });
    });
}

}  // namespace treewright::histogram
