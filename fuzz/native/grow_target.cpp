// Growth on a fuzzed table with fuzzed settings: the tree is sound, does not depend on threads, and
// sends every training row where growth counted it.
#include <memory>
#include <vector>

#include "core/grow/grow.hpp"
#include "core/predict/predict.hpp"
#include "fuzzed_input.hpp"
#include "fuzzed_table.hpp"

using namespace treewright;
using fuzzing::as_index;
using fuzzing::demand;
using fuzzing::FuzzedInput;
using fuzzing::FuzzedTable;

namespace {

struct FuzzedTargets {
    std::size_t n_classes = 0;
    std::vector<std::int32_t> classes;
    std::vector<double> y, weight;

    FuzzedTargets(FuzzedInput& input, std::size_t n_rows) : n_classes(input.from_to(0, 4)) {
        const bool has_weights = input.coin();
        for (std::size_t row = 0; row < n_rows; ++row) {
            if (n_classes > 0) {
                classes.push_back(static_cast<std::int32_t>(input.from_to(0, n_classes - 1)));
            } else {
                y.push_back(input.moderate(0, 1e300));
            }
            if (!has_weights) continue;
            const double size = std::abs(input.moderate(1e-30, 1e30));
            weight.push_back(size > 0 ? size : 1.0);
        }
    }
};

void choose_limits(FuzzedInput& input, Settings& settings, std::size_t n_columns) {
    settings.max_depth = static_cast<std::int64_t>(input.from_to(1, 12));
    if (input.coin()) settings.max_leaf_nodes = static_cast<std::int64_t>(input.from_to(1, 20));
    if (input.coin()) settings.max_splits = static_cast<std::int64_t>(input.from_to(0, 20));
    settings.min_samples_leaf = static_cast<double>(input.from_to(1, 5));
    settings.min_samples_split = static_cast<double>(input.from_to(2, 8));
    settings.min_weight_leaf = static_cast<double>(input.from_to(0, 3));
    settings.has_min_gain = input.coin();
    settings.min_gain = std::abs(input.moderate(0, 10));
    settings.limits_by_weight = input.coin();
    settings.use_once = input.coin();
    settings.max_features = input.coin() ? input.from_to(1, n_columns) : 0;
    settings.seed = input.take<std::uint64_t>();
}

void choose_measure(FuzzedInput& input, Settings& settings, FuzzedTargets& targets) {
    const std::size_t n_classes = targets.n_classes;
    if (n_classes == 0) {
        constexpr Measure measures[] = {Measure::squared_error, Measure::absolute_error,
                                        Measure::poisson};
        settings.measure = measures[input.from_to(0, 2)];
        settings.max_intervals = static_cast<int>(input.from_to(2, 5));
        if (settings.measure != Measure::poisson) return;
        for (double& y : targets.y) y = std::abs(y);
        return;
    }
    constexpr Measure measures[] = {Measure::entropy, Measure::gini, Measure::cost_gini,
                                    Measure::chi_square};
    settings.measure = measures[input.from_to(0, 3)];
    settings.gain_ratio = settings.measure == Measure::entropy && input.coin();
    settings.max_intervals = static_cast<int>(input.from_to(0, 4));
    if (settings.max_intervals == 1) settings.max_intervals = 0;
    if (settings.measure == Measure::cost_gini) {
        for (std::size_t at = 0; at < n_classes * n_classes; ++at) {
            const double price = static_cast<double>(input.from_to(1, 9));
            settings.costs.push_back(at % (n_classes + 1) == 0 ? 0.0 : price);
        }
    }
    if (input.coin()) {
        for (std::size_t at = 0; at < n_classes; ++at) {
            settings.class_factor.push_back(static_cast<double>(input.from_to(1, 8)) / 4);
        }
    }
    settings.significance = input.coin() ? 0.05 : 1.0;
    settings.average_gain_filter = input.coin();
    settings.mdl_correction = input.coin();
    settings.data_value_thresholds = input.coin();
    settings.j48_gaps = input.coin();
    if (input.coin()) {
        settings.error_confidence = 0.25;
        settings.error_z = 0.674;
    }
}

Settings choose_settings(FuzzedInput& input, FuzzedTargets& targets, std::size_t n_columns) {
    Settings settings;
    settings.nominal = static_cast<NominalSplit>(input.from_to(0, 2));
    settings.numeric = static_cast<NumericSplit>(input.from_to(0, 1));
    settings.missing = static_cast<MissingPolicy>(input.from_to(0, 5));
    settings.max_surrogates = static_cast<int>(input.from_to(0, 3));
    choose_measure(input, settings, targets);
    choose_limits(input, settings, n_columns);
    return settings;
}

// ---------------------------------------------------------------------------- what must hold

bool same_tree(const GrownTree& a, const GrownTree& b) {
    return a.kind == b.kind && a.feature == b.feature && a.threshold == b.threshold &&
           a.first_child == b.first_child && a.missing_child == b.missing_child &&
           a.value == b.value && a.weight == b.weight && a.gain == b.gain &&
           a.level_code == b.level_code && a.level_child == b.level_child && a.cut == b.cut;
}

void check_nodes(const GrownTree& tree, const Settings& settings, std::size_t n_columns) {
    // A cut pays for the choice of its place; without a limit it is taken at any price.
    const bool may_lose = settings.mdl_correction && !settings.has_min_gain;
    const std::size_t n_nodes = tree.kind.size();
    std::size_t next = 1;
    demand(n_nodes > 0, "a tree has a node");
    for (std::size_t node = 0; node < n_nodes; ++node) {
        demand(std::isfinite(tree.weight[node]) && tree.weight[node] >= 0, "weights are finite");
        demand(std::isfinite(tree.threshold[node]), "thresholds are finite");
        demand(std::isfinite(tree.gain[node]), "gains are finite");
        demand(may_lose || tree.gain[node] >= 0, "gains are not below 0");
        const std::size_t first = as_index(tree.first_child[node]);
        const std::size_t n_children = as_index(tree.n_children[node]);
        if (n_children == 0) continue;
        demand(first > node && first + n_children <= n_nodes, "children come after their parent");
        demand(as_index(tree.feature[node]) < n_columns, "a node asks a column");
        next += n_children;
    }
    demand(next == n_nodes, "every node has one parent");
    for (const double value : tree.value) demand(std::isfinite(value), "node values are finite");
}

// The arrays of a grown tree as prediction reads them; surrogates need arrays of their own.
struct WalkedTree {
    std::vector<std::int64_t> no_terms, surrogate_level_start{0};
    std::vector<std::uint8_t> surrogate_kind, surrogate_flip;
    std::vector<std::int32_t> surrogate_feature, surrogate_level_code, surrogate_level_child;
    std::vector<double> surrogate_threshold;
    TreeView view;

