// What one row costs, and which way its scores should go.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/arithmetic/portable_math.hpp"

namespace treewright::linear {

enum class LinearLoss : std::uint8_t {
    squared_error,  // half the square of score - target
    logistic,       // targets 0 and 1, the score is the log odds
    multinomial,    // targets are numbers of classes, one score for each
};

// Scores become probabilities; the logarithm of what they are divided by is given back.
inline double softmax(std::span<double> scores) {
    double largest = scores[0];
    for (const double score : scores) largest = std::max(largest, score);
    for (double& score : scores) score = fast_exp(score - largest);
    double sum = 0;
    for (const double power : scores) sum += power;
    for (double& score : scores) score /= sum;
    return log_of(sum) + largest;
}

// Puts the slope of the cost by each score in the place of the score, and gives the cost.
inline double cost_and_slopes(LinearLoss loss, double target, std::span<double> scores) {
    switch (loss) {
        case LinearLoss::squared_error: {
            const double error = scores[0] - target;
            scores[0] = error;
            return 0.5 * error * error;
        }
        case LinearLoss::logistic: {
            // log(1 + exp(score)) - target x score, without large powers
            const double score = scores[0];
            const double small = fast_exp(-std::abs(score));
            scores[0] = (score >= 0 ? 1.0 : small) / (1.0 + small) - target;
            return log1p_of(small) + std::max(score, 0.0) - target * score;
        }
        case LinearLoss::multinomial: break;
    }
    const auto own = static_cast<std::size_t>(target);
    const double own_score = scores[own];
    const double cost = softmax(scores) - own_score;
    scores[own] -= 1.0;
    return cost;
}

}  // namespace treewright::linear
