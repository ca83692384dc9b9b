// Ranges of a column's values, by what a sample looks like: a few thousand of about equal weight.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/histogram/bins.hpp"
#include "core/histogram/packed/bin_guide.hpp"

namespace treewright::histogram {

// Ranges of equal width: the quickest to find, if values are spread without long tails.
template <class T>
struct EqualSteps {
    T low, scale;
    void operator()(std::span<const T> values, std::uint16_t* ranges) const;
    // About the highest value of a range, up to rounding.
    double about_end(std::size_t range) const {
        return static_cast<double>(low) + static_cast<double>(range + 1) / scale;
    }
};

// The same for values with long tails, in whose bits the steps are: about equal ratios.
template <class T>
struct BitSteps {
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    Bits low;
    int shift;
    void operator()(std::span<const T> values, std::uint16_t* ranges) const;
    double about_end(std::size_t range) const;
};

// Finds the range of a value; larger values are in the same or in later ranges.
class RangeGuide {
public:
    static constexpr std::size_t most_ranges = 8192;
    static constexpr std::uint16_t missing = most_ranges - 1;  // NaN is there

    // For columns that look like the sample. Values that are frequent in it have a range each.
    RangeGuide(std::vector<double> sample, ValueType type);

    // The ranges of a few rows: at most GatheredRows::most_rows, which stand one after the other.
    // Calls use(values, ranges).
    template <class Use>
    void find(const ColumnView& rows, std::size_t n_rows, const Use& use) const;

    // The value of a range that can have no other one; NaN for other ranges.
    double only_value(std::size_t range) const;

    // A guide with many narrow ranges in the place of the wanted ones, and wide ones elsewhere.
    RangeGuide finer(std::span<const std::uint8_t> is_wanted) const;

private:
    RangeGuide() = default;
    void set_borders(std::vector<double> borders, ValueType type);
    double about_end(std::size_t range) const;

    std::vector<double> borders_;  // range r holds values <= borders_[r]; empty for equal steps
    std::variant<EqualSteps<float>, EqualSteps<double>, BitSteps<float>, BitSteps<double>,
                 BinGuide<float, std::uint16_t>, BinGuide<double, std::uint16_t>>
        guide_;
};

template <class Use>
void RangeGuide::find(const ColumnView& rows, std::size_t n_rows, const Use& use) const {
    std::array<std::uint16_t, GatheredRows::most_rows> ranges;
    const auto by = [&]<class T>(const auto& guide, T) {
        std::array<T, GatheredRows::most_rows> room;
        const std::span<const T> values = numbers_of<T>(rows, 0, n_rows, room);
        guide(values, ranges.data());
        use(values, ranges.data());
    };
    switch (guide_.index()) {
        case 0: return by(std::get<0>(guide_), float{});
        case 1: return by(std::get<1>(guide_), double{});
        case 2: return by(std::get<2>(guide_), float{});
        case 3: return by(std::get<3>(guide_), double{});
        case 4: return by(std::get<4>(guide_), float{});
        default: return by(std::get<5>(guide_), double{});
    }
}

}  // namespace treewright::histogram
