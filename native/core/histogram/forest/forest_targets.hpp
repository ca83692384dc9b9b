// What the trees of a forest predict: how rows are summed, and how much a split gains.
//
// Sums are integers, so they depend neither on the order of rows nor on threads. A target has
//   Word             what is summed; width() of them make a tally
//   Addend, add      one more row in a tally
//   n_rows, weight   of a tally
//   open             takes the tally of the node that is to be split
//   spread           impurity of that node times its weight; 0: nothing to gain
//   gain_above       what a tally of rows that go left takes from the spread, if more than a bar
//   key              levels in its order are cut like numbers
// Spread and gain are in units of their own: one is 2^-gain_exponent() to the user, and so with
// weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/arithmetic/portable_math.hpp"
#include "core/large_vector.hpp"

namespace treewright::histogram {

// A row on its way through the tree: its number above, its class and how often it was drawn below.
using ForestRow = std::uint64_t;
inline ForestRow forest_row(std::size_t row, std::uint32_t cls, std::uint32_t times) {
    return ForestRow{row} << 32 | cls << 4 | times;
}
inline std::uint32_t number_of(ForestRow row) { return static_cast<std::uint32_t>(row >> 32); }
inline std::uint32_t class_of(ForestRow row) { return static_cast<std::uint32_t>(row) >> 4; }
inline std::uint32_t times_of(ForestRow row) { return static_cast<std::uint32_t>(row) & 15; }

enum class ForestMeasure : std::uint8_t { squared_error, gini, entropy };

// Targets and weights of all rows as integers: 2^-exponent is one unit.
struct ScaledValues {
    LargeVector<std::int64_t> sum;     // target times weight
    LargeVector<std::int64_t> weight;  // empty: 1 for every row
    int value_exponent = 0;            // of target, then of weight
    int weight_exponent = 0;
    std::span<const double> target;  // as it was given
    std::vector<double> n_log2_n;    // for entropy, where weights are counts
};

// Two classes, and fewer than 2^21 draws of rows: all in one word.
struct CountTally {
    std::uint64_t word = 0;  // 21 bits each: draws of the second class, draws, rows

    static constexpr unsigned bits = 21;
    static constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    static CountTally of(ForestRow row, const ScaledValues&) {
        const std::uint64_t times = times_of(row);
        const std::uint64_t second = times & (0 - std::uint64_t{class_of(row)});
        return {second << 2 * bits | times << bits | 1};
    }
    double sum() const { return static_cast<double>(word >> 2 * bits); }
    double weight() const { return static_cast<double>(word >> bits & mask); }
    std::uint32_t n_rows() const { return static_cast<std::uint32_t>(word & mask); }
    CountTally& operator+=(const CountTally& other) { return word += other.word, *this; }
    CountTally operator-(const CountTally& other) const { return {word - other.word}; }
};

// Numbers, or very many rows of two classes.
struct DrawTally {
    std::int64_t total = 0;
    std::uint64_t counts = 0;  // draws above, rows below

    static DrawTally of(ForestRow row, const ScaledValues& values) {
        const std::int64_t times = times_of(row);
        return {values.sum[number_of(row)] * times, static_cast<std::uint64_t>(times) << 32 | 1};
    }
    double sum() const { return static_cast<double>(total); }
    double weight() const { return static_cast<double>(counts >> 32); }
    std::uint32_t n_rows() const { return static_cast<std::uint32_t>(counts); }
    DrawTally& operator+=(const DrawTally& other) {
        total += other.total;
        counts += other.counts;
        return *this;
    }
    DrawTally operator-(const DrawTally& other) const {
        return {total - other.total, counts - other.counts};
    }
};

// Rows with weights.
struct WeightTally {
    std::int64_t total = 0;
    std::int64_t total_weight = 0;
    std::uint32_t rows = 0;

    static WeightTally of(ForestRow row, const ScaledValues& values) {
        const std::int64_t times = times_of(row);
        const std::uint32_t at = number_of(row);
        return {values.sum[at] * times, values.weight[at] * times, 1};
    }
    double sum() const { return static_cast<double>(total); }
    double weight() const { return static_cast<double>(total_weight); }
    std::uint32_t n_rows() const { return rows; }
    WeightTally& operator+=(const WeightTally& other) {
        total += other.total;
        total_weight += other.total_weight;
        rows += other.rows;
        return *this;
    }
    WeightTally operator-(const WeightTally& other) const {
        return {total - other.total, total_weight - other.total_weight, rows - other.rows};
    }
};

// Numbers, or two classes as 0 and 1.
template <class Tally>
class SumTarget {
public:
    using Word = Tally;
    using Addend = Tally;

    SumTarget(const ScaledValues& values, ForestMeasure measure)
        : values_(&values), measure_(measure) {}

    static constexpr std::size_t width() { return 1; }
    Addend addend(ForestRow row) const { return Tally::of(row, *values_); }
    static void add(Word* tally, const Addend& row) { *tally += row; }
    static std::uint32_t n_rows(const Word* tally) { return tally->n_rows(); }
    static double weight(const Word* tally) { return tally->weight(); }

    int gain_exponent() const { return 2 * values_->value_exponent + values_->weight_exponent; }
    int weight_exponent() const { return values_->weight_exponent; }

    void open(const Word* node, std::span<const ForestRow> rows) {
        node_ = *node;
        mean_ = node->sum() / node->weight();
        spread_ = measure_ == ForestMeasure::squared_error ? spread_of(rows)
                  : measure_ == ForestMeasure::gini        ? spread_of_two_classes()
                                                           : entropy(*node);
        scale_ = node->weight() * (measure_ == ForestMeasure::gini ? 2 : 1);
    }
    double spread() const { return spread_; }

