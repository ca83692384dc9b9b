// Sums that do not depend on the order of their terms.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/arithmetic/order_free_sum.hpp"
#include "core/arithmetic/random.hpp"
#include "tests/testing.hpp"

namespace treewright::testing {
namespace {

// Numbers of very different sizes, both signs.
std::vector<double> terms(std::size_t n) {
    Random random(7);
    std::vector<double> all(n);
    for (double& term : all) {
        const int exponent = static_cast<int>(random.below(40)) - 20;
        term = std::ldexp(random.unit() - 0.5, exponent);
    }
    return all;
}

double largest_of(const std::vector<double>& all) {
    double largest = 0;
    for (const double term : all) largest = std::max(largest, std::abs(term));
    return largest;
}

const Test t1("the order of terms and the parts they are added in change nothing", [] {
    std::vector<double> all = terms(10'000);
    const SumUnits units(largest_of(all), all.size());
    WholeSum forward, backward, in_parts;
    for (const double term : all) units.add(term, forward);
    std::ranges::reverse(all);
    for (const double term : all) units.add(term, backward);
    for (std::size_t begin = 0; begin < all.size(); begin += 777) {
        WholeSum part;
        for (std::size_t i = begin; i < std::min(all.size(), begin + 777); ++i) {
            units.add(all[i], part);
        }
        in_parts += part;
    }
    expect_equal(units.value(backward), units.value(forward));
    expect_equal(units.value(in_parts), units.value(forward));
});

const Test t2("sums of doubles that are not far apart in size are exact", [] {
    const std::vector<double> all = terms(10'000);
    const SumUnits units(largest_of(all), all.size());
    WholeSum sum;
    long double exact = 0;  // at least as exact as double; terms are multiples of 2^-73
    for (const double term : all) {
        units.add(term, sum);
        exact += term;
    }
    expect(std::abs(units.value(sum) - static_cast<double>(exact)) <= 1e-9);
    WholeSum whole;
    for (int i = 1; i <= 1000; ++i) SumUnits(1000, 1000).add(i, whole);
    expect_equal(SumUnits(1000, 1000).value(whole), 500'500.0);
});

const Test t3("no sum overflows, and no terms are 0", [] {
    for (const double largest : {5e-324, 1e-300, 1.0, 1e300, 1.7e308}) {
        const std::size_t n = 1 << 12;
        const SumUnits units(largest, n);
        WholeSum sum;
        for (std::size_t i = 0; i < n / 8; ++i) units.add(largest / 512, sum);
        const double expected = largest / 512 * (n / 8);
        expect(std::abs(units.value(sum) - expected) <= 1e-12 * expected, "wrong at this size");
    }
    expect_equal(SumUnits(0, 1).value({}), 0.0);
});

}  // namespace
}  // namespace treewright::testing
