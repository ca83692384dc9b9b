// The steps of a tree in the order of a walk that goes down first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/shap/tree_shap.hpp"

namespace treewright {

class ShapSteps {
public:
    // A step from a node to a child, or to the node itself as an end.
    struct Step {
        std::size_t target;
        std::size_t depth;       // 1 for a step from the root
        std::size_t column;      // its place in columns()
        std::size_t same_above;  // the depth of the last step above that asks the column, or 0
        std::size_t question;    // of the node it leaves: its place among the inner nodes
        std::size_t n_columns;   // that are asked on the path to the target
        std::int64_t child;      // -1 for the node itself
        bool goes_on;
        double share;          // of the weight at the node
        double unknown_above;  // product of the shares of all steps above that ask the column
        std::size_t bit;       // of the column among the columns of the path, in order
    };

    explicit ShapSteps(const ShapTree& tree) : tree_(tree) { list_steps(); }

    const std::vector<Step>& steps() const { return steps_; }
    std::size_t n_inner() const { return inner_.size(); }
    const std::vector<std::size_t>& columns() const { return columns_; }  // that nodes test
    std::size_t deepest() const { return deepest_; }
    std::size_t most_columns() const { return most_columns_; }  // of one path

    // Writes to which child of every inner node a row goes, in routes[0], routes[stride] ...; false
    // unless one column decides that and it is one child, at every node.
    bool route(const double* row, std::int64_t* routes, std::size_t stride) const {
        if (has_sums_) return false;
        Counter counter{row};
        for (const std::size_t node : inner_) {
            const std::int32_t found = tree_.questions().child(tree_.question(node), counter, 0);
            if (found < 0) return false;
            *routes = found;
            routes += stride;
        }
        return counter.n_reads == inner_.size();
    }

private:
    // Reads a row and counts how often.
    struct Counter {
        const double* values;
        mutable std::size_t n_reads = 0;

        double number(std::size_t, std::size_t column) const {
            ++n_reads;
            return values[column];
        }
        std::int32_t code(std::size_t, std::size_t column) const {
            ++n_reads;
            return static_cast<std::int32_t>(values[column]);
        }
    };

    void list_steps() {
        steps_.reserve(tree_.n_nodes());
        struct Visit {
            std::size_t node;
            std::int32_t next;
            std::size_t question;
        };
        std::vector<std::size_t> place(tree_.n_columns(), tree_.n_columns());
        std::vector<std::size_t> depth_of;  // of each asked column: its last step on the path, or 0
        std::vector<Step> path;
        std::vector<Visit> stack;
        const auto enter = [&](std::size_t node) {
            stack.push_back({node, 0, inner_.size()});
            inner_.push_back(node);
            has_sums_ |= tree_.question(node).kind == NodeKind::oblique;
            const std::size_t column = column_of(node);
            if (place[column] < tree_.n_columns()) return;
            place[column] = columns_.size();
            columns_.push_back(column);
            depth_of.push_back(0);
        };
        if (!tree_.is_leaf(0)) enter(0);
        while (!stack.empty()) {
            for (; path.size() >= stack.size(); path.pop_back()) {
                depth_of[path.back().column] = path.back().same_above;
            }
            Visit& visit = stack.back();
            if (visit.next > tree_.question(visit.node).n_children) {
                stack.pop_back();
                continue;
            }
            const Step step = step_from(visit.node, visit.next++, visit.question, path,
                                        depth_of[place[column_of(visit.node)]]);
            if (step.child < 0 && step.share == 0) continue;
            path.push_back(step);
            path.back().column = place[column_of(visit.node)];
            depth_of[path.back().column] = path.back().depth;
            steps_.push_back(path.back());
            deepest_ = std::max(deepest_, step.depth);
            most_columns_ = std::max(most_columns_, step.n_columns);
            if (step.goes_on) enter(step.target);
        }
    }

    // The step to a child, or to the node itself if there is no child of that number.
    Step step_from(std::size_t node, std::int32_t child, std::size_t question,
                   const std::vector<Step>& path, std::size_t same_above) const {
        const bool is_own = child == tree_.question(node).n_children;
        const std::size_t target = is_own ? node : tree_.child(node, child);
        Step step{.target = target,
                  .depth = path.size() + 1,
                  .column = 0,
                  .same_above = same_above,
                  .question = question,
                  .n_columns = (path.empty() ? 0 : path.back().n_columns) + (same_above == 0),
                  .child = is_own ? -1 : child,
                  .goes_on = !is_own && !tree_.is_leaf(target),
                  .share = is_own ? tree_.own_share(node) : tree_.share(target),
                  .unknown_above = 1.0,
                  .bit = 0};
        step.bit = step.n_columns - 1;
        if (same_above > 0) {
            const Step& above = path[same_above - 1];
            step.unknown_above = above.unknown_above * above.share;
            step.bit = above.bit;
        }
        return step;
    }

    // Of a question that asks a single column; trees with weighted sums have no row to take.
    std::size_t column_of(std::size_t node) const {
        return static_cast<std::size_t>(std::max(0, tree_.question(node).feature));
    }

    const ShapTree& tree_;
    std::vector<std::size_t> inner_;  // nodes that ask
    std::vector<std::size_t> columns_;
    std::vector<Step> steps_;
    std::size_t deepest_ = 0;
    std::size_t most_columns_ = 0;
    bool has_sums_ = false;  // whether a node asks a weighted sum
};

// A step at one point of the quadrature, if its column led to the node that the step leaves: what
// the polynomial is multiplied with, and what the slope of the column gains, if the column leads on
// (`stays`) or does not (`ends`).
class StepAtPoint {
public:
    StepAtPoint(const ShapSteps::Step& step, double t, double weight)
        : t_(t),
          weight_(weight),
          before_(step.unknown_above),
          after_(before_ * step.share),
          from_(before_ + (1 - before_) * t),
          to_(after_ + (1 - after_) * t) {}

    double stays() const { return to_ / from_; }
    double ends() const { return after_ * (1 - t_) / from_; }
    double slope_stays() const { return weight_ * (1 - after_) / to_ - slope(); }
    double slope_ends() const { return -weight_ / (1 - t_) - slope(); }

private:
    double slope() const { return weight_ * (1 - before_) / from_; }  // so far

    double t_, weight_, before_, after_, from_, to_;
};

}  // namespace treewright
