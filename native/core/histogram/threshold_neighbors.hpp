// The numbers of a column next to its thresholds.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "core/grow/columns.hpp"
#include "core/histogram/packed/bin_guide.hpp"

namespace treewright::histogram {

// A numeric column, at most `most_thresholds` thresholds, ascending, and for each of them: the
// largest number that is not above it, or -infinity, and the smallest above it, or infinity. NaN is
// no number.
struct ThresholdNeighbors {
    static constexpr std::size_t most_thresholds = BinGuide<double, std::uint16_t>::most_cuts;

    ColumnView column;
    std::span<const double> thresholds;
    std::span<double> below, above;
};

// Fills in the neighbors. `check` may throw to cancel.
void find_neighbors(std::span<const ThresholdNeighbors> wanted, std::size_t n_rows, int n_threads,
                    const std::function<void()>& check);

}  // namespace treewright::histogram
