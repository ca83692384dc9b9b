// Tallies: the two sides of a cut while rows move from the right to the left.
//
// All tallies have
//   bind(targets, ...)     the rows it will move
//   start(left, right, w)  both sides, as statistics, before the first move; w: raw weight left
//   move(row)            one row goes left
//   prefetch(row)        it will soon
//   move(stats, weight)  a group of rows goes left
//   beats(bar)           cheap test: false only if score() cannot exceed the bar
//   score()              side(left) + side(right)
//   left_weight()        raw weight on the left (only if rows have weights)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/grow/columns.hpp"
#include "core/grow/search/criterion.hpp"

namespace treewright {

// Tallies whose state is two numbers can be traced: scan_rows() lets a block of rows go left first
// and then tests all places of the block in one loop that the compiler vectorizes. Growth as a
// whole takes 9 % less time on 500,000 x 20 numbers, 4 % on 100,000 x 28 with two classes. In
// addition to the above they have
//   trace(rows, n, a, b) n rows go left; the state after each of them
//   margin(a, b, n, bar) positive if the place after n rows might beat the bar
//   score(a, b, n)       the score there
template <class Tally>
concept Traceable = requires(Tally tally, double x) { tally.margin(x, x, x, x); };

// Two classes, every row counts once, Gini. With l of n rows of class 1 on the left, T of W in all,
//   side(left) + side(right) = constant + 2 W (l - n T / W)^2 / (n (W - n)).
class TwoClassGini {
public:
    void bind(const Targets& targets) { classes_ = targets.classes.data(); }

    void start(const double* left, const double* right, double) {
        ones_ = left[1];
        n_ = left[0] + left[1];
        total_ = n_ + right[0] + right[1];
        total_ones_ = ones_ + right[1];
        share_ = total_ones_ / total_;
        constant_ = total_ * (share_ * share_ + (1 - share_) * (1 - share_));
    }
    template <class Index>
    void trace(const Element<Index>* rows, std::int64_t n, double* a, double*) {
        std::int64_t ones = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            ones += classes_[rows[i].row];
            a[i] = ones_ + static_cast<double>(ones);
        }
        ones_ += static_cast<double>(ones);
        n_ += static_cast<double>(n);
    }
    void prefetch(std::size_t row) const { __builtin_prefetch(classes_ + row); }
    void move(std::size_t row) {
        ones_ += classes_[row];
        n_ += 1.0;
    }
    void move(const double* stats, double) {
        ones_ += stats[1];
        n_ += stats[0] + stats[1];
    }
    double margin(double ones, double, double n, double bar) const {
        const double d = ones - n * share_;
        return d * d - ((bar - constant_) / (2.0 * total_)) * (n * (total_ - n));
    }
    double score(double ones, double, double n) const {
        const double zeros = n - ones, rest = total_ - n, right_ones = total_ones_ - ones;
        const double right_zeros = rest - right_ones;
        double score = 0.0;
        if (n > 0) score += (zeros * zeros + ones * ones) / n;
        if (rest > 0) score += (right_zeros * right_zeros + right_ones * right_ones) / rest;
        return score;
    }
    bool beats(double bar) const { return margin(ones_, 0, n_, bar) > 0; }
    double score() const { return score(ones_, 0, n_); }
    double left_weight() const { return n_; }

private:
    const std::uint16_t* classes_ = nullptr;
    double ones_ = 0, n_ = 0, total_ = 0, total_ones_ = 0, share_ = 0, constant_ = 0;
};

// Any number of classes, every row counts once, Gini: the sums of squares stay exact integers.
class CountedGini {
public:
    void bind(const Targets& targets) {
        classes_ = targets.classes.data();
        left_.resize(targets.n_classes);
        total_.resize(targets.n_classes);
    }

