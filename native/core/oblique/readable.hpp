// Coefficients with few digits that split as well.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/oblique/climb.hpp"

namespace treewright::oblique {

// A sum of columns as a person would write it: numbers of the table, in their order.
struct ReadableSum {
    std::vector<std::uint32_t> columns;
    std::vector<double> weights;  // of the values as they are; the first is positive
};

// The shortest coefficients whose split keeps all but `max_loss` of the combination's gain.
// `unsplit` is the score of the node.
ReadableSum readable_sum(const Combination& exact, const NodeColumns& columns,
                         const NodeTarget& target, double unsplit, double max_loss,
                         const std::function<void()>& check);

}  // namespace treewright::oblique
