// Derivatives of losses by the score, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/parallel/cancellation.hpp"

namespace treewright::histogram {

enum class Loss : std::uint8_t {
    squared_error,   // half the square
    absolute_error,  // second derivative 1, as for all that have none: leaves are renewed
    huber,           // parameter: the residual from which it is linear
    quantile,        // parameter: the share
    poisson,         // the score is the logarithm of the mean; so for the next two
    gamma,
    tweedie,      // parameter: the power, from 1 to 2
    logistic,     // targets 0 and 1, the score is the log odds
    multinomial,  // targets are numbers of classes, scores go class by class
};

// Fills both derivatives, each times the row's weight (empty: 1). `second` may be empty where it is
// 1 for every row. Arrays of multinomial hold n_classes times as many numbers, class by class.
struct LossRows {
    std::span<const double> target;
    std::span<const std::int32_t> codes;  // of classes, instead of targets
    std::span<const double> scores;
    std::span<const double> weight;
    std::size_t n_rows() const { return codes.empty() ? target.size() : codes.size(); }
};
// `check` may throw to cancel.
void loss_gradients(Loss loss, double parameter, const LossRows& rows, std::span<double> first,
                    std::span<double> second, int n_threads, const Check& check);

}  // namespace treewright::histogram
