// What a search for splits hands around.
#pragma once

#include <cstdint>
#include <vector>

#include "core/histogram/boosting/gradient_split.hpp"

namespace treewright::histogram {

// The places where a column may be cut: after each of n bins in some order. Sums and numbers of
// rows are of all bins up to there; `extra` are rows that may go to either side, those with no
// value.
struct SplitSearch::Cuts {
    int first = 0, n = 0;  // cuts before `first` are left out
    int direction = 0;
    double l2 = 0;
    const Sum* sums = nullptr;
    const std::uint32_t* rows = nullptr;  // null: not counted
    Sum extra = 0;
    double extra_rows = 0;
};

// The two sides of a cut: their sums of gradients, and of second derivatives with L2 added.
template <class Number>
struct CutSides {
    Number left, right, left_hessian, right_hessian;

    // left^2 / left_hessian + right^2 / right_hessian: what the loss falls by, twice.
    Number strength() const { return numerator() / denominator(); }
    bool beats(Number bar) const { return numerator() > bar * denominator(); }  // no division

private:
    Number numerator() const { return left * left * right_hessian + right * right * left_hessian; }
    Number denominator() const { return left_hessian * right_hessian; }
};

struct SplitSearch::Found {
    double strength;  // to beat: of both children together
    double open = 0;  // the best of those with perhaps too few rows on a side
    int n_left = 0;   // bins on the left; 0: nothing found
    bool missing_left = false;
};

// Levels in the order in which they are cut; the others are among the extra rows.
struct SplitSearch::Levels {
    std::vector<std::uint32_t> order;
    std::vector<Sum> sums;  // up to each
};

}  // namespace treewright::histogram
