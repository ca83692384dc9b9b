// A made-up table with everything that the growers must handle, and trees grown on it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/grow/columns.hpp"
#include "core/grow/grow.hpp"
#include "core/grow/grown_tree.hpp"
#include "core/predict/rows.hpp"
#include "core/predict/tree_view.hpp"

namespace treewright::testing {

// The same numbers on every machine: a linear congruential generator.
class Dice {
public:
    explicit Dice(std::uint64_t seed)
        : state_(seed * 2'862'933'555'777'941'757ULL + 3'037'000'493) {}

    std::uint64_t below(std::uint64_t end) {
        state_ = state_ * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
        return (state_ >> 33) % end;
    }
    // A number of sixteenths from -8 to 8.
    double number() { return static_cast<double>(below(257)) / 16 - 8; }

private:
    std::uint64_t state_;
};

// Two columns of numbers (the second one of few different values), one of levels, one of ordered
// levels and one of two levels. About a tenth of the first four is missing if has_missing is true.
class MadeTable {
public:
    explicit MadeTable(std::size_t n_rows, bool has_missing = true, std::uint64_t seed = 1);
    MadeTable(const MadeTable&) = delete;
    MadeTable& operator=(const MadeTable&) = delete;

    static constexpr std::size_t n_columns = 5;
    static constexpr std::size_t n_classes = 3;

    std::size_t n_rows() const { return classes.size(); }
    Rows rows() const { return Columns{given, n_rows(), 0}; }
    TrainingData for_classes() const;
    TrainingData for_numbers() const;

    std::vector<double> fine, coarse;
    std::vector<std::int32_t> levels, ordered, two;
    std::vector<std::int32_t> classes;
    std::vector<double> y, counts, weight;
    std::vector<ColumnView> views;
    std::vector<GivenColumn> given;
    std::vector<std::int32_t> n_levels;  // of each column; -1: numbers
};

// The arrays of a grown tree as kernels read them; it must outlive the view.
class StoredTree {
public:
    StoredTree(GrownTree tree, const std::vector<std::int32_t>& n_levels);
    StoredTree(const StoredTree&) = delete;
    StoredTree& operator=(const StoredTree&) = delete;

    TreeView view() const;
    const GrownTree& arrays() const { return tree_; }
    std::size_t n_nodes() const { return tree_.kind.size(); }

private:
    GrownTree tree_;
    std::vector<std::int32_t> n_levels_;
    std::vector<std::int64_t> term_start_;
    std::vector<std::uint8_t> surrogate_kind_, surrogate_flip_;
    std::vector<std::int32_t> surrogate_feature_;
    std::vector<double> surrogate_threshold_;
    std::vector<std::int64_t> surrogate_level_start_{0};
    std::vector<std::int32_t> surrogate_level_code_, surrogate_level_child_;
};

// Grows without ever being interrupted.
GrownTree grown(const TrainingData& data, const Settings& settings, int n_threads = 1);

}  // namespace treewright::testing
