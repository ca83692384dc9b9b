// The best set of levels for two classes by Gini, every row counting once.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/grow/columns.hpp"
#include "core/grow/search/group_search.hpp"
#include "core/grow/search/groups.hpp"

namespace treewright {

// In order of the first class's share, one of the n - 1 cuts is the best set (Breiman et al. 1984,
// theorem 4.5). Finds what best_subset() finds, and allocates no memory: most nodes are small.
class TwoClassSubset {
public:
    // Shares of two levels with n rows differ by 4 / n^2 at least, or not at all: by more than what
    // best_subset() takes for rounding.
    static constexpr std::size_t max_rows = 1'000'000;

    // At least two groups, at most max_codes, and both classes in them.
    TwoClassSubset(const Groups& groups, double min_rows, double tolerance) : n_(groups.size()) {
        double all[2] = {0, 0};
        for (std::size_t g = 0; g < n_; ++g) {
            const double* stats = groups.of(g);
            all[0] += stats[0];
            all[1] += stats[1];
            order_[g] = {stats[0] / (stats[0] + stats[1]), static_cast<std::uint32_t>(g)};
        }
        sort_levels();
        undivided_ = side(all[0], all[1]);
        find_cut(groups, all, min_rows, tolerance);
        if (n_ > max_levels_tried_exactly && found() && score_ <= undivided_ + tolerance) {
            prefer_the_middle(groups, min_rows);
        }
    }

    bool found() const { return n_left_ > 0; }
    double gain() const { return score_ - undivided_; }

    // Child 0 holds the lowest level.
    std::vector<std::uint32_t> children() const {
        std::vector<std::uint32_t> child(n_, 1);
        for (std::size_t i = 0; i < n_left_; ++i) child[order_[i].group] = 0;
        if (child[0] == 1) {
            for (auto& one : child) one = 1 - one;
        }
        return child;
    }

private:
    struct Level {
        double share;
        std::uint32_t group;
    };

    static double side(double zeros, double ones) {
        return (zeros * zeros + ones * ones) / (zeros + ones);
    }

    // By rising share; equal ones keep the order of the levels.
    void sort_levels() {
        constexpr std::size_t few = 16;
        if (n_ <= few) {
            for (std::size_t i = 1; i < n_; ++i) {
                const Level level = order_[i];
                std::size_t at = i;
                for (; at > 0 && order_[at - 1].share > level.share; --at) {
                    order_[at] = order_[at - 1];
                }
                order_[at] = level;
            }
            return;
        }
        const auto end = order_.begin() + static_cast<std::ptrdiff_t>(n_);
        std::sort(order_.begin(), end, [](const Level& a, const Level& b) {
            return a.share < b.share || (a.share == b.share && a.group < b.group);
        });
    }

    void find_cut(const Groups& groups, const double* all, double min_rows, double tolerance) {
        double zeros = 0, ones = 0;
        for (std::size_t i = 0; i + 1 < n_; ++i) {
            const double* stats = groups.of(order_[i].group);
            zeros += stats[0];
            ones += stats[1];
            if (zeros + ones < min_rows) continue;
            if (all[0] + all[1] - (zeros + ones) < min_rows) return;
            const double score = side(zeros, ones) + side(all[0] - zeros, all[1] - ones);
            if (!found() || score > score_ + tolerance) {
                score_ = score;
                n_left_ = i + 1;
            }
        }
    }

    // No cut gains anything: see subset_search.cpp.
    void prefer_the_middle(const Groups& groups, double min_rows) {
        double rows[2] = {0, 0};
        for (std::size_t i = 0; i < n_; ++i) {
            rows[i >= n_ / 2] += static_cast<double>(groups.rows[order_[i].group]);
        }
        if (std::min(rows[0], rows[1]) >= min_rows) n_left_ = n_ / 2;
    }

    std::array<Level, max_codes> order_;
    std::size_t n_ = 0;
    std::size_t n_left_ = 0;
    double score_ = 0, undivided_ = 0;
};

}  // namespace treewright
