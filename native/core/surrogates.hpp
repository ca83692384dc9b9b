// Surrogate splits: other columns that repeat the sides of a two-way split, for rows that miss it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/column_search.hpp"

namespace treewright {

// How the rows of one value fell under the primary split.
struct SidesOfValue {
    std::uint32_t code = 0;
    std::uint32_t a_row = 0;
    double weight[2] = {0, 0};
    std::int64_t rows_of_side[2] = {0, 0};
    std::int64_t rows = 0;  // of those that know the primary column too
    bool present = false;
};

inline constexpr std::uint8_t side_unknown = 2;

// The values of a column in order, with the sides of the rows that know both columns. Thresholds
// may lie between any two values, also of rows that miss the primary column.
template <class Index>
std::vector<SidesOfValue> sides_by_value(const Workspace<Index>& workspace, const NodeView& node,
                                         const WorkColumn<Index>& column,
                                         const std::vector<std::uint8_t>& side) {
    std::vector<SidesOfValue> values;
    const auto add = [&](SidesOfValue& value, std::size_t row) {
        value.present = true;
        if (side[row] == side_unknown) return;
        value.weight[side[row]] += workspace.targets.weight_of(row);
        ++value.rows_of_side[side[row]];
        ++value.rows;
    };
    if (column.counted) {
        std::vector<SidesOfValue> by_code(column.n_codes());
        for (std::size_t i = node.begin; i < node.end; ++i) {
            const auto row = workspace.rows[i];
            if (column.codes[row] == missing_code) continue;
            auto& value = by_code[column.codes[row]];
            value.code = column.codes[row];
            value.a_row = row;
            add(value, row);
        }
        std::ranges::copy_if(by_code, std::back_inserter(values),
                             &SidesOfValue::present);
        return values;
    }
    for (std::size_t i = node.begin; i < node.end; ++i) {
        const auto& element = column.sorted[i];
        if (element.rank == missing_rank<Index>) break;
        if (values.empty() || values.back().code != element.rank) {
            values.push_back({element.rank, element.row});
        }
        add(values.back(), element.row);
    }
    return values;
}

struct SurrogateCut {
    double agreement = 0;  // weight sent to the same side
    std::size_t last_left = 0;
    bool flip = false;
};

// A surrogate threshold must send at least two rows each way.
inline constexpr std::int64_t min_surrogate_rows = 2;

inline SurrogateCut best_surrogate_cut(const std::vector<SidesOfValue>& values) {
    double total[2] = {0, 0};
    std::int64_t n_rows = 0;
    for (const auto& value : values) {
        total[0] += value.weight[0];
        total[1] += value.weight[1];
        n_rows += value.rows;
    }
    SurrogateCut best;
    double left[2] = {0, 0};
    std::int64_t left_rows = 0;
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        left[0] += values[i].weight[0];
        left[1] += values[i].weight[1];
        left_rows += values[i].rows;
        if (left_rows < min_surrogate_rows) continue;
        if (n_rows - left_rows < min_surrogate_rows) break;
        const double straight = left[0] + (total[1] - left[1]);
        const double flipped = left[1] + (total[0] - left[0]);
        const double slack = 1e-12 * (total[0] + total[1]);
        if (straight > best.agreement + slack) best = {straight, i, false};
        if (flipped > best.agreement + slack) best = {flipped, i, true};
    }
    return best;
}

struct SurrogateLevels {
    double agreement = 0;
    std::int64_t disagreeing_rows = 0;
    std::vector<int> child;  // of each value
};

// Each level goes where most of its rows went; a tied one where most rows of the column went, and
// if these tie too to the side of the larger mean target.
inline SurrogateLevels best_surrogate_levels(const std::vector<SidesOfValue>& values,
                                             int side_of_larger_mean) {
    double total[2] = {0, 0};
    for (const auto& value : values) {
        total[0] += value.weight[0];
        total[1] += value.weight[1];
    }
    const int heavier = total[0] > total[1]   ? 0
                        : total[0] < total[1] ? 1
                                              : side_of_larger_mean;
    SurrogateLevels levels;
    for (const auto& value : values) {
        const int child = value.weight[0] > value.weight[1]   ? 0
                          : value.weight[0] < value.weight[1] ? 1
                                                              : heavier;
        levels.agreement += value.weight[child];
        levels.disagreeing_rows += value.rows_of_side[1 - child];
        levels.child.push_back(child);
    }
    return levels;
}

// The surrogates of a split, best first: those that beat sending every row to the heavier side.
template <class Index>
std::vector<Surrogate> find_surrogates(const Context& context, const Workspace<Index>& workspace,
                                       const NodeView& node, std::uint32_t primary,
                                       std::span<const std::uint32_t> active,
                                       const std::vector<std::uint8_t>& side) {
    const auto& targets = workspace.targets;
    double total[2] = {0, 0}, sum[2] = {0, 0};
    for (std::size_t i = node.begin; i < node.end; ++i) {
        const auto row = workspace.rows[i];
        if (side[row] == side_unknown) continue;
        const double w = targets.weight_of(row);
        total[side[row]] += w;
        sum[side[row]] += w * (targets.is_classification() ? targets.classes[row] : targets.y[row]);
    }
    const int larger_mean = sum[0] * total[1] > sum[1] * total[0] ? 0 : 1;
    const double known = total[0] + total[1];
    const double by_majority = std::max(total[0], total[1]) + 1e-9 * known;
    std::vector<Surrogate> found;
    for (const auto place : active) {
        if (place == primary) continue;
        const auto& column = workspace.columns[place];
        const auto& view = context.views[static_cast<std::size_t>(column.column)];
        const auto values = sides_by_value(workspace, node, column, side);
        Surrogate surrogate;
        surrogate.feature = column.column;
        double agreement = 0.0;
        if (view.is_nominal()) {
            const auto levels = best_surrogate_levels(values, larger_mean);
            agreement = levels.agreement;
            if (levels.disagreeing_rows < context.settings.min_surrogate_disagreement) continue;
            surrogate.kind = SplitKind::subset;
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (values[i].rows == 0) continue;
                surrogate.level_code.push_back(
                    column.counted ? column.levels[values[i].code]
                                   : view.code(workspace.origin[values[i].a_row]));
                surrogate.level_child.push_back(levels.child[i]);
            }
        } else {
            const auto cut = best_surrogate_cut(values);
            agreement = cut.agreement;
            if (agreement <= by_majority) continue;
            const auto value_of = [&](const SidesOfValue& value) {
                return column.counted ? column.values[value.code]
                                      : view.number(workspace.origin[value.a_row]);
            };
            surrogate.threshold = threshold_between(value_of(values[cut.last_left]),
                                                    value_of(values[cut.last_left + 1]));
            surrogate.flip = cut.flip;
        }
        if (agreement <= by_majority) continue;
        surrogate.agreement = agreement / known;
        found.push_back(std::move(surrogate));
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Surrogate::agreement);
    const auto limit = static_cast<std::size_t>(context.settings.max_surrogates);
    if (found.size() > limit) found.resize(limit);
    return found;
}

}  // namespace treewright
