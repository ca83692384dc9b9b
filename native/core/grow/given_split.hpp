// A split that a person asks for, scored as the search scores its own.
#pragma once

#include <cstdint>
#include <vector>

#include "core/grow/search/candidate.hpp"
#include "core/grow/workspace.hpp"

namespace treewright {

// A split that a person asks for.
struct GivenSplit {
    int column = 0;
    SplitKind kind = SplitKind::threshold;
    double threshold = 0;
    std::vector<std::int32_t> first_levels;  // subset: the levels of the first child
    std::vector<double> cuts;                // intervals: rising
};

// The candidate that the search would have made of the split, and how to carry it out. `n_cuts` are
// the thresholds that C4.5's correction counts. The settings' limits decide where missing rows go,
// but do not forbid the split. Throws std::invalid_argument if a branch would have no rows.
Candidate score_given_split(const Context& context, const Workspace<std::uint32_t>& workspace,
                            const NodeView& node, const GivenSplit& given, std::uint32_t place,
                            std::int64_t n_cuts, Split& split);

// The same for a threshold, without its score: many values need not be grouped. Missing rows are
// left to the caller.
Split given_cut(const Context& context, const Workspace<std::uint32_t>& workspace,
                const GivenSplit& given, std::uint32_t place);

}  // namespace treewright
