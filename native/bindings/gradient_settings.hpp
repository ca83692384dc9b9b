// Whether settings of gradient trees go with a table.
#pragma once

#include "bindings/arrays.hpp"
#include "core/histogram/boosting/gradient_tree.hpp"

namespace treewright::bindings {

inline void check_settings(const histogram::GradientTreeSettings& settings,
                           const histogram::BinnedTable& table) {
    require(settings.max_leaf_nodes >= 1 && settings.limits.min_samples_leaf >= 0,
            "max_leaf_nodes, min_samples_leaf: too small");
    const auto& monotone = settings.monotone;
    require(monotone.empty() || monotone.size() == table.n_columns,
            "monotone: one direction for each column");
    for (std::size_t c = 0; c < monotone.size(); ++c) {
        require(monotone[c] >= -1 && monotone[c] <= 1, "monotone: -1, 0 or 1");
        require(monotone[c] == 0 || !table.columns[c].nominal,
                "monotone: a column of levels without order has no direction");
    }
    for (const auto& group : settings.columns.interactions) {
        for (const std::int32_t column : group) {
            require(column >= 0 && static_cast<std::size_t>(column) < table.n_columns,
                    "interactions: no column of this number");
        }
    }
}

}  // namespace treewright::bindings
