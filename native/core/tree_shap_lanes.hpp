// Shapley values by training weight for eight rows at a time.
//
// The same sums as in tree_shap_walk.hpp, for rows of which one column decides at every node and
// sends them to one child. Then the polynomials of all rows are made of the same few numbers, worked
// out once for a tree: at a step, a column either led this way so far or not, and leads on or not.
// On a Neoverse N1, 1,000 rows in 100 boosted trees of 31 leaves take 0.14 s so, 0.60 s by the walk.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tree_shap.hpp"
#include "core/tree_shap_quadrature.hpp"

namespace treewright {

inline constexpr std::size_t n_lanes = 8;

// A number, or yes and no (all bits or none), for each lane.
struct Lanes {
    typedef double Numbers __attribute__((vector_size(n_lanes * sizeof(double))));
    Numbers of;
};
struct LaneMask {
    typedef std::int64_t Bits __attribute__((vector_size(n_lanes * sizeof(std::int64_t))));
    Bits of;
};

class LaneTree {
public:
    explicit LaneTree(const ShapTree& tree) : tree_(tree) {
        list_steps();
        points_ = Quadrature(std::max<std::size_t>(1, (most_columns_ + 1) / 2));
        fill_tables();
    }

    struct Scratch {
        explicit Scratch(const LaneTree& lanes)
            : routes(lanes.inner_.size() * n_lanes),
              polynomials((lanes.deepest_ + 1) * lanes.points_.size()),
              sums((lanes.deepest_ + 1) * lanes.points_.size() * lanes.tree_.n_values()),
              leads_here(lanes.deepest_ + 1),
              parts(lanes.columns_.size() * lanes.tree_.n_values()) {
            leads_here[0].of = ~LaneMask::Bits{};
        }

        std::vector<std::int64_t> routes;  // (n_inner, n_lanes): the child that a row goes to
        std::vector<Lanes> polynomials;    // (depth, n_points)
        std::vector<Lanes> sums;           // (depth, n_points, n_values): see ColumnSums
        std::vector<LaneMask> leads_here;  // by depth: whether the column of the step leads there
        std::vector<Lanes> parts;          // (n_columns asked, n_values)
    };

    // Gives a lane its row; false if the row is not of the kind that this class can take.
    bool route(const double* row, std::size_t lane, Scratch& scratch) const {
        if (has_sums_) return false;
        Counter counter{row};
        for (std::size_t i = 0; i < inner_.size(); ++i) {
            const std::int32_t found =
                tree_.questions().child(tree_.question(inner_[i]), counter, 0);
            if (found < 0) return false;
            scratch.routes[i * n_lanes + lane] = found;
        }
        return counter.n_reads == inner_.size();
    }

