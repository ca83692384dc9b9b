// The best split of one node on one column.
#pragma once

#include <cstdint>

#include "core/grow/search/candidate.hpp"
#include "core/grow/search/column_of_node.hpp"
#include "core/grow/search/division_search.hpp"
#include "core/grow/search/threshold_search.hpp"

namespace treewright {

// With `split`, also how to carry the candidate out.
template <class Index>
Candidate search_column(const Context& context, const Workspace<Index>& workspace,
                        const NodeView& node, std::uint32_t place, SearchScratch<Index>& scratch,
                        Split* split = nullptr) {
    ColumnOfNode<Index> at(context, workspace, node, place, scratch);
    if (at.view.is_nominal() || at.settings.numeric == NumericSplit::intervals) {
        return DivisionSearch<Index>(at).evaluate(split);
    }
    return ThresholdSearch<Index>(at).evaluate(split);
}

}  // namespace treewright
