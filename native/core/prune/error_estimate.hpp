// What a leaf is expected to cost new rows, from the class weights of its training rows.
#pragma once

#include <cstddef>
#include <span>

namespace treewright {

struct ErrorSettings {
    double confidence;              // of the upper limit of a leaf's errors
    double z;                       // its normal quantile
    std::span<const double> unit;   // what a row of weight 1 of each class counts
    std::span<const double> price;  // what it counts as an error if j is predicted; empty: its unit
};

// C4.5's upper limit of the errors, in the units of the settings.
class ErrorEstimate {
public:
    explicit ErrorEstimate(const ErrorSettings& settings) : settings_(settings) {}

    std::size_t n_classes() const { return settings_.unit.size(); }
    std::size_t prediction(const double* class_weights) const;
    double of_leaf(const double* class_weights) const {
        return of_prediction(class_weights, prediction(class_weights));
    }
    double of_prediction(const double* class_weights, std::size_t predicted) const;

    // What the rows count, and what they count as errors if this class is predicted.
    double weight(const double* class_weights) const;
    double errors(const double* class_weights, std::size_t predicted) const;

private:
    ErrorSettings settings_;
};

}  // namespace treewright