    void start(const double* left, const double* right, double) {
        n_ = all_ = squares_left_ = squares_right_ = 0;
        for (std::size_t c = 0; c < left_.size(); ++c) {
            left_[c] = static_cast<std::int64_t>(left[c]);
            const auto r = static_cast<std::int64_t>(right[c]);
            total_[c] = left_[c] + r;
            n_ += left_[c];
            all_ += total_[c];
            squares_left_ += left_[c] * left_[c];
            squares_right_ += r * r;
        }
    }
    void prefetch(std::size_t row) const { __builtin_prefetch(classes_ + row); }
    void move(std::size_t row) {
        const auto c = classes_[row];
        const auto l = left_[c]++;
        squares_left_ += 2 * l + 1;
        squares_right_ -= 2 * (total_[c] - l) - 1;
        ++n_;
    }
    template <class Index>
    void trace(const Element<Index>* rows, std::int64_t n, double* a, double* b) {
        // In registers: the compiler must assume that left_ overlaps the members.
        std::int64_t squares_left = squares_left_, squares_right = squares_right_;
        auto* const left = left_.data();
        const auto* const total = total_.data();
        for (std::int64_t i = 0; i < n; ++i) {
            const auto c = classes_[rows[i].row];
            const auto l = left[c]++;
            squares_left += 2 * l + 1;
            squares_right -= 2 * (total[c] - l) - 1;
            a[i] = static_cast<double>(squares_left);
            b[i] = static_cast<double>(squares_right);
        }
        squares_left_ = squares_left;
        squares_right_ = squares_right;
        n_ += n;
    }
    void move(const double* stats, double) {
        for (std::size_t c = 0; c < left_.size(); ++c) {
            const auto k = static_cast<std::int64_t>(stats[c]);
            squares_left_ += k * (2 * left_[c] + k);
            squares_right_ -= k * (2 * (total_[c] - left_[c]) - k);
            left_[c] += k;
            n_ += k;
        }
    }
    double margin(double squares_left, double squares_right, double n, double bar) const {
        const double rest = static_cast<double>(all_) - n;
        return squares_left * rest + squares_right * n - bar * (n * rest);
    }
    double score(double squares_left, double squares_right, double n) const {
        const double rest = static_cast<double>(all_) - n;
        return (n > 0 ? squares_left / n : 0.0) + (rest > 0 ? squares_right / rest : 0.0);
    }
    bool beats(double bar) const {
        return margin(static_cast<double>(squares_left_), static_cast<double>(squares_right_),
                      static_cast<double>(n_), bar) > 0;
    }
    double score() const {
        return score(static_cast<double>(squares_left_), static_cast<double>(squares_right_),
                     static_cast<double>(n_));
    }
    double left_weight() const { return static_cast<double>(n_); }

private:
    const std::uint16_t* classes_ = nullptr;
    std::vector<std::int64_t> left_, total_;
    std::int64_t n_ = 0, all_ = 0, squares_left_ = 0, squares_right_ = 0;
};

// Every row counts once, entropy: n log2 n comes from a table. Running sums of differences decide
// quickly and the exact sum over the classes is taken only where they might be beaten.
class CountedEntropy {
public:
    void bind(const Targets& targets, std::span<const double> n_log2_n) {
        classes_ = targets.classes.data();
        table_ = n_log2_n.data();
        left_.resize(targets.n_classes);
        right_.resize(targets.n_classes);
    }

    void start(const double* left, const double* right, double) {
        n_left_ = n_right_ = 0;
        for (std::size_t c = 0; c < left_.size(); ++c) {
            left_[c] = static_cast<std::uint32_t>(left[c]);
            right_[c] = static_cast<std::uint32_t>(right[c]);
            n_left_ += left_[c];
            n_right_ += right_[c];
        }
        classes_sum_ = class_sum();
        slack_ = 1e-9 * table_[n_left_ + n_right_];
    }
    void prefetch(std::size_t row) const { __builtin_prefetch(classes_ + row); }
    void move(std::size_t row) {
        const auto c = classes_[row];
        const auto l = left_[c]++;
        const auto r = right_[c]--;
        classes_sum_ += (table_[l + 1] - table_[l]) - (table_[r] - table_[r - 1]);
        ++n_left_;
        --n_right_;
    }
    void move(const double* stats, double) {
        for (std::size_t c = 0; c < left_.size(); ++c) {
            const auto k = static_cast<std::uint32_t>(stats[c]);
            left_[c] += k;
            right_[c] -= k;
            n_left_ += k;
            n_right_ -= k;
        }
        classes_sum_ = class_sum();
    }
    bool beats(double bar) const {
        return classes_sum_ - (table_[n_left_] + table_[n_right_]) > bar - slack_;
    }
    double score() const { return class_sum() - (table_[n_left_] + table_[n_right_]); }
    double left_weight() const { return static_cast<double>(n_left_); }

private:
    double class_sum() const {
        double sum = 0.0;
        for (std::size_t c = 0; c < left_.size(); ++c) sum += table_[left_[c]] + table_[right_[c]];
        return sum;
    }
    const std::uint16_t* classes_ = nullptr;
    const double* table_ = nullptr;
    std::vector<std::uint32_t> left_, right_;
    std::uint32_t n_left_ = 0, n_right_ = 0;
    double classes_sum_ = 0, slack_ = 0;
};

