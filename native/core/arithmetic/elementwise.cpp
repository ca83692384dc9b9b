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

}  // namespace

void fill_elementwise(Elementwise function, std::span<const double> values, std::span<double> out) {
    switch (function) {
        case Elementwise::exp: return fill(values, out, [](double x) { return exp_of(x); });
        case Elementwise::exp2: return fill(values, out, [](double x) { return exp2_of(x); });
        case Elementwise::log: return fill(values, out, log_of);
        case Elementwise::log1p: return fill(values, out, log1p_of);
        case Elementwise::log2: return fill(values, out, whole_log2);
    }
}

}  // namespace treewright
