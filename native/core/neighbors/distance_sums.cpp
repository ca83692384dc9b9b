#include "core/neighbors/distance_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/parallel/thread_pool.hpp"

namespace treewright::neighbors {
namespace {

constexpr std::size_t rows_at_once = 256;
constexpr std::size_t rows_of_task = 8;

// Rows column by column, so that a loop over rows is vector code. Sums are those of `apart`.
struct ColumnMajor {
    MixedRows rows;
    Measure measure;
    std::vector<double> values;
    std::vector<std::uint8_t> has_odd;  // by column: missing values or infinities

    ColumnMajor(const MixedRows& rows, Measure measure)
        : rows(rows), measure(measure), values(rows.values.size()), has_odd(rows.n_columns(), 0) {
        for (std::size_t row = 0; row < rows.n_rows; ++row) {
            for (std::size_t c = 0; c < rows.n_columns(); ++c) {
                const double value = rows.row(row)[c];
                values[c * rows.n_rows + row] = value;
                has_odd[c] |= !std::isfinite(value);
            }
        }
    }

    // How far `row` is from the rows that begin at `begin`.
    void distances(std::size_t row, std::size_t begin, std::size_t n, double* out) const {
        std::array<double, rows_at_once> sums{}, known{};
        for (std::size_t c = 0; c < rows.n_columns(); ++c) {
            const double value = rows.row(row)[c];
            const double* others = values.data() + c * rows.n_rows + begin;
            if (has_odd[c]) {
                add_odd(c, value, others, n, sums.data(), known.data());
            } else if (rows.is_level[c]) {
                for (std::size_t i = 0; i < n; ++i) sums[i] += others[i] != value ? 1.0 : 0.0;
            } else if (measure.squares) {
                for (std::size_t i = 0; i < n; ++i) {
                    sums[i] += (others[i] - value) * (others[i] - value);
                }
            } else {
                for (std::size_t i = 0; i < n; ++i) sums[i] += std::abs(others[i] - value);
            }
            if (!has_odd[c])
                for (std::size_t i = 0; i < n; ++i) known[i] += 1;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (measure.missing == Missing::left_out) {
                sums[i] = known[i] > 0 ? sums[i] / known[i] : 1.0;
            }
            out[i] = distance_of(sums[i], measure);
        }
    }

    void add_odd(std::size_t column, double value, const double* others, std::size_t n,
                 double* sums, double* known) const {
        for (std::size_t i = 0; i < n; ++i) {
            const double one = difference(value, others[i], rows.is_level[column], measure.missing);
            sums[i] += measure.squares ? one * one : one;
            known[i] += !std::isnan(value) && !std::isnan(others[i]);
        }
    }
};

}  // namespace

void distance_sums(const MixedRows& rows, Measure measure, std::span<const std::int32_t> group,
                   std::size_t n_groups, int n_threads, std::span<double> sums,
                   const std::function<void()>& check) {
    const ColumnMajor columns(rows, measure);
    std::ranges::fill(sums, 0.0);
    const auto add_rows = [&](std::size_t task, int) {
        std::array<double, rows_at_once> distances;
        const std::size_t end = std::min(rows.n_rows, (task + 1) * rows_of_task);
        for (std::size_t row = task * rows_of_task; row < end; ++row) {
            check();
            double* of_row = sums.data() + row * n_groups;
            for (std::size_t begin = 0; begin < rows.n_rows; begin += rows_at_once) {
                const std::size_t n = std::min(rows_at_once, rows.n_rows - begin);
                columns.distances(row, begin, n, distances.data());
                if (row >= begin && row - begin < n) distances[row - begin] = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    of_row[static_cast<std::size_t>(group[begin + i])] += distances[i];
                }
            }
        }
    };
    run_tasks((rows.n_rows + rows_of_task - 1) / rows_of_task, n_threads, add_rows, check);
}

}  // namespace treewright::neighbors
