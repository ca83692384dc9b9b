#include "core/clustering/prototypes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace treewright::clustering {

namespace {

constexpr std::size_t rows_between_checks = 1 << 16;
constexpr std::size_t most_counts = std::size_t{1} << 21;  // of levels, at a time

}  // namespace

// A few rows, and how far they are from every prototype.
struct Prototypes::Tile {
    static constexpr std::size_t size = 128;
    std::size_t first = 0, n_rows = 0, n_prototypes;
    std::array<double, size> value, factor;
    std::vector<double> distances;  // by prototype, then by row

    explicit Tile(std::size_t n) : n_prototypes(n), distances(n * size) {}
    double distance(std::size_t row, std::size_t k) const { return distances[k * size + row]; }

    std::size_t nearest(std::size_t row) const {
        std::size_t best = 0;
        for (std::size_t k = 1; k < n_prototypes; ++k) {
            if (distance(row, k) < distance(row, best)) best = k;
        }
        return best;
    }
};

Prototypes::Prototypes(const Columns& rows, std::vector<CountedColumn> columns,
                       std::span<const double> weight, int n_threads)
    : rows_(rows),
      columns_(std::move(columns)),
      weight_(weight),
      n_threads_(n_threads),
      label_(rows.n_rows, -1) {}

// All distances of a tile, column by column, so that rows lie side by side.
void Prototypes::measure(Tile& tile, std::span<const double> prototypes) const {
    std::fill(tile.distances.begin(), tile.distances.end(), 0.0);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const CountedColumn& column = columns_[c];
        for (std::size_t r = 0; r < tile.n_rows; ++r) {
            const double value = column.is_nominal
                                     ? static_cast<double>(rows_.code(tile.first + r, c))
                                     : rows_.number(tile.first + r, c);
            const bool is_known = column.is_nominal ? value >= 0 : !std::isnan(value);
            tile.value[r] = is_known ? value : 0.0;
            tile.factor[r] = is_known ? column.factor : 0.0;
        }
        for (std::size_t k = 0; k < tile.n_prototypes; ++k) {
            const double middle = prototypes[k * columns_.size() + c];
            double* distance = tile.distances.data() + k * Tile::size;
            if (column.is_nominal) {
                for (std::size_t r = 0; r < tile.n_rows; ++r) {
                    distance[r] += tile.value[r] != middle ? tile.factor[r] : 0.0;
                }
            } else {
                for (std::size_t r = 0; r < tile.n_rows; ++r) {
                    const double difference = tile.factor[r] * (tile.value[r] - middle);
                    distance[r] += difference * difference;
                }
            }
        }
    }
}

// Calls visit(block, tile) for all rows, measured.
template <class Visit>
void Prototypes::for_each_tile(std::span<const double> prototypes, std::size_t n_sums,
                               const Check& check, Visit visit) const {
    const std::size_t n = prototypes.size() / columns_.size();
    const auto work = [&](std::size_t block, std::size_t first, std::size_t end) {
        Tile tile(n);
        for (tile.first = first; tile.first < end; tile.first += Tile::size) {
            check();
            tile.n_rows = std::min(Tile::size, end - tile.first);
            measure(tile, prototypes);
            visit(block, tile);
        }
    };
    for_each_block(rows_.n_rows, n_blocks_for(rows_.n_rows, n_sums), n_threads_, check, work);
}

std::size_t Prototypes::assign(std::span<const double> prototypes, const Check& check) {
    std::vector<std::size_t> n_moved(n_blocks_for(rows_.n_rows));
    for_each_tile(prototypes, 1, check, [&](std::size_t block, const Tile& tile) {
        for (std::size_t r = 0; r < tile.n_rows; ++r) {
            const auto found = static_cast<std::int32_t>(tile.nearest(r));
            std::int32_t& label = label_[tile.first + r];
            n_moved[block] += label != found;
            label = found;
        }
    });
    std::size_t sum = 0;
    for (const std::size_t moved : n_moved) sum += moved;
    return sum;
}

// A column belongs to one thread, which adds its rows up in their order; so do the weights.
Prototypes::Middles Prototypes::middles(std::span<const std::int32_t> labels,
                                        std::span<const double> prototypes,
                                        const Check& check) const {
    Middles found{{prototypes.begin(), prototypes.end()},
                  std::vector<double>(prototypes.size() / columns_.size())};
    const auto work = [&](std::size_t column, int) {
        if (column == columns_.size()) {
            for (std::size_t row = 0; row < labels.size(); ++row) {
                found.weight[static_cast<std::size_t>(labels[row])] += weight_of(row);
            }
        } else if (columns_[column].is_nominal) {
            mode_of_column(column, labels, found.prototypes, check);
        } else {
            mean_of_column(column, labels, found.prototypes, check);
        }
    };
    run_tasks(columns_.size() + 1, n_threads_, work, check);
    return found;
}

