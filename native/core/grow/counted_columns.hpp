// Columns with few different values, as codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/grow/columns.hpp"

namespace treewright {

// Stores the column as codes if it has few different values.
bool count_column(const ColumnView& view, std::size_t n_rows, WorkColumn<std::uint32_t>& out);

// Columns to be filled, whose rows will be in the folder.
std::vector<WorkColumn<std::uint32_t>> numbered_columns(std::size_t n, const Folder& folder);

// The columns with few different values as codes; the others have neither codes nor an order.
std::vector<WorkColumn<std::uint32_t>> count_columns(std::span<const ColumnView> views,
                                                     std::size_t n_rows, int n_threads,
                                                     const Folder& folder, const Check& check);

}  // namespace treewright
