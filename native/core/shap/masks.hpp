// Shapley values against many background rows at once.
//
// For rows of which one column decides at every node and sends them to one child. A mixture of a
// row and a background row comes to a leaf if each column of the path, with all its questions
// there, leads on in one of the two; a bit for each column says which do. So background rows with
// the same bits at a leaf are one: they are counted, and each leaf is looked at once for a row.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/shap/orders.hpp"
#include "core/shap/steps.hpp"

namespace treewright {

class BackgroundMasks {
public:
    static constexpr std::size_t most_columns = 64;  // of a path: what a mask has bits for

    BackgroundMasks(const ShapTree& tree, const ShapSteps& steps, const OrderTable& parts)
        : tree_(tree), steps_(steps), parts_(parts) {
        std::vector<std::size_t> path;
        for (const Step& step : steps.steps()) {
            path.resize(step.depth == 1 ? 0 : n_columns_at(step.depth - 1));
            if (step.bit == path.size()) path.push_back(steps.columns()[step.column]);
            if (columns_at_depth_.size() <= step.depth) columns_at_depth_.resize(step.depth + 1);
            columns_at_depth_[step.depth] = path.size();
            if (step.goes_on || step.child < 0) continue;
            ends_.push_back({step.target, columns_.size(), path.size(), {}});
            columns_.insert(columns_.end(), path.begin(), path.end());
        }
    }

    std::size_t n_ends() const { return ends_.size(); }

    struct Scratch {
        std::vector<std::uint64_t> by_depth;
        std::vector<std::uint64_t> masks;
        std::vector<double> gains;
    };

    void add_background(const std::int64_t* routes, Scratch& scratch) {
        find_masks(routes, scratch);
        for (std::size_t i = 0; i < ends_.size(); ++i) {
            ends_[i].others.push_back({scratch.masks[i], 1.0});
        }
    }

    // To be called when all background rows are there; each counts `scale`.
    void count(double scale) {
        for (End& end : ends_) {
            std::ranges::sort(end.others, {}, &Others::mask);
            std::size_t n = 0;
            for (const Others& one : end.others) {
                if (n > 0 && end.others[n - 1].mask == one.mask) {
                    end.others[n - 1].weight += one.weight;
                } else {
                    end.others[n++] = one;
                }
            }
            end.others.resize(n);
            for (Others& one : end.others) one.weight *= scale;
        }
    }

    // Adds the values of a row, (n_columns, n_values).
    void add(const std::int64_t* routes, double* out, Scratch& scratch) const {
        find_masks(routes, scratch);
        for (std::size_t i = 0; i < ends_.size(); ++i) {
            add_end(ends_[i], scratch.masks[i], out, scratch);
        }
    }

private:
    using Step = ShapSteps::Step;

    struct Others {
        std::uint64_t mask;
        double weight;  // of all background rows with this mask
    };
    struct End {
        std::size_t node;
        std::size_t first_column;  // in columns_
        std::size_t n_columns;
        std::vector<Others> others;
    };

    std::size_t n_columns_at(std::size_t depth) const { return columns_at_depth_[depth]; }

    // For every end, which columns of its path lead the row on.
    void find_masks(const std::int64_t* routes, Scratch& scratch) const {
        scratch.by_depth.assign(steps_.deepest() + 1, ~std::uint64_t{0});
        scratch.masks.clear();
        for (const Step& step : steps_.steps()) {
            std::uint64_t mask = scratch.by_depth[step.depth - 1];
            if (routes[step.question] != step.child) mask &= ~(std::uint64_t{1} << step.bit);
            scratch.by_depth[step.depth] = mask;
            if (!step.goes_on && step.child >= 0) scratch.masks.push_back(mask);
        }
    }

    void add_end(const End& end, std::uint64_t mask, double* out, Scratch& scratch) const {
        const std::uint64_t all = ~std::uint64_t{0} >> (most_columns - end.n_columns);
        const std::uint64_t from_others = all & ~mask;
        const auto n_others = static_cast<std::size_t>(std::popcount(from_others));
        double loss = 0.0;
        bool is_reached = false;
        for (const Others& one : end.others) {
            if (from_others & ~one.mask) continue;
            if (!is_reached) scratch.gains.assign(end.n_columns, 0.0);
            is_reached = true;
            std::uint64_t from_row = all & ~one.mask;
            const auto n_row = static_cast<std::size_t>(std::popcount(from_row));
            loss += one.weight * parts_(n_others, n_row);
            const double gain = one.weight * parts_(n_row, n_others);
            for (; from_row; from_row &= from_row - 1) {
                scratch.gains[static_cast<std::size_t>(std::countr_zero(from_row))] += gain;
            }
        }
        if (!is_reached) return;
        const std::size_t n_values = tree_.n_values();
        const double* const prediction = tree_.prediction(end.node);
        for (std::size_t bit = 0; bit < end.n_columns; ++bit) {
            const bool is_row = mask >> bit & 1;
            const double worth = is_row ? scratch.gains[bit] : -loss;
            double* const part = out + columns_[end.first_column + bit] * n_values;
            for (std::size_t k = 0; k < n_values; ++k) part[k] += worth * prediction[k];
        }
    }

    const ShapTree& tree_;
    const ShapSteps& steps_;
    const OrderTable& parts_;
    std::vector<End> ends_;
    std::vector<std::size_t> columns_;  // of all ends, in the order of their bits
    std::vector<std::size_t> columns_at_depth_;
};

}  // namespace treewright
