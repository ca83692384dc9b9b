#include "core/grow/held_sides.hpp"

#include <algorithm>
#include <array>

#include "core/grow/search/node_groups.hpp"

namespace treewright {
namespace {

using Index = std::uint32_t;

// Means first, then distances from them, each in the order of the rows. Negative sides are left
// out, `out` holds empty sums.
template <class Side>
void add_numbers(std::span<const double> y, std::span<const double> weight,
                 std::span<const Side> side, std::span<SideSums> out) {
    std::vector<double> first(out.size(), 0.0), sum(out.size(), 0.0);
    const auto weight_of = [&](std::size_t i) { return weight.empty() ? 1.0 : weight[i]; };
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (side[i] < 0) continue;
        const auto s = static_cast<std::size_t>(side[i]);
        if (out[s].n_rows++ == 0) first[s] = y[i];  // makes the mean of equal numbers exact
        out[s].weight += weight_of(i);
        sum[s] += weight_of(i) * (y[i] - first[s]);
    }
    for (std::size_t s = 0; s < out.size(); ++s) {
        if (out[s].n_rows > 0) out[s].mean = first[s] + sum[s] / out[s].weight;
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (side[i] < 0) continue;
        auto& to = out[static_cast<std::size_t>(side[i])];
        const double d = y[i] - to.mean;
        to.squares += weight_of(i) * (d * d);
    }
}

// The same for two sides that hold all rows, each row counted once. Both sums stay in registers: a
// third of the time. Adding 0 changes no sum.
template <class Side>
void add_two_sides(std::span<const double> y, std::span<const Side> side,
                   std::span<SideSums> out) {
    double first[2] = {0.0, 0.0}, mean[2] = {0.0, 0.0};
    for (const Side s : {Side{0}, Side{1}}) {
        const auto at = std::ranges::find(side, s);
        if (at != side.end()) first[s] = y[static_cast<std::size_t>(at - side.begin())];
    }
    double left = 0.0, right = 0.0;
    std::int64_t n_right = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const bool goes_right = side[i] != 0;
        const double d = y[i] - (goes_right ? first[1] : first[0]);
        left += goes_right ? 0.0 : d;
        right += goes_right ? d : 0.0;
        n_right += goes_right;
    }
    const double sums[2] = {left, right};
    const std::int64_t n[2] = {static_cast<std::int64_t>(y.size()) - n_right, n_right};
    for (std::size_t s = 0; s < 2; ++s) {
        if (n[s] == 0) continue;
        out[s].n_rows = n[s];
        out[s].weight = static_cast<double>(n[s]);
        out[s].mean = mean[s] = first[s] + sums[s] / out[s].weight;
    }
    left = right = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const bool goes_right = side[i] != 0;
        const double d = y[i] - (goes_right ? mean[1] : mean[0]);
        left += goes_right ? 0.0 : d * d;
        right += goes_right ? d * d : 0.0;
    }
    out[0].squares = left;
    out[1].squares = right;
}

template <class Side>
void add_sides(std::span<const double> y, std::span<const double> weight,
               std::span<const Side> side, std::span<SideSums> out) {
    const auto is_left_out = [](Side s) { return s < 0; };
    if (out.size() == 2 && weight.empty() && std::ranges::none_of(side, is_left_out)) {
        add_two_sides(y, side, out);
    } else {
        add_numbers(y, weight, side, out);
    }
}

// Where each row goes by a split; -1 if its value is missing.
template <class Side>
void fill_sides(const WorkColumn<Index>& column, const Split& split, std::vector<Side>& side) {
    constexpr Side missing = -1;
    const bool is_cut = split.kind == SplitKind::threshold;
    if (column.counted) {
        std::array<Side, 256> of_code;
        of_code.fill(missing);
        for (std::size_t code = 0; is_cut && code < column.n_codes(); ++code) {
            of_code[code] = code > split.cut_code ? 1 : 0;
        }
        for (std::size_t i = 0; i < split.codes.size(); ++i) {
            of_code[split.codes[i]] = static_cast<Side>(split.child_of_code[i]);
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
            side[row] = static_cast<Side>(split.child_of_code[at]);
        }
    }
}

// Where the gain of a split counts missing rows: with a child, on a side of their own, or -1.
int missing_side(const Settings& settings, const Split& split) {
    if (split.missing_rows == 0) return -1;
    if (settings.missing == MissingPolicy::learned) return split.missing_child;
    return settings.missing == MissingPolicy::branch ? static_cast<int>(split.n_children) : -1;
}

// Class weights of the sides, of the rows without one, and of the missing rows.
class ClassLines {
public:
    ClassLines(std::size_t n_sides, std::size_t n_classes)
        : n_classes_(n_classes),
          of_class_((n_sides + 2) * n_classes, 0.0),
          n_rows_(n_sides + 2, 0) {}

    void add(std::size_t line, std::size_t cls, double weight) {
        ++n_rows_[line];
        of_class_[line * n_classes_ + cls] += weight;
    }
    void write(ColumnBest& best) const {
        const std::size_t n_sides = best.sides.size();
        for (std::size_t s = 0; s < n_sides; ++s) write(s, best.sides[s]);
        write(n_sides, best.left_out);
        write(n_sides + 1, best.missing);
    }

private:
    void write(std::size_t line, SideSums& to) const {
        to.n_rows = n_rows_[line];
        const auto first = of_class_.begin() + static_cast<std::ptrdiff_t>(line * n_classes_);
        to.of_class.assign(first, first + static_cast<std::ptrdiff_t>(n_classes_));
    }
    std::size_t n_classes_;
    std::vector<double> of_class_;
    std::vector<std::int64_t> n_rows_;
};