void Prototypes::mean_of_column(std::size_t column, std::span<const std::int32_t> labels,
                                std::span<double> prototypes, const Check& check) const {
    const std::size_t n = prototypes.size() / columns_.size();
    std::vector<double> sum(n), weight(n);
    for (std::size_t row = 0; row < labels.size(); ++row) {
        if (row % rows_between_checks == 0) check();
        const double value = rows_.number(row, column);
        if (std::isnan(value)) continue;
        const auto own = static_cast<std::size_t>(labels[row]);
        sum[own] += weight_of(row) * value;
        weight[own] += weight_of(row);
    }
    for (std::size_t k = 0; k < n; ++k) {
        if (weight[k] > 0) prototypes[k * columns_.size() + column] = sum[k] / weight[k];
    }
}

void Prototypes::mode_of_column(std::size_t column, std::span<const std::int32_t> labels,
                                std::span<double> prototypes, const Check& check) const {
    const std::size_t n = prototypes.size() / columns_.size(), n_levels = columns_[column].n_levels;
    if (n_levels == 0) return;
    const std::size_t at_once = std::clamp<std::size_t>(most_counts / n_levels, 1, n);
    std::vector<double> weight(at_once * n_levels);
    for (std::size_t first = 0; first < n; first += at_once) {
        std::ranges::fill(weight, 0.0);
        for (std::size_t row = 0; row < labels.size(); ++row) {
            if (row % rows_between_checks == 0) check();
            const std::int32_t code = rows_.code(row, column);
            const std::size_t own = static_cast<std::size_t>(labels[row]) - first;
            if (code < 0 || own >= at_once) continue;  // those before `first` wrap around
            weight[own * n_levels + static_cast<std::size_t>(code)] += weight_of(row);
        }
        for (std::size_t k = first; k < std::min(n, first + at_once); ++k) {
            const double* of_cluster = weight.data() + (k - first) * n_levels;
            const double* most = std::max_element(of_cluster, of_cluster + n_levels);
            double& level = prototypes[k * columns_.size() + column];
            if (*most > 0) level = static_cast<double>(most - of_cluster);
        }
    }
}

std::vector<double> Prototypes::squares(std::span<const double> prototypes,
                                        const Check& check) const {
    std::vector<double> out(rows_.n_rows);
    for_each_tile(prototypes, 1, check, [&](std::size_t, const Tile& tile) {
        for (std::size_t r = 0; r < tile.n_rows; ++r) {
            const auto own = static_cast<std::size_t>(label_[tile.first + r]);
            out[tile.first + r] = tile.distance(r, own);
        }
    });
    return out;
}

void Prototypes::all_squares(std::span<const double> prototypes, std::span<double> out,
                             const Check& check) const {
    for_each_tile(prototypes, 1, check, [&](std::size_t, const Tile& tile) {
        for (std::size_t r = 0; r < tile.n_rows; ++r) {
            for (std::size_t k = 0; k < tile.n_prototypes; ++k) {
                out[(tile.first + r) * tile.n_prototypes + k] = tile.distance(r, k);
            }
        }
    });
}

std::vector<double> Prototypes::left_over(std::span<const double> points,
                                          std::span<const double> so_far,
                                          const Check& check) const {
    const std::size_t n = points.size() / columns_.size();
    std::vector<double> sums(n_blocks_for(rows_.n_rows, n) * n);
    for_each_tile(points, n, check, [&](std::size_t block, const Tile& tile) {
        for (std::size_t r = 0; r < tile.n_rows; ++r) {
            const std::size_t row = tile.first + r;
            for (std::size_t k = 0; k < n; ++k) {
                sums[block * n + k] += weight_of(row) * std::min(tile.distance(r, k), so_far[row]);
            }
        }
    });
    return added_up(sums, n);
}

void Prototypes::come_near(std::span<const double> point, std::span<double> so_far,
                           const Check& check) const {
    for_each_tile(point, 1, check, [&](std::size_t, const Tile& tile) {
        for (std::size_t r = 0; r < tile.n_rows; ++r) {
            double& nearest = so_far[tile.first + r];
            nearest = std::min(nearest, tile.distance(r, 0));
        }
    });
}

}  // namespace treewright::clustering
