// A weighted mean that is right to the last digit.
#pragma once

#include <cmath>

namespace treewright {

// A sum, and apart from it what its additions rounded off (Ogita, Rump, Oishi 2005: as if added in
// twice the digits). Only the first addition of `add` waits for the one before.
class CarryingSum {
public:
    void add(double term) {
        const double sum = sum_ + term;
        const double part = sum - sum_;
        carry_ += (sum_ - (sum - part)) + (term - part);
        sum_ = sum;
    }

    void add_product(double a, double b) {
        const double product = a * b;
        add(product);
        carry_ += std::fma(a, b, -product);
    }

    // This sum divided by another one, which is positive.
    double over(const CarryingSum& divisor) const {
        const double quotient = (sum_ + carry_) / divisor.sum_;
        const double rest = std::fma(-quotient, divisor.sum_, sum_);
        return quotient + (rest + carry_ - quotient * divisor.carry_) / divisor.sum_;
    }

private:
    double sum_ = 0.0;
    double carry_ = 0.0;
};

// Off by at most one unit in the last place, unless numbers of both signs cancel to less than
// 2^-40 of their size; exactly the number if all are the same.
class ExactMean {
public:
    void add(double number) {
        sum_.add(number);
        total_.add(1.0);
    }

    void add(double number, double weight) {
        sum_.add_product(number, weight);
        total_.add(weight);
    }

    double mean() const { return sum_.over(total_); }

private:
    CarryingSum sum_;
    CarryingSum total_;
};

}  // namespace treewright
