// Cuts found from ranges of values, against those of sorting all values.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/histogram/cut_search.hpp"
#include "tests/testing.hpp"

namespace treewright::testing {
namespace {

using namespace histogram;

ColumnView view_of(const std::vector<double>& values) {
    ColumnView view;
    view.data = reinterpret_cast<const char*>(values.data());
    view.stride = sizeof(double);
    return view;
}

// The steps of the search over blocks of `block` rows, with ranges that fit `sample`.
std::vector<double> searched(const std::vector<double>& values, std::vector<double> sample,
                             const RowWeights& weights, int n_bins, std::size_t block) {
    const ColumnView all = view_of(values);
    const RangeGuide guide(std::move(sample), ValueType::float64);
    const auto over_blocks = [&](const auto& work) {
        for (std::size_t first = 0; first < values.size(); first += block) {
            ColumnView rows = all;
            rows.data = all.at(first);
            work(RowsOfColumn{rows, first, std::min(block, values.size() - first)});
        }
    };
    RangeCounts counts;
    over_blocks([&](const RowsOfColumn& rows) {
        RangeCounts own;
        own.count(rows, weights, guide);
        counts.merge(own);
    });
    auto pieces = pieces_of(guide, counts);
    for (;;) {
        Narrowed found = narrow(pieces, n_bins, 1, 1);
        if (found.is_wanted.empty()) return found.cuts;
        Collection collection;
        over_blocks([&](const RowsOfColumn& rows) {
            Collection own;
            own.collect(rows, weights, guide, found.is_wanted);
            collection.join(own);
        });
        pieces = refined(pieces, found.is_wanted, std::move(collection));
    }
}

std::vector<double> made_values(std::mt19937& random, std::size_t n) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double special[] = {0.0, -0.0, infinity, -infinity, NAN, 5e-324, -5e-324, 1e308};
    std::vector<double> values(n);
    const unsigned kind = random() % 4;
    for (double& value : values) {
        if (kind == 0 || random() % 16 == 0) {
            value = special[random() % std::size(special)];
        } else if (kind == 1) {
            value = static_cast<double>(random() % 40);
        } else if (kind == 2) {
            value = static_cast<double>(random()) / 1e9;
        } else {
            value = std::exp(static_cast<double>(random() % 100'000) / 500);
        }
    }
    return values;
}

const Test t1("cuts from ranges are those of sorted values, whatever the ranges and blocks", [] {
    std::mt19937 random(7);
    for (int round = 0; round < (is_thorough() ? 20'000 : 1'000); ++round) {
        const auto values = made_values(random, 1 + random() % 300);
        std::vector<double> sample = made_values(random, random() % 50);
        if (random() % 2 == 0) sample = values;
        std::erase_if(sample, [](double value) { return std::isnan(value); });
        std::vector<double> weight;
        if (random() % 2 == 0) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                weight.push_back(std::ldexp(static_cast<double>(random() % 5),
                                            static_cast<int>(random() % 40)));
            }
            weight[0] = 1.0;
        }
        const RowWeights weights{weight};
        const int n_bins = 2 + static_cast<int>(random() % 30);
        const auto expected = find_cuts(view_of(values), values.size(), weights, n_bins);
        const auto found = searched(values, sample, weights, n_bins, 1 + random() % 100);
        expect_equal(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) expect_equal(found[i], expected[i]);
    }
});

const Test t2("steps of equal width or ratio find the cuts of sorted values too", [] {
    std::mt19937 random(8);
    std::normal_distribution<double> normal;
    std::vector<double> values(30'000);
    for (const double spread : {0.0, 0.1, 5.0, 200.0}) {  // long tails for equal ratios
        for (double& value : values) {
            value = normal(random);
            if (spread > 0) value = std::copysign(std::exp(spread * value), normal(random));
        }
        const RowWeights weights{{}};
        const auto expected = find_cuts(view_of(values), values.size(), weights, 255);
        const auto found = searched(values, values, weights, 255, 2048);
        expect(found == expected);
    }
});

const Test t3("more rows of one range than two bytes count are counted", [] {
    const std::vector<double> values(2048, 1.0);
    const ColumnView view = view_of(values);
    const RowWeights weights{{}};
    const RangeGuide guide({1.0}, ValueType::float64);
    RangeCounts counts;
    for (int block = 0; block < 100; ++block) counts.count({view, 0, 2048}, weights, guide);
    const auto pieces = pieces_of(guide, counts);
    expect_equal(pieces.size(), 1U);
    expect(pieces[0].weight == 204'800 && pieces[0].value == 1.0);
});

}  // namespace
}  // namespace treewright::testing
