// exp, log and their kin of every number of an array, with the same digits on every machine.
#pragma once

#include <cstdint>
#include <span>

namespace treewright {

// log_gamma, of numbers above 0, is for those that are not whole: log((x - 1)!) by Stirling's series.
enum class Elementwise : std::uint8_t { exp, exp2, log, log1p, log2, log_gamma };

double elementwise_of(Elementwise function, double value);

// Fills `out`, which is as long as `values`.
void fill_elementwise(Elementwise function, std::span<const double> values, std::span<double> out);

}  // namespace treewright
