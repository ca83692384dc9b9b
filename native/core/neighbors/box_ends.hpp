// Bounding intervals of the rows in each box, and how far from them a query is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/neighbors/column_survey.hpp"
#include "core/neighbors/mixed_rows.hpp"

namespace treewright::neighbors {

// Single precision, rounded so that intervals only become wider; infinite for missing values and
// levels.
class BoxEnds {
public:
    struct Interval {
        std::vector<float> low, high;  // by column; NaN where the query has no value
    };

    BoxEnds() = default;
    BoxEnds(std::size_t n_columns, std::size_t n_boxes);

    Interval of_query(const double* row, const ColumnSurvey& survey) const;
    void put(std::size_t box, const MixedRows& rows, std::span<const std::uint32_t> of,
             const ColumnSurvey& survey);
    void add(std::size_t box, const BoxEnds& others, std::size_t other);  // make room for a box

    // A lower bound on the distance of the rows of the box from the query, in units or squares.
    float away(const Interval& query, std::size_t box, const Measure& measure) const;

private:
    std::size_t n_columns_ = 0, width_ = 0;
    std::vector<float> low_, high_;
};

}  // namespace treewright::neighbors
