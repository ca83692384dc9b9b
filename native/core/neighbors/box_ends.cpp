#include "core/neighbors/box_ends.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace treewright::neighbors {
namespace {

using Floats [[gnu::vector_size(16)]] = float;
constexpr std::size_t n_lanes = sizeof(Floats) / sizeof(float);
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float rounding = 0x1p-22F;

Floats load(const float* from) {
    Floats out;
    std::memcpy(&out, from, sizeof(out));
    return out;
}

float at_most(double value) {
    const auto rounded = static_cast<float>(value);
    if (rounded == infinity) return std::numeric_limits<float>::max();
    return rounded - std::abs(rounded) * rounding;
}

float at_least(double value) { return -at_most(-value); }

}  // namespace

BoxEnds::BoxEnds(std::size_t n_columns, std::size_t n_boxes)
    : n_columns_(n_columns),
      width_((n_columns + n_lanes - 1) / n_lanes * n_lanes),
      low_(n_boxes * width_, infinity),
      high_(n_boxes * width_, -infinity) {}

BoxEnds::Interval BoxEnds::of_query(const double* row, const ColumnSurvey& survey) const {
    Interval query{std::vector<float>(width_, 0.0F), std::vector<float>(width_, 0.0F)};
    for (std::size_t c = 0; c < n_columns_; ++c) {
        const double value = (row[c] - survey.center[c]) * survey.unit;
        query.low[c] = at_most(value);
        query.high[c] = at_least(value);
    }
    return query;
}

void BoxEnds::put(std::size_t box, const MixedRows& rows, std::span<const std::uint32_t> of,
                  const ColumnSurvey& survey) {
    float* low = low_.data() + box * width_;
    float* high = high_.data() + box * width_;
    std::vector<double> least(n_columns_, HUGE_VAL), most(n_columns_, -HUGE_VAL);
    std::vector<std::uint8_t> is_open(rows.is_level.begin(), rows.is_level.end());
    for (const std::uint32_t row : of) {
        for (std::size_t c = 0; c < n_columns_; ++c) {
            const double value = rows.row(row)[c];
            is_open[c] |= std::isnan(value);
            least[c] = value < least[c] ? value : least[c];
            most[c] = value > most[c] ? value : most[c];
        }
    }
    for (std::size_t c = 0; c < width_; ++c) {
        const bool ends = c < n_columns_ && !is_open[c];
        low[c] = ends ? at_most((least[c] - survey.center[c]) * survey.unit) : -infinity;
        high[c] = ends ? at_least((most[c] - survey.center[c]) * survey.unit) : infinity;
    }
}

void BoxEnds::add(std::size_t box, const BoxEnds& others, std::size_t other) {
    for (std::size_t c = 0; c < width_; ++c) {
        float& low = low_[box * width_ + c];
        float& high = high_[box * width_ + c];
        low = std::min(low, others.low_[other * width_ + c]);
        high = std::max(high, others.high_[other * width_ + c]);
    }
}

float BoxEnds::away(const Interval& query, std::size_t box, const Measure& measure) const {
    const float* low = low_.data() + box * width_;
    const float* high = high_.data() + box * width_;
    Floats sums = {};
    for (std::size_t c = 0; c < width_; c += n_lanes) {
        const Floats below = load(low + c) - load(query.high.data() + c);
        const Floats above = load(query.low.data() + c) - load(high + c);
        const Floats outside = (below > 0 ? below : Floats{}) + (above > 0 ? above : Floats{});
        sums += measure.squares ? outside * outside : outside;
    }
    const float sum = sums[0] + sums[1] + sums[2] + sums[3];
    const auto n = static_cast<float>(n_columns_);
    const float least = measure.missing == Missing::left_out ? sum / n : sum;
    return least * std::max(0.0F, 1 - (n + 8) * rounding);
}

}  // namespace treewright::neighbors
