#include "core/histogram/packed/bin_guide.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/short_cuts.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t at_once = 16;

// The largest T that is not above the number: to numbers of type T both cuts are the same.
template <class T>
T rounded_down(double cut) {
    const T rounded = static_cast<T>(cut);
    return static_cast<double>(rounded) > cut
               ? std::nextafter(rounded, -std::numeric_limits<T>::infinity())
               : rounded;
}

}  // namespace

template <class T, class Bin>
BinGuide<T, Bin>::BinGuide(std::span<const double> cuts) {
    std::ranges::fill(cuts_, std::numeric_limits<T>::infinity());
    T high = 0;
    bool any = false;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        cuts_[i] = rounded_down<T>(cuts[i]);
        if (!std::isfinite(cuts_[i])) continue;
        if (!any) low_ = cuts_[i];
        high = cuts_[i];
        any = true;
    }
    const T scale = static_cast<T>(n_steps - 1) / (high - low_);
    scale_ = high > low_ && std::isfinite(scale) ? scale : 0;
    int most = 0, n_below = 0;
    for (int step = 0; step < n_steps; ++step) {
        first_[step] = static_cast<Bin>(n_below);
        const int n_before = n_below;
        while (n_below < static_cast<int>(cuts.size()) && step_of(cuts_[n_below]) <= step)
            ++n_below;
        most = std::max(most, n_below - n_before);
    }
    first_[n_steps] = missing;  // no cut comes after it
    n_compared_ = static_cast<int>(std::bit_width(static_cast<unsigned>(most)));
}

template <class T, class Bin>
int BinGuide<T, Bin>::step_of(T value) const {
    const T place = (value - low_) * scale_;
    const T raised = place > 0 ? place : 0;  // also of what is NaN only by the scale
    const int step = static_cast<int>(raised < n_steps - 1 ? raised : n_steps - 1);
    return value == value ? step : n_steps;
}

template <class T, class Bin>
template <int n_compared>
void BinGuide<T, Bin>::find(std::span<const T> values, Bin* bins) const {
    std::size_t i = 0;
    for (; i + at_once <= values.size(); i += at_once) {
        const T* const value = values.data() + i;
        int step[at_once];
        for (std::size_t k = 0; k < at_once; ++k) step[k] = step_of(value[k]);
        if constexpr (n_compared <= 4) {
            for (std::size_t k = 0; k < at_once; ++k) {
                unsigned at = first_[step[k]];
                for (unsigned width = 1U << n_compared >> 1; width > 0; width /= 2) {
                    at += (cuts_[at + width - 1] < value[k]) * width;
                }
                bins[i + k] = static_cast<Bin>(at);
            }
        } else {  // each search waits for its own steps only
            unsigned at[at_once];
            for (std::size_t k = 0; k < at_once; ++k) at[k] = first_[step[k]];
            for (unsigned width = 1U << n_compared >> 1; width > 0; width /= 2) {
                for (std::size_t k = 0; k < at_once; ++k) {
                    at[k] += (cuts_[at[k] + width - 1] < value[k]) * width;
                }
            }
            for (std::size_t k = 0; k < at_once; ++k) bins[i + k] = static_cast<Bin>(at[k]);
        }
    }
    for (; i < values.size(); ++i) {
        unsigned at = first_[step_of(values[i])];
        for (unsigned width = 1U << n_compared >> 1; width > 0; width /= 2) {
            at += (cuts_[at + width - 1] < values[i]) * width;
        }
        bins[i] = static_cast<Bin>(at);
    }
}

// By the definition.
template <class T, class Bin>
void BinGuide<T, Bin>::find_among_all(std::span<const T> values, Bin* bins) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at = std::ranges::lower_bound(cuts_, values[i]) - std::ranges::begin(cuts_);
        bins[i] = std::isnan(values[i]) ? missing : static_cast<Bin>(at);
    }
}

template <class T, class Bin>
void BinGuide<T, Bin>::operator()(std::span<const T> values, Bin* bins) const {
    if (!takes(ShortCut::bin_guide)) return find_among_all(values, bins);
    switch (n_compared_) {
        case 0: return find<0>(values, bins);
        case 1: return find<1>(values, bins);
        case 2: return find<2>(values, bins);
        case 3: return find<3>(values, bins);
        case 4: return find<4>(values, bins);
        case 5:
        case 6: return find<6>(values, bins);
        case 7:
        case 8: return find<8>(values, bins);
        default: return find<12>(values, bins);
    }
}

template class BinGuide<float>;
template class BinGuide<double>;
template class BinGuide<float, std::uint16_t>;
template class BinGuide<double, std::uint16_t>;

}  // namespace treewright::histogram
