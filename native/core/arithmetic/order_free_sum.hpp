// Sums that do not depend on the order of their terms, so that threads, blocks of rows or machines
// may add up parts.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace treewright {

// Terms as whole numbers of a unit, and what is left of them in a unit far smaller.
struct WholeSum {
    std::int64_t coarse = 0, fine = 0;

    WholeSum& operator+=(const WholeSum& other) {
        coarse += other.coarse;
        fine += other.fine;
        return *this;
    }
    WholeSum& operator-=(const WholeSum& other) {
        coarse -= other.coarse;
        fine -= other.fine;
        return *this;
    }
};

// The units for at most n terms of at most `largest` in size: powers of two, small enough to lose
// nothing of a double that is not 2^30 times smaller than the largest (of 2^20 terms; more of
// fewer), large enough that no sum overflows.
class SumUnits {
public:
    SumUnits(double largest, std::size_t n) : bits_(61 - static_cast<int>(std::bit_width(n))) {
        const int exponent = largest > 0 ? std::ilogb(largest) + 1 : 0;
        exponent_ = std::clamp(bits_ - exponent, -1020, 1020);
        to_coarse_ = std::ldexp(1.0, exponent_);
        to_fine_ = std::ldexp(1.0, bits_);
    }

    // To within a unit for each term, which is 2^40 times smaller than the largest of 2^20 terms.
    void add_coarse(double term, WholeSum& sum) const {
        sum.coarse += static_cast<std::int64_t>(term * to_coarse_);
    }

    void add(double term, WholeSum& sum) const {
        const double scaled = term * to_coarse_;
        const auto whole = static_cast<std::int64_t>(scaled);
        sum.coarse += whole;
        sum.fine += static_cast<std::int64_t>((scaled - static_cast<double>(whole)) * to_fine_);
    }

    double value(const WholeSum& sum) const {
        const double fine = std::ldexp(static_cast<double>(sum.fine), -bits_);
        return std::ldexp(static_cast<double>(sum.coarse) + fine, -exponent_);
    }

private:
    int bits_, exponent_;
    double to_coarse_, to_fine_;
};

}  // namespace treewright