// Least squares, every row counts once.
class CountedMoments {
public:
    void bind(const Targets& targets) { y_ = targets.y.data(); }

    void start(const double* left, const double* right, double) {
        n_ = left[0];
        sum_ = left[1];
        all_ = left[0] + right[0];
        all_sum_ = left[1] + right[1];
    }
    void prefetch(std::size_t row) const { __builtin_prefetch(y_ + row); }
    void move(std::size_t row) {
        sum_ += y_[row];
        n_ += 1.0;
    }
    template <class Index>
    void trace(const Element<Index>* rows, std::int64_t n, double* a, double*) {
        for (std::int64_t i = 0; i < n; ++i) a[i] = sum_ += y_[rows[i].row];
        n_ += static_cast<double>(n);
    }
    void move(const double* stats, double) {
        n_ += stats[0];
        sum_ += stats[1];
    }
    double margin(double sum, double, double n, double bar) const {
        const double rest = all_ - n, rest_sum = all_sum_ - sum;
        return sum * sum * rest + rest_sum * rest_sum * n - bar * (n * rest);
    }
    double score(double sum, double, double n) const {
        const double rest = all_ - n, rest_sum = all_sum_ - sum;
        return (n > 0 ? sum * sum / n : 0.0) + (rest > 0 ? rest_sum * rest_sum / rest : 0.0);
    }
    bool beats(double bar) const { return margin(sum_, 0, n_, bar) > 0; }
    double score() const { return score(sum_, 0, n_); }
    double left_weight() const { return n_; }

private:
    const double* y_ = nullptr;
    double n_ = 0, sum_ = 0, all_ = 0, all_sum_ = 0;
};

// Any measure that is a function of the statistics, any weights.
class GeneralTally {
public:
    void bind(const Targets& targets, const SideScore& score) {
        targets_ = &targets;
        score_ = &score;
        for (auto* stats : {&left_, &right_, &all_}) stats->resize(targets.n_stats());
    }

    void start(const double* left, const double* right, double left_weight) {
        std::copy_n(left, left_.size(), left_.begin());
        std::copy_n(right, right_.size(), all_.begin());
        for (std::size_t s = 0; s < left_.size(); ++s) all_[s] += left[s];
        left_weight_ = left_weight;
        parent_ = all_.data();
    }
    // Chi-square: the rows to expect from, if they are more than those of the two sides.
    void expect_from(const double* parent) { parent_ = parent; }
    void prefetch(std::size_t row) const { targets_->prefetch(row); }
    void move(std::size_t row) {
        targets_->add_row(row, left_.data());
        left_weight_ += targets_->weight_of(row);
    }
    void move(const double* stats, double weight) {
        for (std::size_t s = 0; s < left_.size(); ++s) left_[s] += stats[s];
        left_weight_ += weight;
    }
    bool beats(double) {
        for (std::size_t s = 0; s < left_.size(); ++s) right_[s] = all_[s] - left_[s];
        return score_->admits(left_.data()) && score_->admits(right_.data());
    }
    double score() const {
        return score_->side(left_.data(), parent_) + score_->side(right_.data(), parent_);
    }
    double left_weight() const { return left_weight_; }

private:
    const Targets* targets_ = nullptr;
    const SideScore* score_ = nullptr;
    std::vector<double> left_, right_, all_;
    const double* parent_ = nullptr;
    double left_weight_ = 0;
};

}  // namespace treewright
