#include "core/histogram/range_guide.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/arithmetic/as_index.hpp"

namespace treewright::histogram {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Columns of fewer have a range for each value, and need no second pass.
constexpr std::size_t many_values = 1'000;
constexpr std::size_t n_borders = 2'000;  // twice as many if all values are frequent
static_assert(2 * n_borders <= BinGuide<double, std::uint16_t>::most_cuts);

// Borders between ranges of about equal weight, with a range of its own for each frequent value.
std::vector<double> borders_of(std::span<const DistinctValue> sample) {
    std::size_t n_sampled = 0, n_below = 0;
    for (const DistinctValue& value : sample) n_sampled += static_cast<std::size_t>(value.weight);
    const std::size_t rows_of_range = n_sampled / n_borders + 1;
    const bool one_each = sample.size() < n_borders;
    std::vector<double> borders;
    for (const auto& [value, weight] : sample) {
        const bool is_frequent = one_each || weight >= rows_of_range;
        const double below = std::nextafter(value, -infinity);
        if (is_frequent && below > -infinity && (borders.empty() || borders.back() < below)) {
            borders.push_back(below);
        }
        n_below += static_cast<std::size_t>(weight);
        if (is_frequent || n_below >= rows_of_range) {
            borders.push_back(value);
            n_below = 0;
        }
    }
    return borders;
}

// The lowest and the highest value of a sample but for one in a thousand on each side.
template <class T>
std::array<T, 2> ends_of(std::span<const DistinctValue> sample) {
    const std::size_t n = sample.size();
    return {static_cast<T>(sample[n / 1000].value), static_cast<T>(sample[n - 1 - n / 1000].value)};
}

template <class T>
EqualSteps<T> equal_steps(std::span<const DistinctValue> sample) {
    const auto [low, high] = ends_of<T>(sample);
    return {low, static_cast<T>(RangeGuide::missing - 1) / (high - low)};
}

// Integers that are in the order of the numbers.
template <class T>
typename BitSteps<T>::Bits ordered_bits(T value) {
    using Bits = typename BitSteps<T>::Bits;
    const auto bits = std::bit_cast<Bits>(value + T{0});  // -0.0 and 0.0 are one value
    return bits < 0 ? bits ^ std::numeric_limits<Bits>::max() : bits;
}

// The number that has these integers as ordered bits.
template <class T>
T number_of_bits(typename BitSteps<T>::Bits ordered) {
    using Bits = typename BitSteps<T>::Bits;
    return std::bit_cast<T>(ordered < 0 ? ordered ^ std::numeric_limits<Bits>::max() : ordered);
}

template <class T>
BitSteps<T> bit_steps(std::span<const DistinctValue> sample) {
    using Unsigned = std::make_unsigned_t<typename BitSteps<T>::Bits>;
    const auto [low, high] = ends_of<T>(sample);
    const auto span = static_cast<Unsigned>(static_cast<Unsigned>(ordered_bits(high)) -
                                            static_cast<Unsigned>(ordered_bits(low)));
    int shift = 0;
    while ((span >> shift) >= RangeGuide::missing) ++shift;
    return {ordered_bits(low), shift};
}

// Whether few values of the sample are in the same step as a cut: the others need not be collected.
template <class T>
bool tell_cuts_apart(const auto& steps, std::span<const DistinctValue> sample) {
    constexpr std::size_t n_cuts = 256;
    const std::size_t n = sample.size();
    std::vector<T> values(n);
    std::size_t all = 0;
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<T>(sample[i].value);
        all += static_cast<std::size_t>(sample[i].weight);
    }
    std::vector<std::uint16_t> range(n);
    steps(values, range.data());
    std::size_t n_collected = 0, below = 0, cut = 1;
    for (std::size_t i = 0; i < n;) {
        std::size_t end = below;
        for (const auto step = range[i]; i < n && range[i] == step; ++i) {
            end += static_cast<std::size_t>(sample[i].weight);
        }
        if (cut * all < end * n_cuts) n_collected += end - below;
        while (cut * all < end * n_cuts) ++cut;
        below = end;
    }
    return n_collected < all / 4;
}

}  // namespace

template <class T>
void EqualSteps<T>::operator()(std::span<const T> values, std::uint16_t* ranges) const {
    constexpr T last = RangeGuide::missing - 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const T place = (values[i] - low) * scale;
        const T raised = place > 0 ? place : 0;
        const auto range = static_cast<std::int32_t>(raised < last ? raised : last);
        ranges[i] = static_cast<std::uint16_t>(values[i] == values[i] ? range
                                                                      : RangeGuide::missing);
    }
}