    WalkedTree(const GrownTree& tree, const std::vector<std::int32_t>& n_levels)
        : no_terms(tree.kind.size() + 1, 0) {
        for (const Surrogate& one : tree.surrogates) {
            surrogate_kind.push_back(static_cast<std::uint8_t>(one.kind));
            surrogate_flip.push_back(one.flip);
            surrogate_feature.push_back(one.feature);
            surrogate_threshold.push_back(one.threshold);
            const auto append = [](auto& to, const auto& from) {
                to.insert(to.end(), from.begin(), from.end());
            };
            append(surrogate_level_code, one.level_code);
            append(surrogate_level_child, one.level_child);
            surrogate_level_start.push_back(
                static_cast<std::int64_t>(surrogate_level_code.size()));
        }
        view = {.kind = tree.kind,
                .feature = tree.feature,
                .threshold = tree.threshold,
                .first_child = tree.first_child,
                .n_children = tree.n_children,
                .missing_child = tree.missing_child,
                .weight = tree.weight,
                .level_start = tree.level_start,
                .level_code = tree.level_code,
                .level_child = tree.level_child,
                .cut_start = tree.cut_start,
                .cut = tree.cut,
                .term_start = no_terms,
                .term_feature = {},
                .term_weight = {},
                .surrogate_start = tree.surrogate_start,
                .surrogate_kind = surrogate_kind,
                .surrogate_feature = surrogate_feature,
                .surrogate_threshold = surrogate_threshold,
                .surrogate_flip = surrogate_flip,
                .surrogate_level_start = surrogate_level_start,
                .surrogate_level_code = surrogate_level_code,
                .surrogate_level_child = surrogate_level_child,
                .n_levels = n_levels};
    }
};

// Every leaf holds the weight of the rows that prediction sends there.
void check_rows(const GrownTree& tree, const FuzzedTable& table, const FuzzedTargets& targets) {
    const WalkedTree walked(tree, table.n_levels);
    const Predictor predictor(walked.view, tree.value, tree.n_values);
    std::vector<double> weight(tree.kind.size(), 0.0), predictions(table.n_rows * tree.n_values);
    double total = 0;
    const RowParts parts = predictor.parts(table.rows());
    for (std::size_t at = 0; at < parts.row.size(); ++at) {
        const double own = targets.weight.empty() ? 1.0 : targets.weight[as_index(parts.row[at])];
        weight[as_index(parts.node[at])] += own * parts.share[at];
        total += own * parts.share[at];
    }
    for (std::size_t node = 0; node < tree.kind.size(); ++node) {
        if (tree.n_children[node] > 0) continue;
        demand(std::abs(weight[node] - tree.weight[node]) <= 1e-6 * total,
               "training rows end where they were counted");
    }
    predictor.values(table.rows(), 2, predictions);
    for (const double number : predictions) demand(std::isfinite(number), "predictions are finite");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedInput input(data, size);
    FuzzedTable table(input);
    FuzzedTargets targets(input, table.n_rows);
    const Settings settings = choose_settings(input, targets, table.views.size());
    TrainingData training;
    training.columns = table.views;
    training.n_rows = table.n_rows;
    training.n_classes = targets.n_classes;
    training.classes = targets.classes;
    training.y = targets.y;
    training.weight = targets.weight;
    const auto go_on = [] { return false; };
    const GrownTree tree = grow(training, settings, 1, go_on);
    check_nodes(tree, settings, table.views.size());
    check_rows(tree, table, targets);
    if (input.coin()) {
        demand(same_tree(tree, grow(training, settings, 3, go_on)), "threads change nothing");
    }
    return 0;
}