// Whole numbers may be added in any order: of the two sides of a cut the smaller one is counted, in
// the order of the column.
void count_two_sides(const Targets& targets, const NodeView& view,
                     const WorkColumn<Index>& column, ColumnBest& best) {
    const std::size_t k = targets.n_classes;
    const auto& sorted = column.sorted;
    const auto n_known = NodeGroups<Index>::n_known(sorted);
    const auto known_rows = std::span(sorted).first(n_known);
    const auto first_right = std::ranges::upper_bound(known_rows, best.split.cut_code, {},
                                                      &Element<Index>::rank);
    const auto n_left = static_cast<std::size_t>(first_right - known_rows.begin());
    const auto count = [&](std::size_t begin, std::size_t end) {
        SideSums out;
        std::vector<std::int64_t> counts(k, 0);
        for (std::size_t i = begin; i < end; ++i) ++counts[targets.classes[sorted[i].row]];
        out.n_rows = static_cast<std::int64_t>(end - begin);
        out.of_class.assign(counts.begin(), counts.end());
        return out;
    };
    const auto add = [&](SideSums& to, const SideSums& from, double sign) {
        to.n_rows += static_cast<std::int64_t>(sign) * from.n_rows;
        for (std::size_t c = 0; c < k; ++c) to.of_class[c] += sign * from.of_class[c];
    };
    SideSums known;
    known.n_rows = static_cast<std::int64_t>(sorted.size());
    known.of_class = view.stats;
    best.missing = count(n_known, sorted.size());
    add(known, best.missing, -1.0);
    const bool counts_left = 2 * n_left <= n_known;
    const auto counted = counts_left ? count(0, n_left) : count(n_left, n_known);
    add(known, counted, -1.0);
    best.sides[0] = counts_left ? counted : known;
    best.sides[1] = counts_left ? known : counted;
    best.left_out.of_class.assign(k, 0.0);
    if (best.missing_side == 2) {
        best.sides[2] = best.missing;
    } else {
        add(best.missing_side < 0 ? best.left_out
                                  : best.sides[static_cast<std::size_t>(best.missing_side)],
            best.missing, 1.0);
    }
}

template <class Side>
void add_classes(const Targets& targets, const std::vector<Side>& side, ColumnBest& best) {
    const std::size_t n_sides = best.sides.size();
    ClassLines lines(n_sides, targets.n_classes);
    const std::size_t joined =
        best.missing_side < 0 ? n_sides : static_cast<std::size_t>(best.missing_side);
    for (std::size_t row = 0; row < side.size(); ++row) {
        const std::size_t cls = targets.classes[row];
        const double weight = targets.weight_of(row);
        if (side[row] >= 0) {
            lines.add(static_cast<std::size_t>(side[row]), cls, weight);
        } else {
            lines.add(n_sides + 1, cls, weight);
            lines.add(joined, cls, weight);
        }
    }
    lines.write(best);
}

template <class Side>
void add_up_numbers(std::span<const double> y, std::span<const double> weight,
                    std::vector<Side>& side, ColumnBest& best) {
    if (best.split.missing_rows > 0) {
        std::vector<Side> part(side.size());
        const auto add_part = [&](auto holds, SideSums& to) {
            std::ranges::transform(side, part.begin(),
                                   [&](Side s) { return holds(s) ? Side{0} : Side{-1}; });
            add_numbers<Side>(y, weight, part, std::span(&to, 1));
        };
        add_part([](Side s) { return s < 0; }, best.missing);
        if (best.missing_side < 0) {
            best.left_out = best.missing;
            add_part([](Side s) { return s >= 0; }, best.counted);
        }
        for (auto& s : side) s = s < 0 ? static_cast<Side>(best.missing_side) : s;
    }
    add_sides<Side>(y, weight, side, best.sides);
}

template <class Side>
void add_rows(const Workspace<Index>& workspace, const WorkColumn<Index>& column,
              std::span<const double> y, ColumnBest& best) {
    std::vector<Side> side(workspace.rows.size());
    fill_sides(column, best.split, side);
    if (workspace.targets.is_classification()) {
        add_classes(workspace.targets, side, best);
    } else {
        add_up_numbers(y, workspace.targets.weight, side, best);
    }
}

}  // namespace

std::vector<SideSums> number_sides(std::span<const double> y, std::span<const double> weight,
                                   std::span<const std::int32_t> side, std::size_t n_sides) {
    std::vector<SideSums> out(n_sides);
    add_sides(y, weight, side, std::span(out));
    return out;
}

void add_up_sides(const Workspace<Index>& workspace, const NodeView& node,
                  const WorkColumn<Index>& column, const Settings& settings,
                  std::span<const double> y, ColumnBest& best) {
    const auto& targets = workspace.targets;
    best.missing_side = missing_side(settings, best.split);
    const bool own_side = best.missing_side == static_cast<int>(best.split.n_children);
    best.sides.resize(best.split.n_children + (own_side ? 1 : 0));
    if (!targets.is_classification() && y.empty()) return;
    if (targets.is_classification() && targets.counts_rows() && !column.counted &&
        best.split.kind == SplitKind::threshold) {
        count_two_sides(targets, node, column, best);
    } else if (best.sides.size() < 100) {
        add_rows<std::int8_t>(workspace, column, y, best);  // bytes stay in the cache
    } else {
        add_rows<std::int32_t>(workspace, column, y, best);
    }
}

}  // namespace treewright
