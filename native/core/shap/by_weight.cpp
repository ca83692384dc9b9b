#include <algorithm>
#include <array>
#include <variant>

#include "core/parallel/thread_pool.hpp"
#include "core/shap/lanes.hpp"
#include "core/shap/one_row.hpp"
#include "core/shap/walk.hpp"
#include "core/short_cuts.hpp"

namespace treewright {
namespace {

constexpr std::size_t task_rows = 8 * n_lanes;

// Adds up on the way back: at a step, the polynomials of all paths below it, each times the
// prediction at its end. The part of a column is their integral with the column's own factor taken
// out and its slope put in. A column that is tested again gets the difference to what it had
// before.
class ColumnSums {
public:
    ColumnSums(const ShapTree& tree, const Quadrature& points)
        : tree_(tree), points_(points), size_(points.size() * tree.n_values()) {}

    void begin(double* row_out) { out_ = row_out; }

    void open(std::size_t depth) {
        if (sums_.size() < (depth + 1) * size_) sums_.resize(2 * (depth + 1) * size_);
        std::fill_n(sums(depth), size_, 0.0);
    }

    void end_path(std::size_t depth, std::size_t node, std::span<const double> polynomial,
                  std::span<const Change>) {
        double* sum = sums(depth);
        for (const double value : polynomial) {
            for (std::size_t k = 0; k < tree_.n_values(); ++k) {
                *sum++ += value * tree_.prediction(node)[k];
            }
        }
    }

    void close(std::size_t depth, std::span<const Change> changes) {
        const std::size_t n_values = tree_.n_values();
        const double* const below = sums(depth);
        for (const Change& change : changes) {
            double* const part = out_ + change.column * n_values;
            for (std::size_t q = 0; q < points_.size(); ++q) {
                const double slope = relative_slope(change.after, points_.point[q]) -
                                     relative_slope(change.before, points_.point[q]);
                const double weight = slope * points_.weight[q];
                for (std::size_t k = 0; k < n_values; ++k)
                    part[k] += weight * below[q * n_values + k];
            }
        }
        double* const above = sums(depth - 1);
        for (std::size_t i = 0; i < size_; ++i) above[i] += below[i];
    }

private:
    static double relative_slope(const Factor& factor, double t) {
        return (factor.known - factor.unknown) / factor.at(t);
    }

    double* sums(std::size_t depth) { return sums_.data() + depth * size_; }

    const ShapTree& tree_;
    const Quadrature& points_;
    std::size_t size_;
    std::vector<double> sums_;  // for each depth: (n_points, n_values)
    double* out_ = nullptr;
};

// For every pair of columns on a path: both own factors taken out, both slopes put in.
class PairSums {
public:
    PairSums(const ShapTree& tree, const Quadrature& points)
        : tree_(tree), points_(points), is_listed_(tree.n_columns(), false) {}

    void begin(double* row_out) { out_ = row_out; }
    void open(std::size_t) {}
    void close(std::size_t, std::span<const Change>) {}

    void end_path(std::size_t, std::size_t node, std::span<const double> polynomial,
                  std::span<const Change> path) {
        list_columns(path);
        for (std::size_t i = 0; i < listed_.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                double sum = 0.0;
                for (std::size_t q = 0; q < points_.size(); ++q) {
                    sum += points_.weight[q] * polynomial[q] * slopes_[i * points_.size() + q] *
                           slopes_[j * points_.size() + q];
                }
                add(listed_[i], listed_[j], node, 0.5 * sum);
            }
        }
    }

private:
    // The columns of a path with their factors at its end: the last change of each counts.
    void list_columns(std::span<const Change> path) {
        listed_.clear();
        slopes_.clear();
        for (std::size_t i = path.size(); i-- > 0;) {
            if (is_listed_[path[i].column]) continue;
            is_listed_[path[i].column] = true;
            listed_.push_back(path[i].column);
            const Factor& factor = path[i].after;
            for (const double t : points_.point) {
                slopes_.push_back((factor.known - factor.unknown) / factor.at(t));
            }
        }
        for (const std::size_t column : listed_) is_listed_[column] = false;
    }

