// How much the targets of a node differ.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/model_tree/model_tree.hpp"

namespace treewright::model_tree {

// Numbers below count as nothing; above, the root is good to the last bits. Without a branch or a
// division, so that several are computed at once.
inline double fifth_root(double x) {
    constexpr double least = 0x1p-1000;
    constexpr double six_fifths_of_one = 1.2 * 0x3ff0000000000000;
    const double bounded = x > least ? x : least;
    // A fifth of the bits of a number is roughly a fifth of its logarithm.
    const auto bits = static_cast<double>(std::bit_cast<std::int64_t>(bounded));
    double inverse =
        std::bit_cast<double>(static_cast<std::int64_t>(six_fifths_of_one - 0.2 * bits));
    for (int step = 0; step < 5; ++step) {  // Newton's: 0.05, 8e-3, 2e-4, 9e-8, 2e-14, rounding
        const double square = inverse * inverse;
        inverse *= 1.2 - 0.2 * (bounded * (square * square * inverse));
    }
    const double square = inverse * inverse;
    return x > least ? bounded * (square * square) : 0.0;
}

// The square root or the fifth root of a variance, by arithmetic that is the same everywhere.
inline double spread_of(double variance, Criterion criterion) {
    return criterion == Criterion::fifth_root ? fifth_root(variance) : std::sqrt(variance);
}

}  // namespace treewright::model_tree
