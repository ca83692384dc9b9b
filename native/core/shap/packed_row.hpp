// Shapley values by training weight for one row of an ensemble, from its packed trees.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/histogram/packed/packed_ensemble.hpp"
#include "core/parallel/cancellation.hpp"
#include "core/predict/rows.hpp"

namespace treewright {

// The number that is explained. If leaves have one value, tree i predicts output i % n_outputs
// alone; else every leaf has a share or a vote for each output.
struct ExplainedOutput {
    histogram::LeafPrediction prediction = histogram::LeafPrediction::value;
    std::size_t n_outputs = 1;
    std::size_t output = 0;
};

struct RowParts {
    double base = 0.0;          // what all trees add up to if no column is known
    std::vector<double> parts;  // of each column
};

// The parts of the first row, added up over the trees; nothing if a tree is of a kind that only
// ShapTree can take: very deep, or without training weight below a node where leaves have classes.
std::optional<RowParts> shap_of_row(const histogram::PackedEnsemble& ensemble, const Rows& rows,
                                    const ExplainedOutput& explained, int n_threads,
                                    const Check& check);

}  // namespace treewright
