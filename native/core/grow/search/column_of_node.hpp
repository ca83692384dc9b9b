// One column of one node: what every search for a split on it shares.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/grow/search/candidate.hpp"
#include "core/grow/search/node_groups.hpp"
#include "core/grow/search/search_scratch.hpp"
#include "core/grow/workspace.hpp"

namespace treewright {

template <class Index>
struct ColumnOfNode {
    ColumnOfNode(const Context& all, const Workspace<Index>& rows, const NodeView& of,
                 std::uint32_t at, SearchScratch<Index>& space)
        : context(all),
          settings(all.settings),
          workspace(rows),
          targets(rows.targets),
          node(of),
          place(at),
          column(rows.columns[at]),
          view(all.views[static_cast<std::size_t>(column.column)]),
          scratch(space),
          reader(all.settings, rows, of, column, space) {}

    bool learns() const { return settings.missing == MissingPolicy::learned; }
    bool branches() const { return settings.missing == MissingPolicy::branch; }
    bool absolute() const { return settings.measure == Measure::absolute_error; }

    // The value at a place of a source: see cut_source.hpp.
    template <class Source>
    double value_at(const Source& source, std::size_t i) const {
        if (column.counted && !column.binned) return column.values[source.code(i)];
        return view.number(workspace.origin[source.row(i)]);
    }

    // ---------------------------------------------------------------- limits

    double known_weight() const { return node.weight - scratch.groups.missing_weight; }

    double min_side_rows() const {
        return settings.sizes_are_weights() ? 1 : settings.min_samples_leaf;
    }

    double min_side_weight() const {
        if (!settings.sizes_are_weights()) return settings.min_weight_leaf;
        double least = settings.min_samples_leaf;
        if (settings.limits_by_weight && !view.is_nominal() && targets.is_classification()) {
            const double share = 0.1 * known_weight() / static_cast<double>(targets.n_classes);
            least = std::max(least, std::min(25.0, share));
        }
        return std::max(least, settings.min_weight_leaf);
    }

    // ---------------------------------------------------------------- the score of a column

    // `weights`: known raw weight of each child.
    void finish(Candidate& candidate, double gain, std::vector<double>& weights, int missing_child,
                std::int64_t n_cuts) const {
        candidate.gain = std::max(0.0, gain / node.score_weight);
        candidate.n_cuts = n_cuts;
        if (settings.mdl_correction && !view.is_nominal() && n_cuts > 0) {
            candidate.gain -= log2_of(static_cast<double>(n_cuts)) / node.weight;
        }
        candidate.valid =
            !settings.has_min_gain || candidate.gain > settings.min_gain + 1e-12 * node.impurity;
        candidate.usable = candidate.valid || view.is_nominal();
        candidate.score = candidate.gain;
        if (settings.measure == Measure::chi_square) candidate.score *= node.score_weight;
        if (!settings.gain_ratio) return;
        const double missing = scratch.groups.missing_weight;
        if (missing_child >= 0) {
            weights[static_cast<std::size_t>(missing_child)] += missing;
        } else if (missing > 0) {
            weights.push_back(missing);
        }
        double information = 0.0;
        for (const double w : weights) information -= x_log2_x(w / node.weight);
        candidate.score = information > 0 ? candidate.gain / information : 0.0;
    }

    const Context& context;
    const Settings& settings;
    const Workspace<Index>& workspace;
    const Targets& targets;
    const NodeView& node;
    std::uint32_t place;
    const WorkColumn<Index>& column;
    const ColumnView& view;
    SearchScratch<Index>& scratch;
    NodeGroups<Index> reader;
};

}  // namespace treewright
