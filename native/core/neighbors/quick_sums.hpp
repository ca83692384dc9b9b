// Distances of a row from all rows of a box at once, in single precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/neighbors/column_survey.hpp"
#include "core/neighbors/mixed_rows.hpp"

namespace treewright::neighbors {

inline constexpr std::size_t box_size = 128;  // rows

// What a query adds to the sums of rows, column by column. Numbers have places: first the columns
// that every row knows, then those with missing values.
struct QuickQuery {
    struct Difference {
        std::size_t place;
        float if_missing;  // what a row without a value adds
    };
    struct Code {
        std::size_t line;
        float value;
        float if_missing;
    };
    struct Byte {
        std::size_t place;  // of the column among those of bytes
        std::uint8_t value;
    };

    float constant = 0;                // what every row adds
    float n_known = 0;                 // columns that every row and the query know
    bool squares_by_products = false;  // |a|^2 + |b|^2 - 2 a b
    bool has_others = false;           // columns other than products, sizes and levels
    std::vector<double> numbers;       // by place
    std::vector<std::size_t> sizes;    // places: of differences, in columns that every row knows
    std::vector<Difference> differences;
    std::vector<std::size_t> unknown;  // places without a number, if those add something
    std::vector<Code> many_levels;
    std::vector<Byte> levels;

    // From the center of the box that is looked into.
    std::vector<float> shifted;  // numbers by place
    std::vector<float> factors;  // of products; 0 where there are none
    float start = 0;
};

// Squares of columns that all rows know are summed as |a|^2 + |b|^2 - 2 a b, as seen from the
// center of the box: one multiplication and addition for a column. Levels are compared as bytes,
// sixteen rows at a time. Whatever rounding can add is taken off: no sum is above the exact one by
// more than `bound` allows for, and the caller computes every sum that could count again.
class QuickSums {
public:
    QuickSums() = default;
    QuickSums(const MixedRows& rows, Measure measure, const ColumnSurvey& survey,
              std::size_t n_boxes);

    void fill(std::size_t box, const MixedRows& rows, std::span<const std::uint32_t> of);
    QuickQuery prepare(const double* row) const;

    // Rows whose quick sums are above this are farther than `reach`.
    float bound(double reach) const;

    // Sums of a box by query and row, so far as they are products.
    void begin(std::size_t box, std::span<QuickQuery* const> queries, float* sums) const;

    // Adds what else the query adds; sums are NaN for rows that are out of reach. Whether any is
    // not above `most`.
    bool finish(std::size_t box, const QuickQuery& query, float most, float* sums) const;

private:
    void sort_columns(const MixedRows& rows, const ColumnSurvey& survey);
    std::size_t n_numbers() const { return plain_.size() + some_missing_.size(); }
    std::size_t column_at(std::size_t place) const {
        return place < plain_.size() ? plain_[place] : some_missing_[place - plain_.size()];
    }
    float seen_from(double center, double value) const {
        return static_cast<float>((value - center) * unit_);
    }
    void put(std::size_t box, std::size_t at, const double* row);
    void prepare_numbers(const double* row, QuickQuery& query) const;
    void prepare_levels(const double* row, QuickQuery& query) const;
    void approach(std::size_t box, QuickQuery& query) const;
    void add_others(std::size_t box, std::size_t begin, const QuickQuery& query,
                    struct LaneSums& sums) const;
    void add_rest(std::size_t box, std::size_t begin, const QuickQuery& query,
                  const struct LevelCounts& counts, float* sums) const;
    struct LevelCounts count_levels(std::size_t box, const QuickQuery& query) const;
    void add_levels(const struct LevelCounts& counts, std::size_t begin, float n_levels,
                    struct LaneSums& sums) const;
    // Line 0 of a box has the squares of rows, the next ones the numbers by place.
    float* floats(std::size_t box, std::size_t line) {
        return floats_.data() + (box * n_lines_ + line) * box_size;
    }
    const float* floats(std::size_t box, std::size_t line) const {
        return floats_.data() + (box * n_lines_ + line) * box_size;
    }

    std::uint8_t* bytes(std::size_t box, std::size_t place) {
        return bytes_.data() + (box * level_.size() + place) * box_size;
    }
    const std::uint8_t* bytes(std::size_t box, std::size_t place) const {
        return bytes_.data() + (box * level_.size() + place) * box_size;
    }

    Measure measure_;
    double unit_ = 1;   // numbers are multiplied by this
    double one_ = 1;    // what a difference of 1 adds
    double slack_ = 0;  // of sums by products, as a share of the squares
    std::vector<std::size_t> plain_, some_missing_, level_, many_;  // columns: numbers, and levels
    std::size_t n_lines_ = 0;                                       // of floats in a box
    std::vector<double> centers_;                                   // of boxes, by place
    std::vector<float> floats_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace treewright::neighbors
