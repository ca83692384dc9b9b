// Sums of gradients by bin: the loop that boosting spends its time in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/boosting/gradient_split.hpp"
#include "core/histogram/gradients.hpp"

namespace treewright::histogram {

// Columns counted together: their sums (32 kB) stay in the first-level cache, and a row's bins are
// two words. Where rows are counted too, it is half as many.
inline constexpr std::size_t columns_at_once = 16;

// Adds rows to the sums of `n_columns` columns, n_slots sums for each.
void add_rows(const BinnedTable& table, std::size_t first_column, std::size_t n_columns,
              std::span<const Traveler> rows, Sum* sums);
// The same, and the number of rows of each bin, which is added to another n_slots numbers.
void add_rows(const BinnedTable& table, std::size_t first_column, std::size_t n_columns,
              std::span<const Traveler> rows, Sum* sums, std::uint32_t* n_rows);

// What rows add up to at the levels of a wide column. The scratch space is one number for each
// level and may be used again.
struct WideScratch {
    std::vector<Sum> sum;
    std::vector<std::uint32_t> n_rows;
};
WideSums add_wide_rows(std::span<const std::uint32_t> codes, std::size_t n_levels,
                       std::span<const Traveler> rows, WideScratch& scratch);

}  // namespace treewright::histogram
