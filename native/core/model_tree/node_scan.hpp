// The cuts of one column in one node, and what they gain.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/model_tree/growth.hpp"

namespace treewright::model_tree {

constexpr double tie_share = 1e-12;  // of the node's spread: gains this close are equal

struct Split {
    double gain = -INFINITY;  // of no split at all; one that gains nothing is better
    double cut = 0.0;
    std::uint32_t n_left = 0;  // rows of the column's order that go left
};

// Sums over the first rows of a node in the order of a column, and what cuts behind them gain.
struct Scratch {
    std::vector<double> target, weight, sum, squares, gain;
    std::vector<std::uint32_t> right;
    std::vector<std::uint8_t> is_right;

    explicit Scratch(std::size_t n)
        : target(n), weight(n), sum(n), squares(n), gain(n), right(n), is_right(n) {}
};

struct Totals;

struct NodeScan {
    const TrainingRows& rows;
    const ModelTreeSettings& settings;
    const GrownNode& node;
    double spread;

    // The first best cut of a column; `order` are the node's rows by its values.
    Split best_split(std::size_t column, std::span<const std::uint32_t> order,
                     Scratch& scratch) const;

    // The gain if the first `n_left` rows of a column go left, free of what rounding does to sums
    // over the first rows. Rows are added up in the order of the table: columns that part them
    // alike gain the same.
    double gain_by_sides(std::span<const std::uint32_t> order,
                         std::span<const std::uint32_t> in_table_order, std::size_t n_left,
                         std::vector<std::uint8_t>& is_right) const;

private:
    Totals add_up(std::span<const std::uint32_t> order, Scratch& scratch) const;
    void fill_all_gains(const Totals& all, std::size_t begin, std::size_t end,
                        Scratch& scratch) const;
    std::pair<std::size_t, std::size_t> allowed_cuts(const Scratch& scratch) const;
    bool is_enough(double weight, double margin) const;
};

}  // namespace treewright::model_tree
