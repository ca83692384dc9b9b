// Logarithm and exponential from plain arithmetic.
//
// The C library's versions differ between systems in the last digit, and a last digit can decide a
// tie. These give the same bits on every IEEE-754 machine (compile with -ffp-contract=off).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace treewright {

// log2(x) for finite x > 0, to about 2 units in the last place; exact for powers of two.
inline double log2_of(double x) {
    int exponent = 0;
    if (x < 0x1p-1022) {  // subnormal: bring the leading bit to its place
        x *= 0x1p54;
        exponent = -54;
    }
    const auto bits = std::bit_cast<std::uint64_t>(x);
    exponent += static_cast<int>(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent += 1;
    }
    // log(m) = 2 atanh(s); |s| <= 0.1716, so the first term left out is below 2e-17 of the sum.
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    const double z2 = z * z;
    const double z4 = z2 * z2;
    const double low = (1.0 + z * (1.0 / 3)) + z2 * (1.0 / 5 + z * (1.0 / 7));
    const double middle = (1.0 / 9 + z * (1.0 / 11)) + z2 * (1.0 / 13 + z * (1.0 / 15));
    const double high = (1.0 / 17 + z * (1.0 / 19)) + z2 * (1.0 / 21);
    return exponent + s * (low + z4 * (middle + z4 * high)) * 2.8853900817779268;
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

// 2^x, to about 2 units in the last place; 0 and infinity beyond the range of double.
inline double exp2_of(double x) {
    if (x < -1074.0) return 0.0;
    if (x >= 1024.0) return HUGE_VAL;
    const double whole = std::floor(x + 0.5);
    const double y = (x - whole) * 0.69314718055994531;  // |y| <= 0.3466
    double sum = 1.0;
    for (int k = 14; k >= 1; --k) sum = 1.0 + sum * y / k;
    return std::ldexp(sum, static_cast<int>(whole));
}

}  // namespace treewright
