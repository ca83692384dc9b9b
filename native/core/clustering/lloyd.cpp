#include "core/clustering/lloyd.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/clustering/quick_centers.hpp"
#include "core/short_cuts.hpp"

namespace treewright::clustering {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Bounds count only where they differ by more than rounding can explain, and what is added to them
// is rounded so that they stay valid.
constexpr double slack = 1 + 1e-9;
constexpr double outwards = 1 + 1e-15, inwards = 1 - 1e-15;
constexpr double least_bound = 1e-140;  // squares of smaller numbers lose digits

constexpr std::size_t rows_between_checks = 32;
constexpr std::size_t centers_of_a_task = 64;

std::size_t n_rows_in(const Rows& rows) {
    return std::visit([](const auto& given) { return given.n_rows; }, rows);
}

}  // namespace

// A few rows on their way: where their numbers lie, and those that must be looked at.
struct Lloyd::Tile {
    static constexpr std::size_t size = 64;
    std::array<const double*, size> values;
    std::array<std::size_t, size + QuickCenters::at_once> open;
    std::size_t n_open = 0, n_moved = 0, n_columns;
    std::vector<double> copies;
    std::vector<float> room;

    explicit Tile(std::size_t n_columns)
        : n_columns(n_columns), copies(size * n_columns), room(QuickCenters::room_for(n_columns)) {}
    double* copy_of(std::size_t row) { return copies.data() + row * n_columns; }
};

// The centers of a round, and what is known of them.
struct Lloyd::Centers {
    std::span<const double> given;
    std::size_t n, n_columns;
    std::vector<double> moved;        // how far each went since the last round, rounded up
    std::vector<double> other_moved;  // how far the farthest of the others went
    std::vector<double> half_gap;     // half the distance to the nearest other center
    QuickCenters quick;
    bool is_first;

    Centers(std::span<const double> centers, std::span<const double> before, std::size_t columns,
            int n_threads, const Check& check)
        : given(centers),
          n(centers.size() / columns),
          n_columns(columns),
          moved(n, 0),
          other_moved(n, 0),
          half_gap(n, infinity),
          quick(centers, columns),
          is_first(before.empty()) {
        if (is_first) return;  // there are no bounds yet
        measure_gaps(n_threads, check);
        measure_moves(before);
    }

    const double* at(std::size_t k) const { return given.data() + k * n_columns; }

    void measure_gaps(int n_threads, const Check& check) {
        const TurnedPoints points(given, n_columns);
        const auto work = [&](std::size_t task, int) {
            std::vector<double> squares(n);
            const std::size_t end = std::min(n, (task + 1) * centers_of_a_task);
            for (std::size_t k = task * centers_of_a_task; k < end; ++k) {
                check();
                points.squared_distances(at(k), squares.data());
                squares[k] = infinity;
                half_gap[k] = std::sqrt(*std::ranges::min_element(squares)) / 2;
            }
        };
        run_tasks((n + centers_of_a_task - 1) / centers_of_a_task, n_threads, work, check);
    }

    void measure_moves(std::span<const double> before) {
        double farthest = 0, second = 0;
        std::size_t which = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double* old = before.data() + k * n_columns;
            moved[k] = std::sqrt(squared_distance(at(k), old, n_columns)) * slack;
            if (moved[k] > farthest) {
                second = farthest;
                farthest = moved[k];
                which = k;
            } else {
                second = std::max(second, moved[k]);
            }
        }
        for (std::size_t k = 0; k < n; ++k) other_moved[k] = k == which ? second : farthest;
    }

    // By comparing all distances.
    NearestCenter nearest(const double* row) const {
        NearestCenter found{0, infinity, infinity};
        for (std::size_t k = 0; k < n; ++k) {
            const double distance = squared_distance(row, at(k), n_columns);
            if (distance < found.upper) {
                found.lower = found.upper;
                found.upper = distance;
                found.center = static_cast<std::int32_t>(k);
            } else {
                found.lower = std::min(found.lower, distance);
            }
        }
        return {found.center, std::sqrt(found.upper), std::sqrt(found.lower)};
    }
};

Lloyd::Lloyd(const Rows& rows, std::size_t n_columns, std::span<const double> weight, int n_threads)
    : rows_(rows),
      n_rows_(n_rows_in(rows)),
      n_columns_(n_columns),
      weight_(weight),
      n_threads_(n_threads) {}

// Whether the bounds say that a row is still nearest to its own center.
bool Lloyd::stays(const Centers& centers, std::size_t row) {
    const auto own = static_cast<std::size_t>(label_[row]);
    upper_[row] = (upper_[row] + centers.moved[own]) * outwards;
    lower_[row] = lower_[row] * inwards - centers.other_moved[own];
    const double others = std::max(lower_[row], centers.half_gap[own]);
    return upper_[row] * slack < others && others > least_bound;
}

