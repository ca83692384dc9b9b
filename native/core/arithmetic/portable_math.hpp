// Logarithms from plain arithmetic; exponential.hpp has the way back.
//
// The C library's versions differ between systems in the last digit, and a last digit can decide a
// tie. These give the same bits on every IEEE-754 machine (compile with -ffp-contract=off).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/arithmetic/exponential.hpp"

namespace treewright {

// A number > 0 as m 2^exponent, m between the roots of 1/2 and 2.
struct Parts {
    explicit Parts(double x) {
        if (x < 0x1p-1022) {  // subnormal: bring the leading bit to its place
            x *= 0x1p54;
            exponent = -54;
        }
        const auto bits = std::bit_cast<std::uint64_t>(x);
        exponent += static_cast<int>(bits >> 52) - 1023;
        m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
        if (m > 1.4142135623730951) {
            m *= 0.5;
            exponent += 1;
        }
    }
    double m;
    int exponent = 0;
};

// 1 + z/3 + z^2/5 + ... = atanh(s) / s of z = s^2; |s| <= 0.1716, so the first term left out is
// below 2e-17 of the sum.
inline double atanh_series(double z) {
    const double z2 = z * z;
    const double z4 = z2 * z2;
    const double low = (1.0 + z * (1.0 / 3)) + z2 * (1.0 / 5 + z * (1.0 / 7));
    const double middle = (1.0 / 9 + z * (1.0 / 11)) + z2 * (1.0 / 13 + z * (1.0 / 15));
    const double high = (1.0 / 17 + z * (1.0 / 19)) + z2 * (1.0 / 21);
    return low + z4 * (middle + z4 * high);
}

// log2(x) for finite x > 0, to about 5 units in the last place; exact for powers of two.
inline double log2_of(double x) {
    const Parts parts(x);
    const double s = (parts.m - 1.0) / (parts.m + 1.0);
    return parts.exponent + s * atanh_series(s * s) * 2.8853900817779268;
}

// log(1 + f) - f for 1 + f from 0.7 to 1.5.
//
// With s = f / (2 + f), log(1 + f) = 2 atanh(s) = 2 s + s (2/3 s^2 + ...), and 2 s = f - s f: so
// all but f, which is exact, is small, and its rounding counts little.
inline double log_less_argument(double f) {
    const double s = f / (2.0 + f);
    const double z = s * s;
    const double z2 = z * z;
    const double z4 = z2 * z2;
    const double low = (2.0 / 3 + z * (2.0 / 5)) + z2 * (2.0 / 7 + z * (2.0 / 9));
    const double middle = (2.0 / 11 + z * (2.0 / 13)) + z2 * (2.0 / 15 + z * (2.0 / 17));
    const double high = (2.0 / 19 + z * (2.0 / 21)) + z2 * (2.0 / 23);
    const double tail = z * (low + z4 * (middle + z4 * high));
    // s f = f^2 / 2 - s f^2 / 2
    const double half_square = 0.5 * f * f;
    return s * (half_square + tail) - half_square;
}

// exponent ln 2 + log(1 + f); the first part of ln 2 has so few digits that its product is exact.
inline double log_of_parts(int exponent, double f, double correction) {
    return exponent * 0x1.62e42fee00000p-1 +
           (f + (log_less_argument(f) + (exponent * 0x1.a39ef35793c76p-33 + correction)));
}

// The natural logarithm to about one unit in the last place: -infinity of 0, NaN below.
inline double log_of(double x) {
    if (!(x > 0.0)) {
        return x == 0.0 ? -HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
    }
    if (x == HUGE_VAL) return x;
    const Parts parts(x);
    return log_of_parts(parts.exponent, parts.m - 1.0, 0.0);
}

// log(1 + x) to about one unit in the last place, however small x is.
inline double log1p_of(double x) {
    if (x > -0.25 && x <= 1.0) {  // without a jump: it would often be guessed wrongly
        const bool is_large = x > 0.5;  // from there x - 1 is exact
        return log_of_parts(is_large ? 1 : 0, is_large ? (x - 1.0) * 0.5 : x, 0.0);
    }
    const double sum = 1.0 + x;
    if (!(sum > 0.0) || sum == HUGE_VAL) return log_of(sum);
    // What rounding took from the sum; from 2^53 on, where it may be all of the 1, it is nothing.
    const double lost = x >= 1.0 ? 1.0 - (sum - x) : x - (sum - 1.0);
    const Parts parts(sum);
    return log_of_parts(parts.exponent, parts.m - 1.0, lost / sum);
}

inline double x_log2_x(double x) { return x > 0.0 ? x * log2_of(x) : 0.0; }

// (1 + d) ln(1 + d) - d for d >= -1: never negative, and about d^2 / 2 where 1 + d would lose d.
inline double excess_of(double d) {
    if (d > -0.0625 && d < 0.0625) {
        double sum = 0.0;  // of (-d)^(k - 2) / (k (k - 1)); 15 terms leave less than 2e-19
        for (int k = 16; k >= 2; --k) sum = 1.0 / (k * (k - 1)) - d * sum;
        return d * d * sum;
    }
    return x_log2_x(1.0 + d) * 0.69314718055994531 - d;
}

}  // namespace treewright
