// What the search has to know about the columns of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/neighbors/mixed_rows.hpp"

namespace treewright::neighbors {

struct ColumnSurvey {
    std::vector<std::uint8_t> has_missing;  // by column
    std::vector<double> largest;            // by column: code
    std::vector<double> center;             // by column: about the middle number, outliers or not
    bool all_finite = true;                 // no missing values, no infinities
    double unit = 1;                        // a power of two: most numbers, times this, are about 1

    ColumnSurvey() = default;
    ColumnSurvey(const MixedRows& rows, Measure measure, const std::function<void()>& check);

private:
    double choose_unit(const MixedRows& rows) const;
};

// The middle of some of the numbers of a column in these rows; 0 if none of those is finite.
double middle_of(const MixedRows& rows, std::span<const std::uint32_t> of, std::size_t column);

// How widely some of the numbers of a column in these rows are spread about their mean.
double spread_of(const MixedRows& rows, std::span<const std::uint32_t> of, std::size_t column);

}  // namespace treewright::neighbors