// The rows of a tile that bounds say nothing of are looked at several at once.
template <class R>
void Lloyd::assign_tile(const R& rows, const Centers& centers, Tile& tile, std::size_t first,
                        std::size_t end) {
    tile.n_open = 0;
    for (std::size_t row = first; row < end; ++row) {
        tile.values[row - first] = row_at(rows, row, n_columns_, tile.copy_of(row - first));
        const bool is_bounded = !centers.is_first && takes(ShortCut::center_bounds);
        if (!is_bounded || !stays(centers, row)) tile.open[tile.n_open++] = row;
    }
    for (std::size_t i = tile.n_open; i % QuickCenters::at_once != 0; ++i) {
        tile.open[i] = tile.open[i - 1];
    }
    for (std::size_t i = 0; i < tile.n_open; i += QuickCenters::at_once) {
        const double* values[QuickCenters::at_once];
        NearestCenter seen[QuickCenters::at_once];
        for (std::size_t j = 0; j < QuickCenters::at_once; ++j) {
            values[j] = tile.values[tile.open[i + j] - first];
        }
        if (takes(ShortCut::quick_centers)) centers.quick.find(values, tile.room.data(), seen);
        for (std::size_t j = 0; j < QuickCenters::at_once && i + j < tile.n_open; ++j) {
            if (!seen[j].is_sure()) seen[j] = centers.nearest(values[j]);
            const std::size_t row = tile.open[i + j];
            tile.n_moved += seen[j].center != label_[row];
            label_[row] = seen[j].center;
            upper_[row] = seen[j].upper;
            lower_[row] = seen[j].lower;
        }
    }
}

template <class R>
std::size_t Lloyd::assign_block(const R& rows, const Centers& centers, std::size_t first,
                                std::size_t end, double* sums, double* weight, const Check& check) {
    Tile tile(n_columns_);
    for (std::size_t begin = first; begin < end; begin += Tile::size) {
        check();
        const std::size_t stop = std::min(end, begin + Tile::size);
        assign_tile(rows, centers, tile, begin, stop);
        for (std::size_t row = begin; row < stop; ++row) {
            const auto own = static_cast<std::size_t>(label_[row]);
            const double* values = tile.values[row - begin];
            double* sum = sums + own * n_columns_;
            weight[own] += weight_of(row);
            if (weight_.empty()) {
                for (std::size_t c = 0; c < n_columns_; ++c) sum[c] += values[c];
            } else {
                for (std::size_t c = 0; c < n_columns_; ++c) sum[c] += weight_[row] * values[c];
            }
        }
    }
    return tile.n_moved;
}

Round Lloyd::assign(std::span<const double> given, const Check& check) {
    const std::size_t size = given.size(), n = size / n_columns_;
    if (last_centers_.size() != size) {  // the first time, or another number of centers
        last_centers_.clear();
        label_.assign(n_rows_, -1);
        upper_.resize(n_rows_);
        lower_.resize(n_rows_);
    }
    const Centers centers(given, last_centers_, n_columns_, n_threads_, check);
    const std::size_t n_blocks = n_blocks_for(n_rows_, size);
    std::vector<double> sums(n_blocks * size), weight(n_blocks * n);
    std::vector<std::size_t> n_moved(n_blocks);
    last_centers_.clear();  // bounds are of no use if this is given up
    const auto work = [&](std::size_t block, std::size_t first, std::size_t end) {
        std::visit(
            [&](const auto& rows) {
                n_moved[block] = assign_block(rows, centers, first, end, sums.data() + block * size,
                                              weight.data() + block * n, check);
            },
            rows_);
    };
    for_each_block(n_rows_, n_blocks, n_threads_, check, work);
    last_centers_.assign(given.begin(), given.end());
    Round round{0, added_up(sums, size), added_up(weight, n)};
    for (const std::size_t moved : n_moved) round.n_moved += moved;
    return round;
}

// Calls visit(block, row, its numbers) for every row.
template <class Visit>
void Lloyd::for_each_row(std::size_t n_sums, const Check& check, Visit visit) const {
    const auto work = [&](std::size_t block, std::size_t first, std::size_t end) {
        std::vector<double> copy(n_columns_);
        std::visit(
            [&](const auto& rows) {
                for (std::size_t row = first; row < end; ++row) {
                    if ((row - first) % rows_between_checks == 0) check();
                    visit(block, row, row_at(rows, row, n_columns_, copy.data()));
                }
            },
            rows_);
    };
    for_each_block(n_rows_, n_blocks_for(n_rows_, n_sums), n_threads_, check, work);
}

std::vector<double> Lloyd::squares(std::span<const double> centers, const Check& check) const {
    std::vector<double> out(n_rows_);
    for_each_row(1, check, [&](std::size_t, std::size_t row, const double* values) {
        const auto own = static_cast<std::size_t>(label_[row]);
        out[row] = squared_distance(values, centers.data() + own * n_columns_, n_columns_);
    });
    return out;
}

void Lloyd::all_squares(std::span<const double> centers, std::span<double> out,
                        const Check& check) const {
    const std::size_t n = centers.size() / n_columns_;
    const TurnedPoints points(centers, n_columns_);
    for_each_row(1, check, [&](std::size_t, std::size_t row, const double* values) {
        points.squared_distances(values, out.data() + row * n);
    });
}

std::vector<double> Lloyd::left_over(std::span<const double> points, std::span<const double> so_far,
                                     const Check& check) const {
    const std::size_t n = points.size() / n_columns_, n_blocks = n_blocks_for(n_rows_, n);
    const TurnedPoints joining(points, n_columns_);
    std::vector<double> sums(n_blocks * n), squares(n_blocks * n);
    for_each_row(n, check, [&](std::size_t block, std::size_t row, const double* values) {
        double* of_row = squares.data() + block * n;
        joining.squared_distances(values, of_row);
        for (std::size_t k = 0; k < n; ++k) {
            sums[block * n + k] += weight_of(row) * std::min(of_row[k], so_far[row]);
        }
    });
    return added_up(sums, n);
}

void Lloyd::come_near(std::span<const double> point, std::span<double> so_far,
                      const Check& check) const {
    for_each_row(1, check, [&](std::size_t, std::size_t row, const double* values) {
        so_far[row] = std::min(so_far[row], squared_distance(values, point.data(), n_columns_));
    });
}

}  // namespace treewright::clustering
