// Neighbors, clusters and sums of distances against the plain definition.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/clustering/lloyd.hpp"
#include "core/neighbors/distance_sums.hpp"
#include "core/neighbors/neighbor_search.hpp"
#include "tests/made_table.hpp"
#include "tests/testing.hpp"

namespace treewright::testing {
namespace {

using neighbors::apart;
using neighbors::Missing;
using neighbors::MixedRows;
using neighbors::Neighbor;
using neighbors::NeighborSearch;
using neighbors::Wanted;
using Apart = neighbors::Measure;

const std::function<void()> go_on = [] {};

struct MixedTable {
    explicit MixedTable(std::size_t n_rows, bool has_missing, bool has_infinities,
                        std::uint64_t seed)
        : is_level{0, 0, 1} {
        Dice dice(seed);
        for (std::size_t i = 0; i < n_rows * 3; ++i) {
            const bool level = i % 3 == 2;
            double value = level ? static_cast<double>(dice.below(4)) : dice.number() / 8;
            if (has_infinities && !level && dice.below(20) == 0) {
                value = std::copysign(std::numeric_limits<double>::infinity(), value);
            }
            values.push_back(has_missing && dice.below(8) == 0 ? std::nan("") : value);
        }
    }
    MixedRows rows() const { return {values.size() / 3, values, is_level}; }

    std::vector<double> values;
    std::vector<std::uint8_t> is_level;
};

std::vector<Neighbor> plainly_nearest(const MixedRows& rows, std::size_t query, std::size_t n,
                                      const Apart& measure) {
    std::vector<Neighbor> all;
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        if (row == query) continue;
        const double apart_from = apart(rows.row(query), rows.row(row), rows.is_level, measure);
        all.push_back({apart_from, static_cast<std::int64_t>(row)});
    }
    std::sort(all.begin(), all.end());
    all.resize(n);
    return all;
}

void compare_with_plain_search(const MixedTable& table, const Apart& measure) {
    const MixedRows rows = table.rows();
    const NeighborSearch search(rows, measure, go_on);
    std::vector<std::vector<Neighbor>> found(rows.n_rows);
    Wanted wanted;
    wanted.weight = 5;
    search.visit_nearest(
        {}, wanted, 2,
        [&](std::size_t query, std::span<const Neighbor> nearest) {
            found[query].assign(nearest.begin(), nearest.end());
        },
        go_on);
    for (std::size_t query = 0; query < rows.n_rows; ++query) {
        const auto expected = plainly_nearest(rows, query, 5, measure);
        expect_equal(found[query].size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            expect_equal(found[query][i].row, expected[i].row);
            expect(found[query][i].apart == expected[i].apart);
        }
    }
}

const Test t1("the nearest rows are those of a plain search, bit for bit", [] {
    for (const bool squares : {true, false}) {
        for (const Missing missing : {Missing::as_one, Missing::farthest, Missing::left_out}) {
            for (const bool has_missing : {true, false}) {
                const Apart measure{squares, missing};
                compare_with_plain_search(MixedTable(300, has_missing, false, 7), measure);
                compare_with_plain_search(MixedTable(300, has_missing, true, 8), measure);
            }
        }
    }
});

const Test t2("sums of distances are sums of distances", [] {
    const MixedTable table(70, true, false, 3);
    const MixedRows rows = table.rows();
    std::vector<std::int32_t> group;
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        group.push_back(static_cast<std::int32_t>(row % 3));
    }
    for (const bool squares : {true, false}) {
        const Apart measure{squares, Missing::as_one};
        std::vector<double> found(rows.n_rows * 3), expected(rows.n_rows * 3);
        neighbors::distance_sums(rows, measure, group, 3, 2, found, go_on);
        for (std::size_t row = 0; row < rows.n_rows; ++row) {
            for (std::size_t other = 0; other < rows.n_rows; ++other) {
                if (other == row) continue;
                const double d = apart(rows.row(row), rows.row(other), rows.is_level, measure);
                expected[row * 3 + static_cast<std::size_t>(group[other])] +=
                    distance_of(d, measure);
            }
        }
        for (std::size_t i = 0; i < found.size(); ++i) expect_near(found[i], expected[i], 1e-9);
    }
});

const Test t3("k-means puts every row to its nearest center, round after round", [] {
    Dice dice(5);
    std::vector<double> values;
    for (int i = 0; i < 3 * 5000; ++i) values.push_back(dice.number());
    const RowMajor<double> rows{reinterpret_cast<const std::byte*>(values.data()),
                                3 * sizeof(double), values.size() / 3};
    clustering::Lloyd lloyd(rows, 3, {}, 2);
    std::vector<double> centers(values.begin(), values.begin() + 3 * 7);
    for (int round = 0; round < 6; ++round) {
        const auto found = lloyd.assign(centers, go_on);
        for (std::size_t row = 0; row < lloyd.n_rows(); ++row) {
            double least = std::numeric_limits<double>::infinity();
            std::int32_t nearest = -1;
            for (std::int32_t k = 0; k < 7; ++k) {
                const double* center = &centers[static_cast<std::size_t>(k) * 3];
                const double d = clustering::squared_distance(&values[row * 3], center, 3);
                if (d < least) {
                    least = d;
                    nearest = k;
                }
            }
            expect_equal(lloyd.labels()[row], nearest);
        }
        for (std::size_t at = 0; at < centers.size(); ++at) {
            if (found.weight[at / 3] > 0) centers[at] = found.sums[at] / found.weight[at / 3];
        }
    }
});

}  // namespace
}  // namespace treewright::testing
