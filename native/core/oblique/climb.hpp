// Combinations of columns, improved step by step.
//
// All columns have mean 0 and deviation 1 here, and missing values are filled with the mean: this
// is a search for promising directions. What a split is worth is computed later, on the original
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/arithmetic/random.hpp"
#include "core/oblique/cuts.hpp"
#include "core/oblique/node_columns.hpp"

namespace treewright::oblique {

// Rows with sum of slope * value <= threshold lie on the left.
struct Combination {
    bool found = false;
    double score = 0.0;
    double threshold = 0.0;
    std::vector<std::uint32_t> terms;  // places in NodeColumns
    std::vector<double> slopes;
};

class Climber {
public:
    Climber(const NodeColumns& columns, const NodeTarget& target, std::uint64_t seed,
            std::uint64_t part, std::function<void()> check);

    // The best cut of one column.
    Combination single(std::uint32_t column);

    // The best cut of a sum, then moved uphill coefficient by coefficient and by random jumps.
    Combination polished(std::vector<std::uint32_t> terms, std::vector<double> slopes, int n_jumps);

    // The combination with one more term, that of the best column; not yet polished.
    Combination extended(const Combination& from, std::span<const std::uint32_t> columns);

    double unsplit() const { return unsplit_; }
    double tolerance() const { return tolerance_; }

private:
    Combination cut(std::vector<std::uint32_t> terms, std::vector<double> slopes);
    bool climb_once(Combination& best);
    bool jump(Combination& best);
    void set_distances(const Combination& of);

    const NodeColumns& columns_;
    SplitTally all_right_;
    double unsplit_, tolerance_;
    Random random_;
    std::function<void()> check_;
    std::vector<double> sums_, slopes_of_rows_;
    RowOrder scratch_;
};

}  // namespace treewright::oblique
