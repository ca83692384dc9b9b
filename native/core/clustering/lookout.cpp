#include "core/clustering/lookout.hpp"

#include <algorithm>

namespace treewright::clustering {
namespace {

float multiply_add(float a, float b, float c) {
#ifdef __FP_FAST_FMAF
    return std::fma(a, b, c);
#else
    return a * b + c;
#endif
}

}  // namespace

Lookout::Lookout(std::span<const double> centres, std::size_t n_columns)
    : n_(centres.size() / n_columns),
      n_columns_(n_columns),
      n_padded_((n_ + width - 1) / width * width),
      middle_(n_columns, 0.0),
      turned_(n_padded_ * n_columns, 0.0F),
      half_squares_(n_padded_, std::numeric_limits<float>::infinity()) {
    for (std::size_t k = 0; k < n_; ++k) {
        for (std::size_t c = 0; c < n_columns; ++c) {
            middle_[c] += centres[k * n_columns + c] / static_cast<double>(n_);
        }
    }
    for (std::size_t k = 0; k < n_; ++k) {
        double square = 0;
        for (std::size_t c = 0; c < n_columns; ++c) {
            const double relative = centres[k * n_columns + c] - middle_[c];
            turned_[c * n_padded_ + k] = static_cast<float>(-relative);
            square += relative * relative;
        }
        half_squares_[k] = static_cast<float>(square / 2);
        largest_ = std::max(largest_, std::sqrt(square));
    }
}

// The best two centres so far of each row.
struct Lookout::Best {
    float first[at_once], second[at_once];
    std::int32_t centre[at_once];

    Best() {
        std::fill_n(first, at_once, std::numeric_limits<float>::infinity());
        std::fill_n(second, at_once, std::numeric_limits<float>::infinity());
        std::fill_n(centre, at_once, -1);
    }
    void take(std::size_t row, std::size_t number, float sum) {
        const bool is_less = sum < first[row];
        second[row] = is_less ? first[row] : std::min(second[row], sum);
        centre[row] = is_less ? static_cast<std::int32_t>(number) : centre[row];
        first[row] = is_less ? sum : first[row];
    }
};

// `groups` groups of centres for all rows: enough sums that none waits for another.
template <std::size_t groups>
void Lookout::compare(const float* values, std::size_t begin, Best& best) const {
    float sums[at_once][groups * width];
    for (auto& sum : sums) std::copy_n(half_squares_.data() + begin, groups * width, sum);
    const float* turned = turned_.data() + begin;
    for (std::size_t c = 0; c < n_columns_; ++c, turned += n_padded_, values += at_once) {
        for (std::size_t r = 0; r < at_once; ++r) {
            for (std::size_t k = 0; k < groups * width; ++k) {
                sums[r][k] = multiply_add(values[r], turned[k], sums[r][k]);
            }
        }
    }
    for (std::size_t r = 0; r < at_once; ++r) {
        for (std::size_t k = 0; k < groups * width; ++k) best.take(r, begin + k, sums[r][k]);
    }
}

void Lookout::look(const double* const (&rows)[at_once], float* values,
                   Sighting (&out)[at_once]) const {
    float square[at_once] = {};
    for (std::size_t c = 0; c < n_columns_; ++c) {
        for (std::size_t r = 0; r < at_once; ++r) {
            const auto value = static_cast<float>(rows[r][c] - middle_[c]);
            values[c * at_once + r] = value;
            square[r] = multiply_add(value, value, square[r]);
        }
    }
    Best best;
    std::size_t begin = 0;
    for (; begin + 3 * width <= n_padded_; begin += 3 * width) compare<3>(values, begin, best);
    if (begin + 2 * width == n_padded_) compare<2>(values, begin, best);
    if (begin + width == n_padded_) compare<1>(values, begin, best);
    const auto& [first, second, centre] = best;
    // Each of n + 1 terms is rounded a few times, each time by 2^-24 of at most this.
    const double roundings = (static_cast<double>(n_columns_) + 8) * 0x1p-23;
    for (std::size_t r = 0; r < at_once; ++r) {
        const double size = std::sqrt(static_cast<double>(square[r])) * 1.001 + largest_;
        const double error = roundings * size * size;
        const double gap = static_cast<double>(second[r]) - static_cast<double>(first[r]);
        const double nearest = static_cast<double>(square[r]) + 2 * static_cast<double>(first[r]);
        out[r].centre = gap > 4 * error && std::isfinite(nearest) ? centre[r] : -1;
        out[r].upper = std::sqrt(std::max(nearest, 0.0) + 4 * error);
        out[r].lower = std::sqrt(std::max(nearest + 2 * gap - 4 * error, 0.0));
    }
}

}  // namespace treewright::clustering
