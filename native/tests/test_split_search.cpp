// Growing against the plain definition: the best of all cuts, scored from the rows.
#include <cmath>
#include <map>

#include "core/grow/search/criterion.hpp"
#include "core/predict/predict.hpp"
#include "tests/made_table.hpp"
#include "tests/testing.hpp"

namespace treewright::testing {
namespace {

const Settings& asking_for(Measure measure) {
    static std::map<Measure, Settings> all;
    Settings& settings = all[measure];
    settings.measure = measure;
    settings.costs = {0, 1, 2, 3, 0, 1, 1, 1, 0};
    settings.custom = [](std::span<const double>) { return 0.25; };
    return settings;
}

double side(Measure measure, std::vector<double> stats, std::vector<double> parent = {4, 4, 8}) {
    const SideScore score(asking_for(measure), 3, 1.0);
    return score.side(stats.data(), parent.data());
}

const Test t1("scores of sides are as the textbooks define them", [] {
    expect_near(side(Measure::entropy, {2, 2, 0}), -4);
    expect_near(side(Measure::entropy, {0, 0, 0}), 0);
    expect_near(side(Measure::gini, {2, 2, 0}), 2);
    expect_near(side(Measure::gini, {0, 0, 0}), 0);
    expect_near(side(Measure::cost_gini, {2, 2, 0}), -(1.0 * 4 + 3.0 * 4) / 4);
    expect_near(side(Measure::cost_gini, {0, 0, 0}), 0);
    expect_near(side(Measure::chi_square, {2, 2, 0}), 1 + 1 + 2);
    expect_near(side(Measure::chi_square, {2, 2, 0}, {0, 0, 0}), 0);
    expect_near(side(Measure::chi_square, {2, 2, 0}, {0, 4, 4}), 2);  // nothing expected: left out
    expect_near(side(Measure::squared_error, {4, 6, 0}), 9);
    expect_near(side(Measure::squared_error, {0, 0, 0}), 0);
    expect_near(side(Measure::poisson, {0, 0, 0}), 0);
    expect_near(side(Measure::custom, {1, 2, 1}), -1);
    expect_near(side(Measure::custom, {0, 0, 0}), 0);
    expect_near(side(Measure::absolute_error, {1, 2, 1}), 0);
});

const Test t6("the gain of Poisson is what the deviance falls by, halved", [] {
    // Weights 2 and 2, sums of counts 4 and 1; the statistics hold counts less 1.
    const double gain = side(Measure::poisson, {2, 2}) + side(Measure::poisson, {2, -1}) -
                        side(Measure::poisson, {4, 1});
    expect_near(gain, 4 * std::log(2) + std::log(0.5) - 5 * std::log(1.25));
});

const Test t2("a side without any count may not stand alone under Poisson", [] {
    const SideScore poisson(asking_for(Measure::poisson), 0, 1.0);
    const SideScore squares(asking_for(Measure::squared_error), 0, 1.0);
    const std::vector<double> nothing{5, -5}, something{5, -4};
    expect(!poisson.admits(nothing.data()));
    expect(poisson.admits(something.data()));
    expect(squares.admits(nothing.data()));
});

// The gain of the best cut of numbers without missing values, by trying all.
double best_gain(const std::vector<double>& values, const MadeTable& table,
                 const Settings& settings) {
    const SideScore score(settings, MadeTable::n_classes, 0);
    double best = 0;
    for (const double cut : values) {
        std::vector<double> left(3), right(3), all(3);
        for (std::size_t row = 0; row < values.size(); ++row) {
            const auto cls = static_cast<std::size_t>(table.classes[row]);
            (values[row] <= cut ? left : right)[cls] += 1;
            all[cls] += 1;
        }
        if (left == all) continue;
        const double gain = score.side(left.data(), all.data()) +
                            score.side(right.data(), all.data()) -
                            score.side(all.data(), all.data());
        best = gain > best ? gain : best;
    }
    return best / static_cast<double>(values.size());
}

const Test t3("the first split is the best of all cuts", [] {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const MadeTable table(40 + 7 * seed, false, seed);
        for (const Measure measure : {Measure::gini, Measure::entropy}) {
            Settings settings;
            settings.measure = measure;
            settings.max_depth = 1;
            TrainingData data = table.for_classes();
            data.columns = data.columns.first(2);
            const GrownTree tree = grown(data, settings);
            const double expected = std::max(best_gain(table.fine, table, settings),
                                             best_gain(table.coarse, table, settings));
            expect_near(tree.gain[0], expected, 1e-9);
        }
    }
});

const Test t4("every row of a grown tree ends where a plain walk ends", [] {
    const MadeTable table(300);
    Settings settings;
    settings.missing = MissingPolicy::learned;
    const StoredTree tree(grown(table.for_classes(), settings), table.n_levels);
    const GrownTree& arrays = tree.arrays();
    const Predictor predictor(tree.view(), arrays.value, MadeTable::n_classes);
    std::vector<std::int32_t> leaves(table.n_rows());
    predictor.leaves(table.rows(), 2, leaves);
    const Columns rows{table.given, table.n_rows(), 0};
    Questions asked(tree.view());
    for (std::size_t row = 0; row < table.n_rows(); ++row) {
        std::int32_t node = 0;
        while (arrays.n_children[static_cast<std::size_t>(node)] > 0) {
            const Question question = asked.add(tree.view(), static_cast<std::size_t>(node));
            const std::int32_t child = asked.child(question, rows, row);
            if (child < 0) break;
            node = arrays.first_child[static_cast<std::size_t>(node)] + child;
        }
        expect_equal(leaves[row], node);
    }
});

const Test t5("weights and rows given twice grow the same tree", [] {
    const MadeTable table(80);
    std::vector<double> twice(table.n_rows(), 2.0);
    TrainingData weighted = table.for_classes();
    weighted.weight = twice;
    Settings settings;
    const GrownTree plain = grown(table.for_classes(), settings), heavy = grown(weighted, settings);
    expect(plain.feature == heavy.feature && plain.threshold == heavy.threshold);
    for (std::size_t i = 0; i < plain.weight.size(); ++i) {
        expect_near(heavy.weight[i], 2 * plain.weight[i]);
    }
});

}  // namespace
}  // namespace treewright::testing
