// The columns of a node that may be summed up, made comparable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::oblique {

struct NodeColumns {
    std::size_t n_rows = 0;
    std::vector<double> values;         // column by column: mean 0, deviation 1, missing values 0
    std::vector<double> deviation;      // of the values as they were
    std::vector<std::uint32_t> column;  // which of the columns given it is

    // `given` are n_columns x weight.size() numbers, NaN where missing. Columns that are constant
    // here, or whose squares overflow, are left out.
    NodeColumns(std::span<const double> given, std::span<const double> weight);

    std::size_t n_columns() const { return column.size(); }
    const double* at(std::size_t which) const { return values.data() + which * n_rows; }
};

}  // namespace treewright::oblique
