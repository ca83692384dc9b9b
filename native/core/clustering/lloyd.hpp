// Lloyd's algorithm on plain numbers: which center is the nearest to each row, and where the middle
// of its rows is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/clustering/row_values.hpp"
#include "core/predict/rows.hpp"

namespace treewright::clustering {

// What one round found.
struct Round {
    std::size_t n_moved = 0;     // rows that changed their cluster
    std::vector<double> sums;    // by cluster and column, of weighted rows
    std::vector<double> weight;  // by cluster
};

// Rows, the cluster of each, and bounds on distances by which most rows need not be looked at again
// (Hamerly 2010). The clusters are those that comparing all distances gives, to the last row: a row
// is passed over only if rounding could not have changed its cluster.
class Lloyd {
public:
    // `weight` may be empty. Rows and weights must outlive this.
    Lloyd(const Rows& rows, std::size_t n_columns, std::span<const double> weight, int n_threads);

    // Assigns every row to its nearest center, the first on ties.
    Round assign(std::span<const double> centers, const Check& check);

    // From here on all rows count as moved once more.
    void forget() { last_centers_.clear(); }

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_columns() const { return n_columns_; }
    std::span<const std::int32_t> labels() const { return label_; }

    // The squared distance of each row from the center of its cluster.
    std::vector<double> squares(std::span<const double> centers, const Check& check) const;

    // The squared distance of each row from each center, row by row.
    void all_squares(std::span<const double> centers, std::span<double> out,
                     const Check& check) const;

    // The weighted sum of squared distances from the nearest point, if each of `points` joined
    // those that rows are `so_far` away from.
    std::vector<double> left_over(std::span<const double> points, std::span<const double> so_far,
                                  const Check& check) const;

    // A point joins: `so_far` becomes smaller where it is nearer.
    void come_near(std::span<const double> point, std::span<double> so_far,
                   const Check& check) const;

private:
    struct Centers;
    struct Tile;
    bool stays(const Centers& centers, std::size_t row);
    template <class R>
    void assign_tile(const R& rows, const Centers& centers, Tile& tile, std::size_t first,
                     std::size_t end);
    template <class R>
    std::size_t assign_block(const R& rows, const Centers& centers, std::size_t first,
                             std::size_t end, double* sums, double* weight, const Check& check);
    template <class Visit>
    void for_each_row(std::size_t n_sums, const Check& check, Visit visit) const;
    double weight_of(std::size_t row) const { return weight_.empty() ? 1.0 : weight_[row]; }

    Rows rows_;
    std::size_t n_rows_, n_columns_;
    std::span<const double> weight_;
    int n_threads_;
    std::vector<std::int32_t> label_;
    std::vector<double> upper_;  // on the distance to the own center
    std::vector<double> lower_;  // on the distance to every other center
    std::vector<double> last_centers_;
};

}  // namespace treewright::clustering
