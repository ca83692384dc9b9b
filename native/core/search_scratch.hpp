// Space that one worker's searches use again and again: small nodes should allocate nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "core/absolute_error.hpp"
#include "core/node_groups.hpp"
#include "core/tallies.hpp"

namespace treewright {

template <class Index>
struct SearchScratch : GroupScratch<Index> {
    std::vector<double> left, right, all;
    std::vector<std::uint32_t> sequence;
    TwoClassGini two_class_gini;
    CountedGini counted_gini;
    CountedEntropy counted_entropy;
    CountedMoments moments;
    GeneralTally general;
    AbsoluteErrorTally absolute_error;
};

}  // namespace treewright
