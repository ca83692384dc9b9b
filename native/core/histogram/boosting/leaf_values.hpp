// The leaf values of a boosted tree, and the scores that they are added to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/arithmetic/order_free_sum.hpp"
#include "core/histogram/boosting/gradient_split.hpp"
#include "core/histogram/packed/packed_trees.hpp"
#include "core/histogram/row_order.hpp"

namespace treewright::histogram {

// For losses whose derivatives say too little of the best value of a leaf: it is then computed from
// the rows' residuals, target - score.
enum class Renewal : std::uint8_t { none, quantile, huber };

struct LeafRenewal {
    Renewal kind = Renewal::none;
    double parameter = 0.5;  // the quantile; of Huber, the residual from which the loss is linear
    std::span<const double> target;
};

struct FinishedLeaf {
    std::uint32_t slot = 0;
    RowOrder::Range range;
    RowOrder::Range asked;  // the rows that its value is computed from: its own, or an ancestor's
    Bounds bounds;
    std::uint32_t node = 0;  // as rows that are elsewhere call it
};

// Sums over the rows of a leaf, of derivatives as they were before rounding. Those of parts of the
// rows add up, with the same `largest` and number of rows in all.
struct LeafSums {
    WholeSum gradient, hessian, weight;

    LeafSums& operator+=(const LeafSums& other) {
        gradient += other.gradient;
        hessian += other.hessian;
        weight += other.weight;
        return *this;
    }
    LeafSums& operator-=(const LeafSums& other) {
        gradient -= other.gradient;
        hessian -= other.hessian;
        weight -= other.weight;
        return *this;
    }
};

// Adds the rows of a leaf.
LeafSums add_up_rows(std::span<const Traveler> rows, const Gradients& gradients,
                     const LargestGradients& largest, std::size_t n_rows_of_all);

// `leaf_of_row` holds the number of each row's leaf, or the largest number for none.
template <class LeafNumber>
std::vector<LeafSums> add_up_leaves(const std::vector<LeafNumber>& leaf_of_row,
                                    const Gradients& gradients, const LargestGradients& largest,
                                    std::size_t n_leaves, int n_threads);

class LeafValues {
public:
    LeafValues(const BinnedTable& table, const SplitLimits& limits, double learning_rate,
               int n_threads)
        : table_(table), limits_(limits), learning_rate_(learning_rate), n_threads_(n_threads) {}

    // Fills in the leaves of the tree and adds their values to the scores of all rows of the
    // table: rows that the tree was not grown on go down it.
    void settle(const Gradients& gradients, const Units& units, const LeafRenewal& renewal,
                const RowOrder& order, std::span<const FinishedLeaf> leaves,
                std::span<double> scores, PackedTree& tree);

    // Fills in the leaves of a tree from sums over rows that are elsewhere; with `renewed`, their
    // values are these.
    void settle(std::span<const LeafSums> sums, const LargestGradients& largest, bool weighted,
                std::span<const double> renewed, std::span<const FinishedLeaf> leaves,
                PackedTree& tree) const;

private:
    struct LeafTotals {
        double gradient = 0, hessian = 0, weight = 0;
    };
    template <class LeafNumber>
    void settle_as(std::vector<LeafNumber>& leaf_of_row, const Gradients& gradients,
                   const Units& units, const LeafRenewal& renewal, const RowOrder& order,
                   std::span<const FinishedLeaf> leaves, std::span<double> scores,
                   PackedTree& tree);
    template <class LeafNumber>
    void note_leaves(const RowOrder& order, std::span<const FinishedLeaf> leaves,
                     std::vector<LeafNumber>& leaf_of_row) const;
    std::vector<LeafTotals> totals_of(std::span<const LeafSums> sums,
                                      const LargestGradients& largest,
                                      std::span<const FinishedLeaf> leaves) const;
    static void write_rows(std::span<const FinishedLeaf> leaves, std::span<const LeafTotals> totals,
                           bool weighted, PackedTree& tree);
    double best_value(const LeafTotals& asked) const;
    double value_of(double best, const FinishedLeaf& leaf) const;

    const BinnedTable& table_;
    SplitLimits limits_;
    double learning_rate_;
    int n_threads_;
    std::vector<std::uint16_t> leaf_of_row_;
    std::vector<std::uint32_t> leaf_of_row_of_many_;
};

// The values of leaves from the residuals of their rows. `leaf_of_row` holds the number of each
// row's leaf, or a larger one for none.
std::vector<double> renewed_values(std::span<const FinishedLeaf> leaves,
                                   std::span<const std::uint32_t> leaf_of_row,
                                   const LeafRenewal& renewal, std::span<const double> weight,
                                   std::span<const double> scores, int n_threads);

// The smallest residual with at least the share q of weight at or below it; the mean of it and the
// next where the share is met exactly, as in a median of an even number of rows.
struct WeightedValue {
    double value, weight;
};
double weighted_quantile(std::vector<WeightedValue>& values, double q);

// The number of the leaf that a row of the table comes to.
std::uint32_t leaf_of(const PackedTree& tree, const BinnedTable& table, std::size_t row);

}  // namespace treewright::histogram
