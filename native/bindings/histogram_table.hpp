// Whether two binned tables of Python go together.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "bindings/arrays.hpp"
#include "core/histogram/binned_table.hpp"

namespace treewright::bindings {

// Trees know bins only by their numbers.
inline void require_same_bins(std::span<const histogram::BinnedColumn> columns,
                              std::span<const histogram::BinnedColumn> others, const char* name) {
    require(std::ranges::equal(columns, others, histogram::same_bins),
            std::string(name) + ": a table that was cut into other bins");
}

}  // namespace treewright::bindings
