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

// The steps of the search over blocks of `block` rows, with these ranges.
std::vector<double> searched(const std::vector<double>& values, const RangeGuide& guide,
                             const RowWeights& weights, int n_bins, std::size_t block) {
    const ColumnView all = view_of(values);
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
        const RangeGuide guide(sample, ValueType::float64);
        std::vector<std::uint8_t> is_wanted(RangeGuide::most_ranges);
        for (auto& wanted : is_wanted) wanted = random() % 8 == 0;
        for (const RangeGuide& ranges : {guide, guide.finer(is_wanted)}) {
            expect(searched(values, ranges, weights, n_bins, 1 + random() % 100) == expected);
        }
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
        const RangeGuide guide(values, ValueType::float64);
        expect(searched(values, guide, weights, 255, 2048) == expected);
    }
});

// How many values have to be collected to find the cuts.
std::size_t n_collected(const std::vector<double>& values, const RangeGuide& guide,
                        std::vector<std::uint8_t>* is_wanted) {
    RangeCounts counts;
    Collection found;
    const RowWeights weights{{}};
    const auto over_blocks = [&](const auto& work) {
        for (std::size_t first = 0; first < values.size(); first += 1000) {
            ColumnView rows = view_of(values);
            rows.data = rows.at(first);
            work(RowsOfColumn{rows, first, 1000});
        }
    };
    over_blocks([&](const RowsOfColumn& rows) { counts.count(rows, weights, guide); });
    *is_wanted = narrow(pieces_of(guide, counts), 255, 1, 1).is_wanted;
    if (is_wanted->empty()) return 0;
    over_blocks([&](const RowsOfColumn& rows) { found.collect(rows, weights, guide, *is_wanted); });
    return found.values.size();
}

const Test t4("narrower ranges leave a fifth of the values to collect", [] {
    std::mt19937 random(9);
    std::normal_distribution<double> normal;
    std::vector<double> values(200'000);
    for (int kind = 0; kind < 5; ++kind) {
        for (double& value : values) {
            value = normal(random);
            if (kind == 1) value = std::exp(5 * value);
            if (kind == 2) value = -std::exp(200 * value);
            if (kind == 3) value = random() % 4 < 3 ? 0.0 : value;  // one frequent value
            if (kind == 4) value = random() % 2 == 0 ? std::floor(4 * value) : value;
        }
        const std::vector<double> sample(values.begin(), values.begin() + 8000);
        const RangeGuide guide(sample, ValueType::float64);
        std::vector<std::uint8_t> is_wanted, ignored;
        const std::size_t before = n_collected(values, guide, &is_wanted);
        const std::size_t after = n_collected(values, guide.finer(is_wanted), &ignored);
        expect(before > 10'000);
        expect(after < before / 5);
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
