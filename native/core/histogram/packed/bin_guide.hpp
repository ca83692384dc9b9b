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
template <class T, class Bin = std::uint8_t>  // T is what the numbers are: float or double
class BinGuide {
public:
    // Bytes for the bins of a table; two bytes for the finer ones that its cuts are found by.
    static constexpr int most_cuts = sizeof(Bin) == 1 ? 254 : 4094;
    static constexpr Bin missing = sizeof(Bin) == 1 ? 255 : 8191;

    // At most `most_cuts`, ascending: bin b holds numbers <= cuts[b], the last one the rest.
    explicit BinGuide(std::span<const double> cuts);

    // The bin of each number; NaN is missing.
    void operator()(std::span<const T> values, Bin* bins) const;

private:
    static constexpr int n_steps = sizeof(Bin) == 1 ? 2048 : 4096;

    int step_of(T value) const;
    void find_among_all(std::span<const T> values, Bin* bins) const;
    template <int n_compared>
    void find(std::span<const T> values, Bin* bins) const;

    T low_ = 0, scale_ = 0;
    int n_compared_ = 0;  // comparisons that find a number's place among the cuts of a step
    T cuts_[sizeof(Bin) == 1 ? 512 : 16384];  // filled up with infinities
    Bin first_[std::size_t{n_steps} + 1];  // by step; the last is that of NaN
};

}  // namespace treewright::histogram
