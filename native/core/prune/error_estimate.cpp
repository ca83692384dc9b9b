#include "core/prune/error_estimate.hpp"

#include "core/grow/stopping.hpp"

namespace treewright {

double ErrorEstimate::errors(const double* class_weights, std::size_t predicted) const {
    const std::size_t k = n_classes();
    double sum = 0.0;
    for (std::size_t c = 0; c < k; ++c) {
        if (!settings_.price.empty()) {
            sum += settings_.price[c * k + predicted] * class_weights[c];
        } else if (c != predicted) {
            sum += settings_.unit[c] * class_weights[c];
        }
    }
    return sum;
}

std::size_t ErrorEstimate::prediction(const double* class_weights) const {
    const auto merit = [&](std::size_t c) {
        return settings_.price.empty() ? settings_.unit[c] * class_weights[c]
                                       : -errors(class_weights, c);
    };
    std::size_t best = 0;
    double highest = merit(0);
    for (std::size_t c = 1; c < n_classes(); ++c) {
        const double other = merit(c);
        if (other <= highest) continue;
        highest = other;
        best = c;
    }
    return best;
}

double ErrorEstimate::weight(const double* class_weights) const {
    double total = 0.0;
    for (std::size_t c = 0; c < n_classes(); ++c) total += settings_.unit[c] * class_weights[c];
    return total;
}

double ErrorEstimate::of_prediction(const double* class_weights, std::size_t predicted) const {
    return pessimistic_errors(weight(class_weights), errors(class_weights, predicted),
                              settings_.confidence, settings_.z);
}

}  // namespace treewright
