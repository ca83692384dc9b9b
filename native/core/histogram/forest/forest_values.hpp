// Targets and weights of a forest's rows as integers.
#pragma once

#include <span>

#include "core/histogram/forest/forest_targets.hpp"
#include "core/histogram/forest/forest_tree.hpp"

namespace treewright::histogram {

ForestMeasure measure_of(const ForestData& data, const ForestSettings& settings);

// So large that no sum of them overflows, and powers of two, so that small whole numbers stay
// exact: of 100,000 rows each has more than 40 binary digits.
ScaledValues scaled_values(const ForestData& data, const ForestSettings& settings);

}  // namespace treewright::histogram