    void add(std::size_t left, std::size_t right, std::size_t node, double weight) {
        const std::size_t n_values = tree_.n_values(), n_columns = tree_.n_columns();
        for (std::size_t k = 0; k < n_values; ++k) {
            const double part = weight * tree_.prediction(node)[k];
            out_[(left * n_columns + right) * n_values + k] += part;
            out_[(right * n_columns + left) * n_values + k] += part;
        }
    }

    const ShapTree& tree_;
    const Quadrature& points_;
    std::vector<bool> is_listed_;
    std::vector<std::size_t> listed_;
    std::vector<double> slopes_;  // (n_listed, n_points)
    double* out_ = nullptr;
};

std::size_t n_rows_in(const Rows& rows) {
    return std::visit([](const auto& source) { return source.n_rows; }, rows);
}

Quadrature points_for(const ShapTree& tree) {
    return Quadrature(std::max<std::size_t>(1, (tree.most_columns() + 1) / 2));
}

// False if the row is not of the kind that `OneRowTree` can take.
bool added_as_one_row(const ShapTree& tree, const Rows& rows, const ShapWork& work) {
    if (!takes(ShortCut::shapley_lanes)) return false;
    Watch(work.interrupted).check();
    OneRowTree one_row(tree);
    std::vector<double> values(tree.n_columns());
    tree.copy_row(rows, 0, values.data());
    if (!one_row.route(values.data())) return false;
    one_row.add(work.out.data());
    return true;
}

}  // namespace

void add_shap_by_weight(const ShapTree& tree, const Rows& rows, const ShapWork& work) {
    const std::size_t n_rows = n_rows_in(rows), n_columns = tree.n_columns();
    if (n_rows == 1 && added_as_one_row(tree, rows, work)) return;
    const Quadrature points = points_for(tree);
    const LaneTree lanes(tree);
    Watch watch(work.interrupted);
    run_tasks((n_rows + task_rows - 1) / task_rows, work.n_threads, [&](std::size_t task, int) {
        PathWalk<ColumnSums> walk(tree, points, watch);
        ColumnSums sums(tree, points);
        LaneTree::Scratch scratch(lanes);
        std::vector<double> values(n_columns);
        std::array<double*, n_lanes> in_lanes{};
        std::size_t n_taken = 0;
        const auto add_lanes = [&] {
            if (n_taken > 0) lanes.add(scratch, in_lanes);
            in_lanes.fill(nullptr);
            n_taken = 0;
        };
        const std::size_t end = std::min(n_rows, (task + 1) * task_rows);
        for (std::size_t row = task * task_rows; row < end; ++row) {
            watch.check();
            tree.copy_row(rows, row, values.data());
            double* const out = work.out.data() + row * n_columns * tree.n_values();
            if (takes(ShortCut::shapley_lanes) && lanes.route(values.data(), n_taken, scratch)) {
                in_lanes[n_taken++] = out;
                if (n_taken == n_lanes) add_lanes();
            } else {
                sums.begin(out);
                walk.run(values.data(), sums);
            }
        }
        add_lanes();
    });
}

void add_shap_of_pairs(const ShapTree& tree, const Rows& rows, const ShapWork& work) {
    const Quadrature points = points_for(tree);
    const std::size_t n_rows = n_rows_in(rows), n_columns = tree.n_columns();
    const std::size_t numbers_per_row = n_columns * n_columns * tree.n_values();
    Watch watch(work.interrupted);
    run_tasks((n_rows + n_lanes - 1) / n_lanes, work.n_threads, [&](std::size_t task, int) {
        PathWalk<PairSums> walk(tree, points, watch);
        PairSums sums(tree, points);
        std::vector<double> values(n_columns);
        const std::size_t end = std::min(n_rows, (task + 1) * n_lanes);
        for (std::size_t row = task * n_lanes; row < end; ++row) {
            watch.check();
            tree.copy_row(rows, row, values.data());
            sums.begin(work.out.data() + row * numbers_per_row);
            walk.run(values.data(), sums);
        }
    });
}

}  // namespace treewright
