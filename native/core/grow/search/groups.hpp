// Rows of equal value, added up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

// The groups of equal values of one column in one node, in rising order of code.
struct Groups {
    std::size_t n_stats = 0;
    std::vector<std::uint32_t> codes;
    std::vector<std::int64_t> rows;
    std::vector<double> weight;
    std::vector<double> stats;         // n_stats for each group
    std::vector<std::uint32_t> a_row;  // a row of the group, to look its value up
    std::vector<char> may_cut_after;   // empty: a cut may follow every group
    // The rows whose value is missing.
    std::int64_t missing_rows = 0;
    double missing_weight = 0.0;
    std::vector<double> missing_stats;

    std::size_t size() const { return codes.size(); }
    const double* of(std::size_t group) const { return stats.data() + group * n_stats; }
    double* of(std::size_t group) { return stats.data() + group * n_stats; }
    void clear(std::size_t n) {
        n_stats = n;
        codes.clear();
        rows.clear();
        weight.clear();
        stats.clear();
        a_row.clear();
        may_cut_after.clear();
        missing_rows = 0;
        missing_weight = 0.0;
        missing_stats.assign(n, 0.0);
    }
    void open(std::uint32_t code, std::uint32_t row) {
        codes.push_back(code);
        rows.push_back(0);
        weight.push_back(0.0);
        stats.resize(stats.size() + n_stats, 0.0);
        a_row.push_back(row);
    }
    void resize(std::size_t n) {
        codes.resize(n);
        rows.resize(n);
        weight.resize(n);
        stats.resize(n * n_stats);
        a_row.resize(n);
    }
};

}  // namespace treewright
