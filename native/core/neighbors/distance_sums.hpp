// How far rows are from all rows of each group.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/neighbors/mixed_rows.hpp"

namespace treewright::neighbors {

// (n_rows, n_groups): the sum of the distances of each row from the other rows of each group, added
// in the order of the rows. (With missing values a row may be apart from itself: that does not
// count.) `check` may throw to cancel.
void distance_sums(const MixedRows& rows, Measure measure, std::span<const std::int32_t> group,
                   std::size_t n_groups, int n_threads, std::span<double> sums,
                   const std::function<void()>& check);

}  // namespace treewright::neighbors
