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

void search_wide(const SplitSearch& search, const BinnedTable& table, int column,
                 std::span<const LevelNode> nodes, double enough, WideScratch& scratch,
                 GradientSplit& best) {
    const auto& codes = table.wide[as_index(column)];
    const auto n_levels = static_cast<std::size_t>(table.columns[as_index(column)].n_bins);
    std::vector<Traveler> rows;
    for (const LevelNode& node : nodes) rows.insert(rows.end(), node.rows.begin(), node.rows.end());
    const WideSums pooled = add_wide_rows(codes, n_levels, rows, scratch);
    const auto order = search.order_for_level(true, pooled.sum, pooled.missing, together(nodes));
    if (order.order.empty()) return;
    const SharedBins shared = share_bins(pooled, order, n_levels);
    std::vector<Sum> sums(nodes.size() * n_slots, 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const Traveler row : nodes[i].rows) {
            const std::uint32_t code = codes[row_of(row)];
            const std::uint32_t bin =
                code == missing_wide ? missing_bin : shared.bin_of_level[code];
            sums[i * n_slots + bin] += sum_of(row);
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
                  std::span<const LevelNode> nodes, double enough, WideScratch& scratch,
                  GradientSplit& best) {
    if (table.columns[as_index(column)].is_wide()) {
        search_wide(search, table, column, nodes, enough, scratch, best);
    } else {
        search_bins(search, table, column, direction, nodes, enough, best);
    }
}

}  // namespace treewright::histogram
