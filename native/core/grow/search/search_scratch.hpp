// Space that one worker's searches use again and again: small nodes should allocate nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "core/grow/search/absolute_error.hpp"
#include "core/grow/search/node_groups.hpp"
#include "core/grow/search/tallies.hpp"

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
