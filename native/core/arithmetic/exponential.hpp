// The exponential function from plain arithmetic: its digits are the same on every machine, and the
// compiler turns loops over it into vector code.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace treewright {

// exp(r) for |r| <= 0.35, to 0.7 units in the last place.
//
// The 1 is added last, to what is at most 0.42: rounding before that counts little. The series is
// summed in two halves that need not wait for each other; terms left out are below 1e-18.
inline double exp_near_zero(double r) {
    const double r2 = r * r;
    const double even =
        1.0 / 2 +
        r2 * (1.0 / 24 +
              r2 * (1.0 / 720 +
                    r2 * (1.0 / 40320 + r2 * (1.0 / 3628800 + r2 * (1.0 / 479001600)))));
    const double odd =
        1.0 / 6 +
        r2 * (1.0 / 120 +
              r2 * (1.0 / 5040 +
                    r2 * (1.0 / 362880 + r2 * (1.0 / 39916800 + r2 * (1.0 / 6227020800)))));
    return 1.0 + (r + r2 * (even + r * odd));
}

// A number to at most |x| < 2^31 as the nearest whole number, which stands in its low bits too.
struct Rounded {
    explicit Rounded(double x) : shifted(x + 0x1.8p52) {}
    double number() const { return shifted - 0x1.8p52; }
    std::int64_t integer() const {
        return std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(0x1.8p52);
    }
    double shifted;
};

// 2^n for n from -1022 to 1023.
inline double power_of_two(std::int64_t n) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

// What is left of x = n ln 2 + r. The first factor has so few digits that its product is exact.
inline double without_powers(double x, double n) {
    return (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
}

// exp(x) to one unit in the last place, for x from -708 to 709; beyond that, as at the border.
inline double fast_exp(double x) {
    x = std::min(std::max(x, -708.0), 709.0);
    const Rounded n(x * 1.44269504088896340736);
    return exp_near_zero(without_powers(x, n.number())) * power_of_two(n.integer());
}

// times 2^n in two steps, the last of which rounds: down to the smallest numbers, up to infinity.
inline double scaled_by_power(double x, std::int64_t n) {
    return x * power_of_two(n >> 1) * power_of_two(n - (n >> 1));
}

// exp(x) to one unit in the last place for every x; NaN for NaN.
inline double exp_of(double x) {
    x = std::min(std::max(x, -746.0), 710.0);
    const Rounded n(x * 1.44269504088896340736);
    return scaled_by_power(exp_near_zero(without_powers(x, n.number())), n.integer());
}

// 2^x to about one unit in the last place, exact for whole x; 0 and infinity beyond the range of
// double.
inline double exp2_of(double x) {
    x = std::min(std::max(x, -1076.0), 1024.0);
    const Rounded n(x);
    return scaled_by_power(exp_near_zero((x - n.number()) * 0.69314718055994531), n.integer());
}

}  // namespace treewright
