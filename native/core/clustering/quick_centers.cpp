#include "core/clustering/quick_centers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace treewright::clustering {
namespace {

// Four rows side by side. Vectors of this size are on every machine; where they are not, the
// compiler takes them apart.
constexpr std::size_t width = 4;
using Floats [[gnu::vector_size(16)]] = float;
using Ints [[gnu::vector_size(16)]] = std::int32_t;
using Doubles [[gnu::vector_size(32)]] = double;
constexpr std::size_t n_vectors = QuickCenters::at_once / width;

// Squares below this leave room for all sums in single precision.
constexpr double most_square = 1e36;

Floats load_floats(const float* place) {
    Floats found;
    std::memcpy(&found, place, sizeof found);
    return found;
}

void store(const Floats& values, float* place) { std::memcpy(place, &values, sizeof values); }

Floats all(float value) { return Floats{value, value, value, value}; }

// Four numbers of a row less those of the middle.
Floats relative(const double* row, const double* middle) {
    Doubles numbers, less;
    std::memcpy(&numbers, row, sizeof numbers);
    std::memcpy(&less, middle, sizeof less);
    return __builtin_convertvector(numbers - less, Floats);
}

}  // namespace

QuickCenters::QuickCenters(std::span<const double> centers, std::size_t n_columns)
    : n_columns_(n_columns), middle_(n_columns, 0.0) {
    const std::size_t n = centers.size() / n_columns;
    n_tiles_ = (n + most_in_tile - 1) / most_in_tile;
    in_tile_ = (n + n_tiles_ - 1) / n_tiles_;
    turned_.assign(n_tiles_ * in_tile_ * n_columns, 0.0F);
    half_squares_.assign(n_tiles_ * in_tile_, std::numeric_limits<float>::infinity());
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t c = 0; c < n_columns; ++c) {
            middle_[c] += centers[k * n_columns + c] / static_cast<double>(n);
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t tile = k / in_tile_, place = k % in_tile_;
        double square = 0;
        for (std::size_t c = 0; c < n_columns; ++c) {
            const double relative = centers[k * n_columns + c] - middle_[c];
            turned_[(tile * n_columns + c) * in_tile_ + place] = static_cast<float>(-relative);
            square += relative * relative;
        }
        half_squares_[k] = static_cast<float>(square / 2);
        largest_ = std::max(largest_, square);
    }
}

// The best two centers so far of each row.
struct QuickCenters::Best {
    Floats first[n_vectors], second[n_vectors];
    Ints center[n_vectors];

    Best() {
        std::fill_n(first, n_vectors, all(std::numeric_limits<float>::infinity()));
        std::fill_n(second, n_vectors, all(std::numeric_limits<float>::infinity()));
        std::fill_n(center, n_vectors, Ints{-1, -1, -1, -1});
    }
    void take(std::size_t at, std::int32_t number, const Floats& sum) {
        const auto is_less = sum < first[at];
        const Floats larger = is_less ? first[at] : sum;
        second[at] = larger < second[at] ? larger : second[at];
        first[at] = is_less ? sum : first[at];
        center[at] = is_less ? Ints{number, number, number, number} : center[at];
    }
};

// The rows as columns: at_once numbers of a column side by side, relative to the middle.
void QuickCenters::turn(const double* const (&rows)[at_once], float* values) const {
    std::size_t c = 0;
    for (; c + width <= n_columns_; c += width) {
        for (std::size_t r = 0; r < at_once; r += width) {
            const Floats a = relative(rows[r] + c, middle_.data() + c);
            const Floats b = relative(rows[r + 1] + c, middle_.data() + c);
            const Floats d = relative(rows[r + 2] + c, middle_.data() + c);
            const Floats e = relative(rows[r + 3] + c, middle_.data() + c);
            const Floats ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
            const Floats ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
            const Floats de_low = __builtin_shufflevector(d, e, 0, 4, 1, 5);
            const Floats de_high = __builtin_shufflevector(d, e, 2, 6, 3, 7);
            float* out = values + c * at_once + r;
            store(__builtin_shufflevector(ab_low, de_low, 0, 1, 4, 5), out);
            store(__builtin_shufflevector(ab_low, de_low, 2, 3, 6, 7), out + at_once);
            store(__builtin_shufflevector(ab_high, de_high, 0, 1, 4, 5), out + 2 * at_once);
            store(__builtin_shufflevector(ab_high, de_high, 2, 3, 6, 7), out + 3 * at_once);
        }
    }
    for (; c < n_columns_; ++c) {
        for (std::size_t r = 0; r < at_once; ++r) {
            values[c * at_once + r] = static_cast<float>(rows[r][c] - middle_[c]);
        }
    }
}

