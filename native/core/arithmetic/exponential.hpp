// The exponential function for whole arrays: the compiler turns loops over it into vector code, and
// its digits are the same on every machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace treewright {

// exp(x) to about 1e-15 of its value, for x from -708 to 709; beyond that, as at the border.
inline double fast_exp(double x) {
    x = std::min(std::max(x, -708.0), 709.0);
    // x = n ln 2 + r: adding 1.5 x 2^52 rounds to a whole number, which then stands in the low
    // bits.
    constexpr double magic = 0x1.8p52;
    const double shifted = x * 1.44269504088896340736 + magic;
    const double n = shifted - magic;
    const double r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    // Its power series, summed in two halves that need not wait for each other.
    const double r2 = r * r;
    const double even =
        1.0 + r2 * (1.0 / 2 +
                    r2 * (1.0 / 24 +
                          r2 * (1.0 / 720 + r2 * (1.0 / 40320 +
                                                  r2 * (1.0 / 3628800 + r2 * (1.0 / 479001600))))));
    const double odd =
        1.0 +
        r2 * (1.0 / 6 +
              r2 * (1.0 / 120 + r2 * (1.0 / 5040 + r2 * (1.0 / 362880 + r2 * (1.0 / 39916800)))));
    const double sum = even + r * odd;
    const auto power = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    return sum * std::bit_cast<double>(power);
}

}  // namespace treewright
