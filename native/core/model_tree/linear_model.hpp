// Least squares on some of the terms of a node: those that are worth including.
#pragma once

#include "core/model_tree/model_tree.hpp"

namespace treewright::model_tree {

struct LinearModel {
    double intercept = 0.0;
    std::vector<Term> terms;
    std::vector<double> coefficients;
    double squares = 0.0;  // weight times square of what the model leaves, summed up

    std::int64_t n_parameters() const { return static_cast<std::int64_t>(terms.size()) + 1; }
};

// How much larger than on its own rows the error of a model is expected to be.
double error_factor(double weight, double n_parameters, double penalty);

// The model of the rows by what `settings.terms` keeps of the `terms`, which are in order. A term
// that earlier ones determine is left out.
LinearModel fit_linear_model(const TrainingRows& rows, std::span<const std::uint32_t> members,
                             std::span<const Term> terms, const ModelTreeSettings& settings,
                             const std::function<void()>& check);

}  // namespace treewright::model_tree
