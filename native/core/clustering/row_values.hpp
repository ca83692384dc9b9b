// What the kernels of clustering share: blocks of rows, and the numbers of one row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/parallel/thread_pool.hpp"
#include "core/predict/rows.hpp"

namespace treewright::clustering {

// `check` may throw to cancel.
using Check = std::function<void()>;

constexpr std::size_t most_blocks = 64;
constexpr std::size_t rows_worth_a_block = 2'048;
constexpr std::size_t most_sums = std::size_t{1} << 22;  // of all blocks together

// Into how many blocks rows are cut. Blocks are summed apart and then in their order, so threads
// change nothing; `n_sums` is what each of them stores.
inline std::size_t n_blocks_for(std::size_t n_rows, std::size_t n_sums = 1) {
    const std::size_t most =
        std::clamp<std::size_t>(most_sums / std::max<std::size_t>(n_sums, 1), 1, most_blocks);
    return std::clamp<std::size_t>(n_rows / rows_worth_a_block, 1, most);
}

// Calls work(block, first, end) for the rows of every block.
template <class Work>
void for_each_block(std::size_t n_rows, std::size_t n_blocks, int n_threads, const Check& check,
                    Work work) {
    run_tasks(
        n_blocks, n_threads,
        [&](std::size_t block, int) {
            work(block, n_rows * block / n_blocks, n_rows * (block + 1) / n_blocks);
        },
        check);
}

// A row as numbers side by side: where it lies, or copied to `copy`.
template <class R>
const double* row_at(const R& rows, std::size_t row, std::size_t n_columns, double* copy) {
    const auto place = rows.place(row);
    if constexpr (std::is_same_v<R, RowMajor<double>>) {
        if (reinterpret_cast<std::uintptr_t>(place) % alignof(double) == 0) {
            return reinterpret_cast<const double*>(place);
        }
    }
    for (std::size_t c = 0; c < n_columns; ++c) copy[c] = rows.number_at(place, c);
    return copy;
}

// A row's squared distance from a point, summed in the order of the columns.
inline double squared_distance(const double* row, const double* point, std::size_t n_columns) {
    double sum = 0;
    for (std::size_t c = 0; c < n_columns; ++c) {
        const double difference = row[c] - point[c];
        sum += difference * difference;
    }
    return sum;
}

// Points four by four: of each four, the numbers of one column lie side by side.
class TurnedPoints {
public:
    TurnedPoints(std::span<const double> points, std::size_t n_columns)
        : n_(points.size() / n_columns),
          n_columns_(n_columns),
          numbers_((n_ + width - 1) / width * width * n_columns) {
        for (std::size_t k = 0; k < n_; ++k) {
            double* tile = numbers_.data() + k / width * width * n_columns;
            for (std::size_t c = 0; c < n_columns; ++c) {
                tile[c * width + k % width] = points[k * n_columns + c];
            }
        }
    }

    // The same as `squared_distance` for each point, to the last bit.
    void squared_distances(const double* row, double* out) const {
        const double* number = numbers_.data();
        for (std::size_t first = 0; first < n_; first += width) {
            double sums[width] = {};
            for (std::size_t c = 0; c < n_columns_; ++c, number += width) {
                for (std::size_t k = 0; k < width; ++k) {
                    const double difference = row[c] - number[k];
                    sums[k] += difference * difference;
                }
            }
            std::copy_n(sums, std::min(width, n_ - first), out + first);
        }
    }

private:
    static constexpr std::size_t width = 4;
    std::size_t n_, n_columns_;
    std::vector<double> numbers_;
};

// What blocks found, added up in their order.
inline std::vector<double> added_up(std::span<const double> of_blocks, std::size_t size) {
    std::vector<double> sums(size);
    for (std::size_t first = 0; first < of_blocks.size(); first += size) {
        for (std::size_t i = 0; i < size; ++i) sums[i] += of_blocks[first + i];
    }
    return sums;
}

}  // namespace treewright::clustering
