// What lies on the two sides of a split while rows move from one to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/arithmetic/portable_math.hpp"

namespace treewright::oblique {

enum class Impurity : std::uint8_t { gini, entropy };

// The classes and weights of the rows of a node.
struct NodeTarget {
    Impurity impurity = Impurity::gini;
    std::size_t n_classes = 0;
    std::vector<std::uint16_t> classes;  // of each row
    std::vector<double> weight;          // of each row, as limits count it
    std::vector<double> score_weight;    // the same times the factors of altered priors
    double min_rows = 1;                 // on each side
    double min_weight = 0;

    std::size_t n_rows() const { return weight.size(); }
};

// Scores are as in criterion.hpp: higher is purer, gain = score of the sides - score of the node.
class SplitTally {
public:
    explicit SplitTally(const NodeTarget& target)
        : target_(target), left_(target.n_classes), right_(target.n_classes) {
        for (std::size_t row = 0; row < target.n_rows(); ++row) add(right_, row);
    }

    void to_left(std::size_t row) { move(right_, left_, row); }
    void to_right(std::size_t row) { move(left_, right_, row); }

    bool is_allowed() const {
        return left_.n_rows >= target_.min_rows && right_.n_rows >= target_.min_rows &&
               left_.weight >= target_.min_weight && right_.weight >= target_.min_weight;
    }

    double score() const { return score_of(left_) + score_of(right_); }

    // The score of all rows on one side.
    double score_unsplit() const {
        Side all = left_;
        for (std::size_t s = 0; s < all.stats.size(); ++s) all.stats[s] += right_.stats[s];
        all.score_weight += right_.score_weight;
        all.n_rows += right_.n_rows;
        all.running = 0.0;
        for (const double stat : all.stats) all.running += term(stat);
        return score_of(all);
    }

    double score_weight() const { return left_.score_weight + right_.score_weight; }

private:
    struct Side {
        explicit Side(std::size_t n_classes) : stats(n_classes, 0.0) {}
        std::vector<double> stats;  // score weight of each class
        double running = 0.0;       // sum of term() over the classes
        double score_weight = 0.0;
        double weight = 0.0;
        double n_rows = 0.0;
    };

    double term(double stat) const {
        return target_.impurity == Impurity::entropy ? x_log2_x(stat) : stat * stat;
    }

    void change(Side& side, std::size_t at, double by) {
        const double before = side.stats[at];
        side.stats[at] = before + by;
        if (target_.impurity == Impurity::entropy) {
            side.running += x_log2_x(before + by) - x_log2_x(before);
        } else {
            side.running += by * (2 * before + by);
        }
        side.score_weight += by;
    }

    void add(Side& side, std::size_t row, double sign = 1.0) {
        change(side, target_.classes[row], sign * target_.score_weight[row]);
        side.weight += sign * target_.weight[row];
        side.n_rows += sign;
    }

    void move(Side& from, Side& to, std::size_t row) {
        add(from, row, -1.0);
        add(to, row);
    }

    double score_of(const Side& side) const {
        if (!(side.n_rows > 0) || !(side.score_weight > 0)) return 0.0;
        if (target_.impurity == Impurity::gini) return side.running / side.score_weight;
        return side.running - x_log2_x(side.score_weight);
    }

    const NodeTarget& target_;
    Side left_, right_;
};

}  // namespace treewright::oblique
