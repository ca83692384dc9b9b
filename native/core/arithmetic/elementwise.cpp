#include "core/arithmetic/elementwise.hpp"

#include <cstddef>

#include "core/arithmetic/portable_math.hpp"

namespace treewright {
namespace {

template <class Function>
void fill(std::span<const double> values, std::span<double> out, Function function) {
    for (std::size_t at = 0; at < out.size(); ++at) out[at] = function(values[at]);
}

double whole_log2(double x) {
    return x > 0.0 && x < HUGE_VAL ? log2_of(x) : log_of(x);  // the same where it is no number
}

// Smaller numbers are raised, by as many factors as that takes. NaN stays what it is.
double log_gamma_of(double x) {
    constexpr double series_from = 12.0;             // it is accurate to 1e-14 from here on
    constexpr double half_log_tau = 0.9189385332046727;  // log(2 pi) / 2
    double factors = 1.0;
    while (x < series_from) {
        factors *= x;
        x += 1.0;
    }
    const double inverse = 1.0 / x, square = inverse * inverse;
    const double series =
        inverse *
        (1.0 / 12 -
         square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square * (1.0 / 1188)))));
    const double found = (x - 0.5) * log_of(x) - x + half_log_tau + series;
    return factors == 1.0 ? found : found - log_of(factors);
}

}  // namespace

double elementwise_of(Elementwise function, double value) {
    double out = 0.0;
    fill_elementwise(function, {&value, 1}, {&out, 1});
    return out;
}

void fill_elementwise(Elementwise function, std::span<const double> values, std::span<double> out) {
    switch (function) {
        case Elementwise::exp: return fill(values, out, [](double x) { return exp_of(x); });
        case Elementwise::exp2: return fill(values, out, [](double x) { return exp2_of(x); });
        case Elementwise::log: return fill(values, out, log_of);
        case Elementwise::log1p: return fill(values, out, log1p_of);
        case Elementwise::log2: return fill(values, out, whole_log2);
        case Elementwise::log_gamma: return fill(values, out, log_gamma_of);
    }
}

}  // namespace treewright
