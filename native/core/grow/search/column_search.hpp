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

// Of a column of bins, whose node has a table: see bin_source.hpp.
template <class Index>
BinOutline outline_column(const Context& context, const Workspace<Index>& workspace,
                          const NodeView& node, std::uint32_t place,
                          SearchScratch<Index>& scratch) {
    ColumnOfNode<Index> at(context, workspace, node, place, scratch);
    return ThresholdSearch<Index>(at).outline_bins();
}

// The rows of the bins that can matter have been read. Gains below `floor` do not matter.
template <class Index>
Candidate search_bins(const Context& context, const Workspace<Index>& workspace,
                      const NodeView& node, std::uint32_t place, SearchScratch<Index>& scratch,
                      RowsInBins& known, double floor) {
    ColumnOfNode<Index> at(context, workspace, node, place, scratch);
    return ThresholdSearch<Index>(at).evaluate_bins(known, floor);
}

}  // namespace treewright