    // Adds the values of every lane to where `out` points: (n_columns, n_values), or nothing if null.
    void add(Scratch& scratch, const std::array<double*, n_lanes>& out) const {
        std::ranges::fill(scratch.parts, Lanes{});
        std::fill_n(scratch.polynomials.begin(), points_.size(), Lanes{Lanes::Numbers{} + 1.0});
        std::vector<std::size_t> open;  // inner steps from the root to here
        for (std::size_t at = 0; at < steps_.size(); ++at) {
            while (open.size() >= steps_[at].depth) {
                close(open.back(), scratch);
                open.pop_back();
            }
            go(at, scratch);
            if (steps_[at].goes_on) open.push_back(at);
        }
        for (; !open.empty(); open.pop_back()) close(open.back(), scratch);
        const std::size_t n_values = tree_.n_values();
        for (std::size_t i = 0; i < scratch.parts.size(); ++i) {
            const std::size_t place = columns_[i / n_values] * n_values + i % n_values;
            for (std::size_t lane = 0; lane < n_lanes; ++lane) {
                if (out[lane]) out[lane][place] += scratch.parts[i].of[lane];
            }
        }
    }

private:
    // A step from a node to a child, or to the node itself as an end. Steps stand in the order of a
    // walk that goes down first.
    struct Step {
        std::size_t target;
        std::size_t depth;        // 1 for a step from the root
        std::size_t column;       // its place in columns_
        std::size_t same_above;   // the depth of the last step above that asks the column, or 0
        std::size_t question;     // its place in inner_
        std::size_t n_columns;    // that are asked on the path to the target
        std::int64_t child;       // -1 for the node itself
        bool goes_on;
        double share;             // of the weight at the node
        double unknown_above;     // product of the shares of all steps above that ask the column
    };

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
                  .unknown_above = 1.0};
        if (same_above > 0) {
            const Step& above = path[same_above - 1];
            step.unknown_above = above.unknown_above * above.share;
        }
        return step;
    }

    // Of a question that asks a single column; trees with weighted sums have no row to take.
    std::size_t column_of(std::size_t node) const {
        return static_cast<std::size_t>(std::max(0, tree_.question(node).feature));
    }

    void fill_tables() {
        const std::size_t n = steps_.size() * points_.size();
        for (auto* table : {&stays_, &ends_, &slope_stays_, &slope_ends_}) table->reserve(n);
        for (const Step& step : steps_) {
            const double before = step.unknown_above, after = before * step.share;
            for (std::size_t q = 0; q < points_.size(); ++q) {
                const double t = points_.point[q], w = points_.weight[q];
                const double from = before + (1 - before) * t;
                const double to = after + (1 - after) * t;
                const double slope = w * (1 - before) / from;
                stays_.push_back(to / from);
                ends_.push_back(after * (1 - t) / from);
                slope_stays_.push_back(w * (1 - after) / to - slope);
                slope_ends_.push_back(-w / (1 - t) - slope);
            }
        }
    }

    void go(std::size_t at, Scratch& scratch) const {
        const Step& step = steps_[at];
        const std::size_t n_points = points_.size(), n_values = tree_.n_values();
        const std::int64_t* const routes = scratch.routes.data() + step.question * n_lanes;
        LaneMask::Bits found;
        for (std::size_t lane = 0; lane < n_lanes; ++lane) found[lane] = routes[lane];
        const LaneMask::Bits before = led(step, scratch).of;
        const LaneMask::Bits after = before & (found == step.child);
        scratch.leads_here[step.depth].of = after;

        const Lanes* const above = scratch.polynomials.data() + (step.depth - 1) * n_points;
        Lanes* const here = scratch.polynomials.data() + step.depth * n_points;
        const Lanes::Numbers share = Lanes::Numbers{} + step.share;
        for (std::size_t q = 0; q < n_points; ++q) {
            const Lanes::Numbers stays = Lanes::Numbers{} + stays_[at * n_points + q];
            const Lanes::Numbers ends = Lanes::Numbers{} + ends_[at * n_points + q];
            here[q].of = above[q].of * (before ? (after ? stays : ends) : share);
        }
        Lanes* const sums = scratch.sums.data() + step.depth * n_points * n_values;
        if (step.goes_on) {
            std::fill_n(sums, n_points * n_values, Lanes{});
            return;
        }
        const double* const answer = tree_.answer(step.target);
        Lanes* const sums_above = sums - n_points * n_values;
        Lanes::Numbers weight{};
        for (std::size_t q = 0; q < n_points; ++q) {
            const Lanes::Numbers stays = Lanes::Numbers{} + slope_stays_[at * n_points + q];
            const Lanes::Numbers ends = Lanes::Numbers{} + slope_ends_[at * n_points + q];
            weight += (before ? (after ? stays : ends) : Lanes::Numbers{}) * here[q].of;
            for (std::size_t k = 0; k < n_values; ++k) {
                sums_above[q * n_values + k].of += here[q].of * answer[k];
            }
        }
        Lanes* const part = scratch.parts.data() + step.column * n_values;
        for (std::size_t k = 0; k < n_values; ++k) part[k].of += weight * answer[k];
    }

    void close(std::size_t at, Scratch& scratch) const {
        const Step& step = steps_[at];
        const std::size_t n_points = points_.size(), n_values = tree_.n_values();
        const LaneMask::Bits before = led(step, scratch).of;
        const LaneMask::Bits after = scratch.leads_here[step.depth].of;
        const Lanes* const sums = scratch.sums.data() + step.depth * n_points * n_values;
        Lanes* const sums_above = scratch.sums.data() + (step.depth - 1) * n_points * n_values;
        Lanes* const part = scratch.parts.data() + step.column * n_values;
        for (std::size_t q = 0; q < n_points; ++q) {
            const Lanes::Numbers stays = Lanes::Numbers{} + slope_stays_[at * n_points + q];
            const Lanes::Numbers ends = Lanes::Numbers{} + slope_ends_[at * n_points + q];
            const Lanes::Numbers weight = before ? (after ? stays : ends) : Lanes::Numbers{};
            for (std::size_t k = 0; k < n_values; ++k) {
                const Lanes::Numbers below = sums[q * n_values + k].of;
                part[k].of += weight * below;
                sums_above[q * n_values + k].of += below;
            }
        }
    }

    // Whether the column of a step led to the node that the step leaves.
    static const LaneMask& led(const Step& step, const Scratch& scratch) {
        return scratch.leads_here[step.same_above];  // all lanes at the root
    }

    const ShapTree& tree_;
    std::vector<std::size_t> inner_;    // nodes that ask
    std::vector<std::size_t> columns_;  // that they ask for
    std::vector<Step> steps_;
    std::size_t deepest_ = 0;
    std::size_t most_columns_ = 0;
    bool has_sums_ = false;  // whether a node asks a weighted sum
    Quadrature points_{1};

    // For each step and point: what the polynomial is multiplied with, and what the slope of the
    // column gains, if the column led here and leads on (`stays`) or does not (`ends`). Where it did
    // not lead here, that is the share, and nothing.
    std::vector<double> stays_, ends_, slope_stays_, slope_ends_;
};

}  // namespace treewright
