// Lloyd's algorithm on mixed columns with missing values: prototypes of means and of most
// common levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/clustering/row_values.hpp"
#include "core/predict/rows.hpp"

namespace treewright::clustering {

// What a distance counts in one column: the square of `factor` times the difference of two numbers,
// or `factor` where two levels differ.
struct CountedColumn {
    bool is_nominal;
    std::size_t n_levels;
    double factor;
};

// A row is compared in the columns that it knows: a missing value adds nothing to its distance from
// any prototype. Prototypes are rows of numbers: means, and codes of levels; they have no missing
// values.
class Prototypes {
public:
    // `weight` may be empty. Rows and weights must outlive this.
    Prototypes(const Columns& rows, std::vector<CountedColumn> columns,
               std::span<const double> weight, int n_threads);

    // Assigns every row to its nearest prototype, the first on ties; returns how many changed.
    std::size_t assign(std::span<const double> prototypes, const Check& check);

    // From here on all rows count as moved once more.
    void forget() { label_.assign(label_.size(), -1); }

    std::size_t n_rows() const { return rows_.n_rows; }
    std::size_t n_columns() const { return columns_.size(); }
    std::span<const std::int32_t> labels() const { return label_; }

    // The mean or the most common level (the first on ties) of the rows of each label; what was in
    // `prototypes` where none of them knows the column. The second: the weight of each cluster.
    struct Middles {
        std::vector<double> prototypes, weight;
    };
    Middles middles(std::span<const std::int32_t> labels, std::span<const double> prototypes,
                    const Check& check) const;

    // As those of `Lloyd`.
    std::vector<double> squares(std::span<const double> prototypes, const Check& check) const;
    void all_squares(std::span<const double> prototypes, std::span<double> out,
                     const Check& check) const;
    std::vector<double> left_over(std::span<const double> points, std::span<const double> so_far,
                                  const Check& check) const;
    void come_near(std::span<const double> point, std::span<double> so_far,
                   const Check& check) const;

private:
    struct Tile;
    void measure(Tile& tile, std::span<const double> prototypes) const;
    template <class Visit>
    void for_each_tile(std::span<const double> prototypes, std::size_t n_sums, const Check& check,
                       Visit visit) const;
    void mean_of_column(std::size_t column, std::span<const std::int32_t> labels,
                        std::span<double> prototypes, const Check& check) const;
    void mode_of_column(std::size_t column, std::span<const std::int32_t> labels,
                        std::span<double> prototypes, const Check& check) const;
    double weight_of(std::size_t row) const { return weight_.empty() ? 1.0 : weight_[row]; }

    Columns rows_;
    std::vector<CountedColumn> columns_;
    std::span<const double> weight_;
    int n_threads_;
    std::vector<std::int32_t> label_;
};

}  // namespace treewright::clustering
