// Where the values of one column are cut into bins.
#pragma once

#include <span>
#include <vector>

#include "core/grow/columns.hpp"

namespace treewright::histogram {

// Ascending cuts, at most n_bins - 1 of them, each between two values of the column.
std::vector<double> find_cuts(const ColumnView& column, std::size_t n_rows,
                              std::span<const double> weight, int n_bins);

// The number of the bin that a number falls into: that of the first cut not below it.
class BinFinder {
public:
    explicit BinFinder(std::span<const double> cuts);
    std::uint8_t operator()(double value) const {
        unsigned at = 0;
        for (unsigned step = 128; step > 0; step /= 2) at += (cuts_[at + step - 1] < value) * step;
        return static_cast<std::uint8_t>(at);
    }

    // Several numbers at once: each search waits for its own steps only. NaN falls into bin 0.
    static constexpr std::size_t at_once = 8;
    void operator()(const double (&values)[at_once], std::uint8_t* out) const {
        unsigned at[at_once] = {};
        for (unsigned step = 128; step > 0; step /= 2) {
            for (std::size_t i = 0; i < at_once; ++i) {
                at[i] += (cuts_[at[i] + step - 1] < values[i]) * step;
            }
        }
        for (std::size_t i = 0; i < at_once; ++i) out[i] = static_cast<std::uint8_t>(at[i]);
    }

private:
    double cuts_[256];  // filled up with infinities
};

}  // namespace treewright::histogram
