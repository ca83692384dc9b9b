// What the trees of a forest predict: how rows are summed, and how good sums are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/histogram/gradients.hpp"

namespace treewright::histogram {

// Numbers, or two classes as 0 and 1: the sum of the target and of the weight in one word. For two
// classes least squares and the Gini index choose the same splits.
class SumTarget {
public:
    using Word = Sum;
    static constexpr std::size_t width() { return 1; }

    static void add(Word* tally, Traveller row) { *tally += sum_of(row); }
    static double weight(const Word* tally) { return hessian_of(*tally); }
    static double squares(const Word* tally) {
        const double sum = gradient_of(*tally);
        return sum * sum;
    }
    static double mean(const Word* tally, const Word*) {
        return gradient_of(*tally) / hessian_of(*tally);
    }
};

// Several classes: a weight for each. A row travels with its class above and its weight below.
class ClassesTarget {
public:
    using Word = std::uint32_t;
    explicit ClassesTarget(std::size_t n_classes) : n_classes_(n_classes) {}
    std::size_t width() const { return n_classes_; }

    static void add(Word* tally, Traveller row) {
        tally[row >> 16 & 0xFFFF] += static_cast<std::uint32_t>(row & 0xFFFF);
    }
    double weight(const Word* tally) const {
        double weight = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) weight += tally[c];
        return weight;
    }
    double squares(const Word* tally) const {
        double squares = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) squares += static_cast<double>(tally[c]) * tally[c];
        return squares;
    }
    // The share of the class that is most frequent in the node: levels are tried in this order.
    double mean(const Word* tally, const Word* node) const {
        std::size_t largest = 0;
        for (std::size_t c = 1; c < n_classes_; ++c) {
            if (node[c] > node[largest]) largest = c;
        }
        return tally[largest] / weight(tally);
    }

private:
    std::size_t n_classes_;
};

}  // namespace treewright::histogram
