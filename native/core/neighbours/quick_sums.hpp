// Distances of a row from all rows of a box at once, in single precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/neighbours/mixed_rows.hpp"

namespace treewright::neighbours {

inline constexpr std::size_t box_size = 128;  // rows

// What a query adds to the sums of rows, column by column. A line is a column of numbers in a box.
struct QuickQuery {
    struct Number {
        std::size_t line;
        float value;
        float if_missing;  // what a row without a value adds
    };
    struct Byte {
        std::size_t place;  // of the column among those of bytes
        std::uint8_t value;
    };

    float start = 0;                   // what every row adds
    float n_known = 0;                 // columns that every row and the query know
    bool squares_by_products = false;  // |a|^2 + |b|^2 - 2 a b
    bool has_others = false;           // columns beside products, sizes and levels
    std::vector<Number> products;      // value: times -2
    std::vector<Number> sizes;         // of differences, in columns that every row knows
    std::vector<Number> differences;
    std::vector<Number> many_levels;
    std::vector<std::size_t> unknown;  // lines that the query does not know, if those add something
    std::vector<Byte> levels;
};

// Squares of columns that all rows know are summed as |a|^2 + |b|^2 - 2 a b: one multiplication and
// addition for a column. Levels are compared as bytes, sixteen rows at a time. What is lost by
// rounding is within `error`; the caller works out again every sum that could count.
class QuickSums {
public:
    QuickSums() = default;
    QuickSums(const MixedRows& rows, Measure measure, std::size_t n_boxes);

    // A number less the centre of its column: so little is lost by rounding it.
    float centred(const double* row, std::size_t column) const;

    void put(std::size_t box, std::size_t place, const double* row);
    QuickQuery prepare(const double* row) const;

    // At most so far a sum is from the exact one; infinite for a query that is out of reach.
    double error(const double* query) const;

    // The sums of a box, NaN for rows that are out of reach; whether any is not above `most`.
    bool add_up(std::size_t box, const QuickQuery& query, float most, float* sums) const;

private:
    void sort_columns(const MixedRows& rows);
    bool is_odd(const double* row) const;
    void add_others(std::size_t box, std::size_t begin, const QuickQuery& query,
                    struct LaneSums& sums) const;
    void add_rest(std::size_t box, std::size_t begin, const QuickQuery& query,
                  const struct LevelCounts& counts, float* sums) const;
    struct LevelCounts count_levels(std::size_t box, const QuickQuery& query) const;
    void add_levels(const struct LevelCounts& counts, std::size_t begin,
                    struct LaneSums& sums) const;
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
    std::vector<std::size_t> plain_, holed_, level_, many_;  // columns: numbers, and levels
    std::vector<double> centre_;        // of the numbers of each column
    double largest_ = 0;                // distance of a number from its centre
    std::size_t n_lines_ = 0;           // of floats in a box: squares, plain, holed, many
    std::vector<float> floats_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace treewright::neighbours