template <class T>
void BitSteps<T>::operator()(std::span<const T> values, std::uint16_t* ranges) const {
    using Unsigned = std::make_unsigned_t<Bits>;
    constexpr Unsigned last = RangeGuide::missing - 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Bits bits = ordered_bits(values[i]);
        const auto above = static_cast<Unsigned>(static_cast<Unsigned>(bits) -
                                                 static_cast<Unsigned>(low));
        const Unsigned step = bits > low ? above >> shift : 0;
        ranges[i] = static_cast<std::uint16_t>(values[i] == values[i] ? std::min(step, last)
                                                                      : RangeGuide::missing);
    }
}

template <class T>
double BitSteps<T>::about_end(std::size_t range) const {
    using Unsigned = std::make_unsigned_t<Bits>;
    const auto above = static_cast<Unsigned>(static_cast<Unsigned>(range + 1) << shift);
    return number_of_bits<T>(static_cast<Bits>(static_cast<Unsigned>(low) + above));
}

template struct EqualSteps<float>;
template struct EqualSteps<double>;
template struct BitSteps<float>;
template struct BitSteps<double>;

RangeGuide::RangeGuide(std::vector<double> sample, ValueType type) {
    const std::vector<DistinctValue> values = distinct_values_of(std::move(sample), {});
    const auto make = [&]<class T>(T) {
        if (values.size() >= many_values) {
            const EqualSteps<T> equal = equal_steps<T>(values);
            if (equal.scale > 0 && std::isfinite(equal.scale) && std::isfinite(equal.low) &&
                tell_cuts_apart<T>(equal, values)) {
                guide_ = equal;
                return;
            }
            const BitSteps<T> of_bits = bit_steps<T>(values);
            if (tell_cuts_apart<T>(of_bits, values)) {
                guide_ = of_bits;
                return;
            }
        }
        set_borders(borders_of(values), type);
    };
    if (type == ValueType::float32) {
        make(float{});
    } else {
        make(double{});
    }
}

void RangeGuide::set_borders(std::vector<double> borders, ValueType type) {
    borders_ = std::move(borders);
    if (type == ValueType::float32) {
        guide_.emplace<BinGuide<float, std::uint16_t>>(borders_);
    } else {
        guide_.emplace<BinGuide<double, std::uint16_t>>(borders_);
    }
}

double RangeGuide::only_value(std::size_t range) const {
    if (range < borders_.size()) {
        const double below = std::nextafter(borders_[range], -infinity);
        const double before = range > 0 ? borders_[range - 1] : -infinity;
        if (before == (range > 0 ? below : borders_[range])) return borders_[range];
    }
    return std::numeric_limits<double>::quiet_NaN();
}

// About the highest value of a range, up to rounding.
double RangeGuide::about_end(std::size_t range) const {
    if (range + 1 >= missing) return infinity;
    switch (guide_.index()) {
        case 0: return std::get<0>(guide_).about_end(range);
        case 1: return std::get<1>(guide_).about_end(range);
        case 2: return std::get<2>(guide_).about_end(range);
        case 3: return std::get<3>(guide_).about_end(range);
        default: return range < borders_.size() ? borders_[range] : infinity;
    }
}

RangeGuide RangeGuide::finer(std::span<const std::uint8_t> is_wanted) const {
    // Single values keep their ranges.
    const auto is_single = [&](std::size_t range) { return !std::isnan(only_value(range)); };
    std::size_t n_wanted = 0, n_single = 0;
    for (std::size_t range = 0; range < missing; ++range) {
        n_wanted += is_wanted[range] != 0;
        n_single += is_single(range);
    }
    constexpr std::size_t most = BinGuide<double, std::uint16_t>::most_cuts;
    const std::size_t n_parts = n_wanted > 0 && 2 * n_single < most
                                    ? (most - 2 * n_single) / n_wanted
                                    : 0;
    if (n_parts < 3) return *this;  // one border is that where ranges begin
    std::vector<double> borders;
    const auto add = [&](double border) {
        const bool is_next = std::isfinite(border) && (borders.empty() || borders.back() < border);
        if (is_next) borders.push_back(border);
    };
    double begin = -infinity;
    for (std::size_t range = 0; range < missing; ++range) {
        const double end = about_end(range);
        if (is_wanted[range]) {
            const double step = (end - begin) / static_cast<double>(n_parts - 1);
            add(begin);
            for (std::size_t i = 1; i + 1 < n_parts; ++i) add(begin + static_cast<double>(i) * step);
            add(end);
        } else if (is_single(range)) {
            add(begin);
            add(end);
        }
        begin = end;
    }
    RangeGuide guide;
    guide.set_borders(std::move(borders),
                      guide_.index() % 2 == 0 ? ValueType::float32 : ValueType::float64);
    return guide;
}

}  // namespace treewright::histogram
