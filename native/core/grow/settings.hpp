// What the grower is asked to do: the parts of a tree algorithm, as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace treewright {

enum class Measure : std::uint8_t {
    entropy,
    gini,
    cost_gini,
    chi_square,
    squared_error,
    absolute_error,
    poisson,
    custom,
};

enum class NominalSplit : std::uint8_t { branches, subset, one_vs_rest };
enum class NumericSplit : std::uint8_t { threshold, intervals };
enum class MissingPolicy : std::uint8_t { fractional, surrogate, learned, branch, majority, stop };

// Impurity of one node from its class weights; may call back into another language.
using CustomImpurity = std::function<double(std::span<const double>)>;

struct Settings {
    Measure measure = Measure::gini;
    bool gain_ratio = false;  // choose among columns by gain / split information
    NominalSplit nominal = NominalSplit::subset;
    NumericSplit numeric = NumericSplit::threshold;
    MissingPolicy missing = MissingPolicy::majority;
    int max_intervals = 0;  // 0: as many as the description length allows
    int max_surrogates = 0;
    std::vector<int> without_surrogates;  // columns whose splits need none: no value is missing
    int min_surrogate_disagreement = 0;  // rows; rpart asks for two where the column is nominal
    int n_competitors = 4;

    std::int64_t max_depth = INT64_MAX;
    std::int64_t max_leaf_nodes = INT64_MAX;
    std::int64_t max_splits = INT64_MAX;
    double min_samples_split = 2;
    double min_samples_leaf = 1;
    double min_weight_leaf = 0;
    // C4.5: the limits above are sums of weight, and each side of a cut holds at least
    // min(25, 10 % of the known weight / number of classes).
    bool limits_by_weight = false;
    // Weights are whole numbers: a row of weight k counts as k rows in every limit.
    bool weights_are_counts = false;
    bool sizes_are_weights() const { return limits_by_weight || weights_are_counts; }
    bool has_min_gain = false;
    double min_gain = 0;
    // A node of no more risk is not split: misclassified weight, or impurity x weight for numbers.
    // Below 0: none is too small.
    double min_risk = -1;
    double significance = 1;  // largest p-value of a split; 1: no test
    double error_z = -1;      // forward pruning: normal quantile of the confidence; < 0: off
    double error_confidence = 0;

    bool use_once = false;               // ID3: a column at most once on a path
    bool average_gain_filter = false;    // C4.5, rule 5
    std::size_t rows_in_table = 0;       // that rule 5 calls many levels by; 0: those given
    bool mdl_correction = false;         // C4.5, rule 3
    bool data_value_thresholds = false;  // C4.5, rule 3
    bool j48_gaps = false;               // J48: no cut between neighbors closer than 1e-5
    std::vector<int> column_order;  // take the first usable column of this list; empty: the best

    std::vector<double> costs;         // n_classes x n_classes, true class by predicted class
    std::vector<double> class_factor;  // multiplies class weights in scores (altered priors)
    CustomImpurity custom;

    std::size_t max_features = 0;  // columns drawn for each node; 0: all
    std::uint64_t seed = 0;        // of that draw

    bool best_first() const { return max_leaf_nodes != INT64_MAX || max_splits != INT64_MAX; }
};

}  // namespace treewright