// The n centers of a tile for all rows: enough sums that none waits for another.
template <std::size_t n>
void QuickCenters::compare(const float* values, std::size_t tile, Best& best) const {
    Floats sums[n][n_vectors];
    for (std::size_t k = 0; k < n; ++k) {
        std::fill_n(sums[k], n_vectors, all(half_squares_[tile * n + k]));
    }
    const float* turned = turned_.data() + tile * n_columns_ * n;
    for (std::size_t c = 0; c < n_columns_; ++c, turned += n, values += at_once) {
        for (std::size_t v = 0; v < n_vectors; ++v) {
            const Floats numbers = load_floats(values + v * width);
            for (std::size_t k = 0; k < n; ++k) sums[k][v] += numbers * turned[k];
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t v = 0; v < n_vectors; ++v) {
            best.take(v, static_cast<std::int32_t>(tile * n + k), sums[k][v]);
        }
    }
}

void QuickCenters::compare_all(const float* values, Best& best) const {
    for (std::size_t tile = 0; tile < n_tiles_; ++tile) {
        switch (in_tile_) {
            case 1: compare<1>(values, tile, best); break;
            case 2: compare<2>(values, tile, best); break;
            case 3: compare<3>(values, tile, best); break;
            case 4: compare<4>(values, tile, best); break;
            case 5: compare<5>(values, tile, best); break;
            default: compare<6>(values, tile, best); break;
        }
    }
}

void QuickCenters::find(const double* const (&rows)[at_once], float* room,
                        NearestCenter (&out)[at_once]) const {
    float* const square = room;
    float* const first = square + at_once;
    float* const second = first + at_once;
    float* const values = second + at_once;
    turn(rows, values);
    Best best;
    compare_all(values, best);
    for (std::size_t v = 0; v < n_vectors; ++v) {
        Floats sum = all(0.0F);
        for (std::size_t c = 0; c < n_columns_; ++c) {
            const Floats numbers = load_floats(values + c * at_once + v * width);
            sum += numbers * numbers;
        }
        store(sum, square + v * width);
        store(best.first[v], first + v * width);
        store(best.second[v], second + v * width);
    }
    // Each of n + 1 terms is rounded a few times, each time by 2^-24 of at most (|x| + |c|)^2,
    // which is at most twice the sum of their squares, or by the least number that there is.
    const double n_roundings = static_cast<double>(n_columns_) + 8;
    for (std::size_t r = 0; r < at_once; ++r) {
        const double of_row = square[r];
        const double error = n_roundings * (0x1p-22 * (of_row * 1.001 + largest_) + 0x1p-148);
        const double gap = static_cast<double>(second[r]) - static_cast<double>(first[r]);
        const double nearest = of_row + 2 * static_cast<double>(first[r]);
        const bool is_sure = gap > 4 * error && of_row < most_square && largest_ < most_square;
        out[r].center = is_sure ? best.center[r / width][r % width] : -1;
        out[r].upper = std::sqrt(std::max(nearest, 0.0) + 4 * error);
        out[r].lower = std::sqrt(std::max(nearest + 2 * gap - 4 * error, 0.0));
    }
}

}  // namespace treewright::clustering
