#include "core/grow/held_sides.hpp"

#include <algorithm>
#include <array>

namespace treewright {
namespace {

using Index = std::uint32_t;

// Means first, then distances from them, each in the order of the rows. `side_of(i)` may be
// negative, `out` holds empty sums.
template <class SideOf>
void add_numbers(std::span<const double> y, std::span<const double> weight, SideOf side_of,
                 std::span<SideSums> out) {
    std::vector<double> first(out.size(), 0.0), sum(out.size(), 0.0);
    const auto weight_of = [&](std::size_t i) { return weight.empty() ? 1.0 : weight[i]; };
    for (std::size_t i = 0; i < y.size(); ++i) {
        const int side = side_of(i);
        if (side < 0) continue;
        const auto s = static_cast<std::size_t>(side);
        if (out[s].n_rows++ == 0) first[s] = y[i];  // makes the mean of equal numbers exact
        out[s].weight += weight_of(i);
        sum[s] += weight_of(i) * (y[i] - first[s]);
    }
    for (std::size_t s = 0; s < out.size(); ++s) {
        if (out[s].n_rows > 0) out[s].mean = first[s] + sum[s] / out[s].weight;
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
        const int side = side_of(i);
        if (side < 0) continue;
        auto& to = out[static_cast<std::size_t>(side)];
        const double d = y[i] - to.mean;
        to.squares += weight_of(i) * (d * d);
    }
}

// Where each row goes by a split; missing rows get `missing`.
void fill_sides(const WorkColumn<Index>& column, const Split& split, std::int32_t missing,
                std::vector<std::int32_t>& side) {
    const bool is_cut = split.kind == SplitKind::threshold;
    if (column.counted) {
        std::array<std::int32_t, 256> of_code;
        of_code.fill(missing);
        for (std::size_t code = 0; is_cut && code < column.n_codes(); ++code) {
            of_code[code] = code > split.cut_code ? 1 : 0;
        }
        for (std::size_t i = 0; i < split.codes.size(); ++i) {
            of_code[split.codes[i]] = static_cast<std::int32_t>(split.child_of_code[i]);
        }
        for (std::size_t row = 0; row < side.size(); ++row) side[row] = of_code[column.codes[row]];
        return;
    }
    std::size_t at = 0;
    for (const auto& [row, rank] : column.sorted) {
        if (rank == missing_rank<Index>) {
            side[row] = missing;
        } else if (is_cut) {
            side[row] = rank > split.cut_code ? 1 : 0;
        } else {
            while (split.codes[at] != rank) ++at;
            side[row] = static_cast<std::int32_t>(split.child_of_code[at]);
        }
    }
}

// Where the gain of a split counts missing rows: with a child, on a side of their own, or -1.
int missing_side(const Settings& settings, const Split& split) {
    if (split.missing_rows == 0) return -1;
    if (settings.missing == MissingPolicy::learned) return split.missing_child;
    return settings.missing == MissingPolicy::branch ? static_cast<int>(split.n_children) : -1;
}

// Whole numbers may be added in any order: the smaller side is counted in the column's own.
void count_two_sides(const Targets& targets, const NodeView& view,
                     const WorkColumn<Index>& column, ColumnBest& best) {
    const auto& sorted = column.sorted;
    const auto first_right = std::ranges::upper_bound(sorted, best.split.cut_code, {},
                                                      &Element<Index>::rank);
    const auto n_left = static_cast<std::size_t>(first_right - sorted.begin());
    const bool counts_left = 2 * n_left <= sorted.size();
    std::vector<std::int64_t> counts(targets.n_classes, 0);
    for (std::size_t i = counts_left ? 0 : n_left; i < (counts_left ? n_left : sorted.size());
         ++i) {
        ++counts[targets.classes[sorted[i].row]];
    }
    auto& counted = best.sides[counts_left ? 0 : 1];
    auto& rest = best.sides[counts_left ? 1 : 0];
    best.sides[0].n_rows = static_cast<std::int64_t>(n_left);
    best.sides[1].n_rows = static_cast<std::int64_t>(sorted.size() - n_left);
    for (std::size_t cls = 0; cls < targets.n_classes; ++cls) {
        counted.of_class.push_back(static_cast<double>(counts[cls]));
        rest.of_class.push_back(view.stats[cls] - static_cast<double>(counts[cls]));
    }
    best.left_out.of_class.resize(targets.n_classes, 0.0);
    best.missing.of_class.resize(targets.n_classes, 0.0);
}

void add_classes(const Targets& targets, const std::vector<std::int32_t>& side,
                 ColumnBest& best) {
    for (auto& sums : best.sides) sums.of_class.resize(targets.n_classes, 0.0);
    best.left_out.of_class.resize(targets.n_classes, 0.0);
    best.missing.of_class.resize(targets.n_classes, 0.0);
    const auto add = [](SideSums& to, std::size_t cls, double weight) {
        ++to.n_rows;
        to.of_class[cls] += weight;
    };
    for (std::size_t row = 0; row < side.size(); ++row) {
        const std::size_t cls = targets.classes[row];
        const double weight = targets.weight_of(row);
        int to = side[row];
        if (to < 0) {
            add(best.missing, cls, weight);
            to = best.missing_side;
        }
        add(to < 0 ? best.left_out : best.sides[static_cast<std::size_t>(to)], cls, weight);
    }
}

void add_up_numbers(std::span<const double> y, std::span<const double> weight,
                           std::vector<std::int32_t>& side, ColumnBest& best) {
    const auto add_where = [&](auto holds, SideSums& to) {
        add_numbers(y, weight, [&](std::size_t i) { return holds(side[i]) ? 0 : -1; },
                    std::span(&to, 1));
    };
    if (best.split.missing_rows > 0) {
        add_where([](std::int32_t to) { return to < 0; }, best.missing);
        for (auto& to : side) to = to < 0 ? best.missing_side : to;
    }
    if (best.split.missing_rows > 0 && best.missing_side < 0) {
        best.left_out = best.missing;
        add_where([](std::int32_t to) { return to >= 0; }, best.counted);
    }
    add_numbers(y, weight, [&](std::size_t i) { return side[i]; }, best.sides);
}

}  // namespace

std::vector<SideSums> number_sides(std::span<const double> y, std::span<const double> weight,
                                   std::span<const std::int32_t> side, std::size_t n_sides) {
    std::vector<SideSums> out(n_sides);
    add_numbers(y, weight, [&](std::size_t i) { return side[i]; }, out);
    return out;
}

void add_up_sides(const Workspace<Index>& workspace, const NodeView& view,
            const WorkColumn<Index>& column, const Settings& settings, std::span<const double> y,
            ColumnBest& best) {
    best.missing_side = missing_side(settings, best.split);
    const auto n_sides = best.split.n_children +
                         (best.missing_side == static_cast<int>(best.split.n_children) ? 1 : 0);
    best.sides.resize(n_sides);
    if (workspace.targets.n_classes == 0 && y.empty()) return;
    if (workspace.targets.n_classes > 0 && workspace.targets.counts_rows() && !column.counted &&
        best.split.kind == SplitKind::threshold && best.split.missing_rows == 0) {
        return count_two_sides(workspace.targets, view, column, best);
    }
    std::vector<std::int32_t> side(workspace.rows.size());
    constexpr std::int32_t is_missing = -1;
    fill_sides(column, best.split, is_missing, side);
    if (workspace.targets.n_classes > 0) {
        add_classes(workspace.targets, side, best);
    } else {
        add_up_numbers(y, workspace.targets.weight, side, best);
    }
}

}  // namespace treewright
