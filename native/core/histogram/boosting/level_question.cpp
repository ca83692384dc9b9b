#include "core/histogram/boosting/level_question.hpp"

#include <algorithm>
#include <numeric>

#include "core/arithmetic/as_index.hpp"

namespace treewright::histogram {
namespace {

SearchedNode together(std::span<const LevelNode> nodes) {
    SearchedNode all;
    for (const LevelNode& node : nodes) {
        all.total += node.node.total;
        all.n_rows += node.node.n_rows;
    }
    return all;
}

struct BestCut {
    double worth = 0;
    std::size_t n_left = 0;
    bool missing_left = false;
};

// `sums_of(node)` are a node's sums by bin.
template <class SumsOf>
BestCut best_cut(const SplitSearch& search, const SplitSearch::LevelOrder& order, int direction,
                 std::span<const LevelNode> nodes, double bar, const SumsOf& sums_of) {
    const bool any_missing = order.extra != 0;
    std::vector<double> missing_right(order.order.size(), 0.0);
    std::vector<double> missing_left(any_missing ? order.order.size() : 0, 0.0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        search.add_worth(order, sums_of(i), nodes[i].node, direction, missing_right, missing_left);
    }
    BestCut best{bar};
    for (std::size_t i = 0; i < order.order.size(); ++i) {
        if (missing_right[i] > best.worth) best = {missing_right[i], i + 1, false};
        if (any_missing && missing_left[i] > best.worth) best = {missing_left[i], i + 1, true};
    }
    return best;
}

void take(const BestCut& cut, const SplitSearch::LevelOrder& order, int column,
          GradientSplit& best) {
    best = {};
    best.strength = cut.worth;
    best.column = column;
    best.missing_left = cut.missing_left;
    best.missing_known = order.extra != 0;
}

void search_bins(const SplitSearch& search, const BinnedTable& table, int column, int direction,
                 std::span<const LevelNode> nodes, double enough, GradientSplit& best) {
    const BinnedColumn& described = table.columns[as_index(column)];
    const std::size_t first = static_cast<std::size_t>(column) * n_slots;
    std::vector<Sum> pooled(n_slots, 0);
    for (const LevelNode& node : nodes) {
        for (std::size_t bin = 0; bin < n_slots; ++bin) pooled[bin] += node.sums[first + bin];
    }
    const std::span<const Sum> known(pooled.data(), static_cast<std::size_t>(described.n_bins));
    const auto order =
        search.order_for_level(described.nominal, known, pooled[missing_bin], together(nodes));
    const BestCut cut = best_cut(search, order, direction, nodes, std::max(enough, best.strength),
                                 [&](std::size_t i) { return nodes[i].sums + first; });
    if (cut.n_left == 0) return;
    take(cut, order, column, best);
    best.goes_left.fill(cut.missing_left);
    std::size_t n_left = cut.n_left;
    if (!described.nominal) {
        best.last_bin = middle_of_gap(known, static_cast<int>(cut.n_left) - 1);
        n_left = static_cast<std::size_t>(best.last_bin) + 1;
    }
    for (std::size_t i = 0; i < order.order.size(); ++i) {
        best.goes_left[order.order[i]] = i < n_left;
        best.met[order.order[i]] = 1;
    }
}

// The levels of a wide column in their common order, each with the bin that it shares with its
// neighbors there: bins hold about equal second derivatives.
struct SharedBins {
    std::vector<std::uint32_t> bin_of_level;  // missing_bin: among the rows that go either way
    SplitSearch::LevelOrder order;            // of the bins
};

SharedBins share_bins(const WideSums& sums, const SplitSearch::LevelOrder& order,
                      std::size_t n_levels) {
    SharedBins shared;
    shared.bin_of_level.assign(n_levels, missing_bin);
    double all = 0, before = 0;
    for (const std::uint32_t at : order.order) all += hessian_of(sums.sum[at]);
    std::uint32_t last = 0;
    for (const std::uint32_t at : order.order) {
        last = static_cast<std::uint32_t>(std::min(254.0, 255 * before / all));
        shared.bin_of_level[sums.level[at]] = last;
        before += hessian_of(sums.sum[at]);
    }
    shared.order = {std::vector<std::uint32_t>(last + 1), order.extra, order.l2};
    std::iota(shared.order.order.begin(), shared.order.order.end(), 0U);
    return shared;
}

// Only the sum of no row is 0.
WideSums pooled_sums(std::span<const WideSums> of_nodes, std::size_t n_levels) {
    WideSums pooled;
    std::vector<Sum> by_level(n_levels, 0);
    for (const WideSums& own : of_nodes) {
        pooled.missing += own.missing;
        for (std::size_t i = 0; i < own.level.size(); ++i) by_level[own.level[i]] += own.sum[i];
    }
    for (std::size_t level = 0; level < n_levels; ++level) {
        if (by_level[level] == 0) continue;
        pooled.level.push_back(static_cast<std::uint32_t>(level));
        pooled.sum.push_back(by_level[level]);
    }
    return pooled;
}

void search_wide(const SplitSearch& search, const BinnedTable& table, int column,
                 std::span<const LevelNode> nodes, double enough, const WideOfNode& wide_of,
                 GradientSplit& best) {
    const auto n_levels = static_cast<std::size_t>(table.columns[as_index(column)].n_bins);
    std::vector<WideSums> of_nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) of_nodes.push_back(wide_of(i));
    const WideSums pooled = pooled_sums(of_nodes, n_levels);
    const auto order = search.order_for_level(true, pooled.sum, pooled.missing, together(nodes));
    if (order.order.empty()) return;
    const SharedBins shared = share_bins(pooled, order, n_levels);
    std::vector<Sum> sums(nodes.size() * n_slots, 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const WideSums& own = of_nodes[i];
        Sum* const bins = sums.data() + i * n_slots;
        bins[missing_bin] += own.missing;
        for (std::size_t at = 0; at < own.level.size(); ++at) {
            bins[shared.bin_of_level[own.level[at]]] += own.sum[at];
        }
    }
    const BestCut cut = best_cut(search, shared.order, 0, nodes, std::max(enough, best.strength),
                                 [&](std::size_t i) { return sums.data() + i * n_slots; });
    if (cut.n_left == 0) return;
    take(cut, order, column, best);
    for (const std::uint32_t level : pooled.level) {
        const std::uint32_t bin = shared.bin_of_level[level];
        if (bin != missing_bin) best.wide.push_back(level << 1 | std::uint32_t{bin < cut.n_left});
    }
}

}  // namespace

void search_level(const SplitSearch& search, const BinnedTable& table, int column, int direction,
                  std::span<const LevelNode> nodes, double enough, const WideOfNode& wide_of,
                  GradientSplit& best) {
    if (table.columns[as_index(column)].is_wide()) {
        search_wide(search, table, column, nodes, enough, wide_of, best);
    } else {
        search_bins(search, table, column, direction, nodes, enough, best);
    }
}

}  // namespace treewright::histogram
