// A table, its target and its weights that Python gives, as the growers read them.
#pragma once

#include <cstdint>

#include "bindings/arrays.hpp"
#include "bindings/borrowed_columns.hpp"
#include "bindings/folder.hpp"
#include "core/grow/grow.hpp"

namespace treewright::bindings {

// The arrays stay borrowed as long as this lives.
struct BorrowedTraining {
    Buffer target;
    BorrowedWeights weight;
    BorrowedColumns columns;
    TrainingData data;

    BorrowedTraining(const nb::list& given, nb::handle given_target, nb::handle given_weight,
                     std::size_t n_classes, nb::handle folder)
        : target(given_target, "target"),
          weight(given_weight, target.length(0)),
          columns(given, target.length(0)) {
        data.n_rows = target.length(0);
        data.n_classes = n_classes;
        data.weight = weight.values;
        data.columns = columns.views;
        data.folder = folder_of(folder);
        require(data.n_rows > 0 && data.n_rows < UINT32_MAX - 1,
                "rows: at least one, at most 2^32 - 3");
        require(n_classes <= UINT16_MAX, "target: at most 65,535 classes");
        if (n_classes == 0) {
            data.y = target.elements<double>();
            return;
        }
        data.classes = target.elements<std::int32_t>();
        for (const auto cls : data.classes) {
            require(cls >= 0 && static_cast<std::size_t>(cls) < n_classes,
                    "target: a class out of range");
        }
    }
};

// What a measure needs of the classes.
inline void check_settings(const Settings& settings, std::size_t n_classes) {
    require(
        settings.measure != Measure::cost_gini || settings.costs.size() == n_classes * n_classes,
        "costs: one for each pair of classes");
    require(settings.class_factor.empty() || settings.class_factor.size() == n_classes,
            "class_factor: one for each class");
}

}  // namespace treewright::bindings
