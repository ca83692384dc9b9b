// What cuts are worth to all nodes of a level together.
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/boosting/gradient_split.hpp"
#include "core/histogram/boosting/split_cuts.hpp"

namespace treewright::histogram {

int middle_of_gap(std::span<const Sum> sums, int last) {
    const auto n_bins = static_cast<int>(sums.size());
    int next = last + 1;
    while (next < n_bins && sums[as_index(next)] == 0) ++next;
    return next == n_bins ? n_bins - 1 : last + (next - 1 - last) / 2;
}

SplitSearch::LevelOrder SplitSearch::order_for_level(bool nominal, std::span<const Sum> sums,
                                                     Sum missing, const SearchedNode& all) const {
    if (nominal) {
        Cuts cuts;
        cuts.extra = missing;
        Levels levels = order_levels(sums, all, cuts);
        return {std::move(levels.order), cuts.extra, cuts.l2};
    }
    LevelOrder order{std::vector<std::uint32_t>(sums.size()), missing, l2_};
    std::iota(order.order.begin(), order.order.end(), 0U);
    return order;
}

void SplitSearch::add_worth(const LevelOrder& order, const Sum* sums, const SearchedNode& node,
                            int direction, std::span<double> missing_right,
                            std::span<double> missing_left) const {
    const double undivided = worth(node);
    Sum placed = 0;
    if (!missing_left.empty()) {
        for (const std::uint32_t bin : order.order) placed += sums[bin];
    }
    for (const bool extra_left : {false, true}) {
        const std::span<double> out = extra_left ? missing_left : missing_right;
        Sum left = extra_left ? node.total - placed : 0;
        double children = undivided;
        bool is_known = false;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const Sum added = sums[order.order[i]];
            if (added != 0 || !is_known) {  // most bins of a small node are empty
                left += added;
                children = is_too_small(left, node.total)
                               ? undivided
                               : bounded_strength(left, node, order.l2, direction);
                is_known = true;
            }
            out[i] += children;
        }
    }
}

}  // namespace treewright::histogram
