// The bins of numbers, found in a few steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright::histogram {

// A table of equal steps between the lowest and the highest cut says how many cuts lie below each
// step; only those within the step of a number have to be compared with it. Rounding does no harm:
// which step a number falls into never decreases with the number. Long tails put more cuts into one
// step, and so take more comparisons, at most those of a search among all cuts.
template <class T>  // float or double: what the numbers are
class BinGuide {
public:
    // At most 254 ascending cuts: bin b holds numbers <= cuts[b], the last one the rest.
    explicit BinGuide(std::span<const double> cuts);

    // The bin of each number; NaN is missing.
    void operator()(std::span<const T> values, std::uint8_t* bins) const;

private:
    static constexpr int n_steps = 2048;

    int step_of(T value) const;
    void find_among_all(std::span<const T> values, std::uint8_t* bins) const;
    template <int n_compared>
    void find(std::span<const T> values, std::uint8_t* bins) const;

    T low_ = 0, scale_ = 0;
    int n_compared_ = 0;  // comparisons that find a number's place among the cuts of a step
    T cuts_[512];         // filled up with infinities
    std::uint8_t first_[n_steps];
};

}  // namespace treewright::histogram
