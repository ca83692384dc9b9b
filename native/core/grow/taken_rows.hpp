// Sorted columns of some of the rows: trees of cross-validation share one sort.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/grow/columns.hpp"

namespace treewright {

// `rows` are positions below n_rows, each once. The columns are those that prepare_columns() would
// give for these rows alone, up to columns of few values, which stay as they are in `from`.
std::vector<WorkColumn<std::uint32_t>> take_rows(std::span<const WorkColumn<std::uint32_t>> from,
                                                 std::size_t n_rows,
                                                 std::span<const std::int64_t> rows);

}  // namespace treewright
