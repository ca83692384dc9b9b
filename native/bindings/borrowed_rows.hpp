// Rows that Python gives, as the core reads them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/predict/rows.hpp"

namespace treewright::bindings {

// The buffers keep the memory while it is read.
struct BorrowedRows {
    std::vector<Buffer> buffers;
    std::vector<GivenColumn> columns;
    Rows rows;
};

// A matrix, if all columns are numeric, or a list of columns; `n_levels` of each column, -1 for a
// numeric one.
BorrowedRows borrow_rows(nb::handle X, std::span<const std::int32_t> n_levels);

std::size_t n_rows_of(const Rows& rows);

}  // namespace treewright::bindings