    // Most cuts are no better than the bar, and need no division to know it.
    std::optional<double> gain_above(double bar, const Word* left) const {
        const Word right = node_ - *left;
        if (measure_ == ForestMeasure::entropy) {
            const double gain = spread_ - entropy(*left) - entropy(right);
            return gain > bar ? std::optional(gain) : std::nullopt;
        }
        const double distance = left->sum() - left->weight() * mean_;
        const double squares = distance * distance * scale_;
        const double weights = left->weight() * right.weight();
        if (!(squares > bar * weights)) return std::nullopt;
        return squares / weights;
    }

    static std::size_t n_keys() { return 1; }
    static double key(const Word* tally, std::size_t) { return tally->sum() / tally->weight(); }

private:
    double spread_of_two_classes() const {
        return 2 * node_.sum() * (node_.weight() - node_.sum()) / node_.weight();
    }

    // By the rows themselves: the difference of two large squares would lose it.
    double spread_of(std::span<const ForestRow> rows) const {
        double spread = 0;
        bool differ = false;
        const double first = values_->target[number_of(rows.front())];
        for (const ForestRow row : rows) {
            const Tally one = Tally::of(row, *values_);
            const double distance = one.sum() - mean_ * one.weight();
            spread += distance * distance / one.weight();
            differ |= values_->target[number_of(row)] != first;
        }
        return differ ? spread : 0;
    }

    double entropy(const Word& tally) const {
        const double all = tally.weight(), second = tally.sum();
        if (values_->n_log2_n.empty()) {
            return x_log2_x(all) - x_log2_x(second) - x_log2_x(all - second);
        }
        const double* table = values_->n_log2_n.data();
        const auto n = static_cast<std::size_t>(all), k = static_cast<std::size_t>(second);
        return table[n] - table[k] - table[n - k];
    }

    const ScaledValues* values_;
    ForestMeasure measure_;
    Word node_{};
    double mean_ = 0, spread_ = 0, scale_ = 0;
};

// Several classes: a weight for each, then the number of rows.
template <class Integer>
class ClassTarget {
public:
    using Word = Integer;
    using Addend = ForestRow;

    ClassTarget(const ScaledValues& values, ForestMeasure measure, std::size_t n_classes)
        : values_(&values), measure_(measure), n_classes_(n_classes) {}

    std::size_t width() const { return n_classes_ + 1; }
    static Addend addend(ForestRow row) { return row; }
    void add(Word* tally, Addend row) const {
        Word weight = static_cast<Word>(times_of(row));
        if constexpr (sizeof(Word) == 8) {
            weight *= static_cast<Word>(values_->weight[number_of(row)]);
        }
        tally[class_of(row)] += weight;
        ++tally[n_classes_];
    }
    std::uint32_t n_rows(const Word* tally) const {
        return static_cast<std::uint32_t>(tally[n_classes_]);
    }
    double weight(const Word* tally) const {
        std::uint64_t weight = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) weight += tally[c];
        return static_cast<double>(weight);
    }

    int gain_exponent() const { return values_->weight_exponent; }
    int weight_exponent() const { return values_->weight_exponent; }

    void open(const Word* node, std::span<const ForestRow>) {
        node_.assign(node, node + n_classes_);
        right_.resize(n_classes_);
        spread_ = impurity(node);
        keys_.clear();
        for (std::size_t c = 0; c < n_classes_; ++c) {
            if (node[c] > 0) keys_.push_back(c);
        }
        if (keys_.size() < 2) spread_ = 0;
        if (keys_.size() == 2) keys_.pop_back();
        std::ranges::stable_sort(keys_, std::greater{}, [&](std::size_t c) { return node[c]; });
        if (keys_.size() > most_orders) keys_.resize(most_orders);
    }
    double spread() const { return spread_; }

    std::optional<double> gain_above(double bar, const Word* left) const {
        for (std::size_t c = 0; c < n_classes_; ++c) right_[c] = node_[c] - left[c];
        const double gain = spread_ - impurity(left) - impurity(right_.data());
        return gain > bar ? std::optional(gain) : std::nullopt;
    }

    // Levels are tried in order of the share of each class, the most frequent ones of many.
    static constexpr std::size_t most_orders = 8;
    std::size_t n_keys() const { return keys_.size(); }
    double key(const Word* tally, std::size_t which) const {
        return static_cast<double>(tally[keys_[which]]) / weight(tally);
    }

private:
    double impurity(const Word* tally) const {
        const double all = weight(tally);
        if (measure_ == ForestMeasure::entropy) return entropy(tally, all);
        double squares = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) {
            squares += static_cast<double>(tally[c]) * static_cast<double>(tally[c]);
        }
        return all > 0 ? all - squares / all : 0;
    }

    double entropy(const Word* tally, double all) const {
        if (values_->n_log2_n.empty()) {
            double entropy = x_log2_x(all);
            for (std::size_t c = 0; c < n_classes_; ++c) {
                entropy -= x_log2_x(static_cast<double>(tally[c]));
            }
            return entropy;
        }
        const double* table = values_->n_log2_n.data();
        double entropy = table[static_cast<std::size_t>(all)];
        for (std::size_t c = 0; c < n_classes_; ++c) entropy -= table[tally[c]];
        return entropy;
    }

    const ScaledValues* values_;
    ForestMeasure measure_;
    std::size_t n_classes_;
    std::vector<Word> node_;
    mutable std::vector<Word> right_;
    std::vector<std::size_t> keys_;
    double spread_ = 0;
};

}  // namespace treewright::histogram
