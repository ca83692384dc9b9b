// The walk over all leaves of a tree that Shapley values by training weight need.
//
// For a row, a leaf counts in value(S) with a product over the columns of its path: of each column
// `known` (1 or 0: whether the row's value leads there) where it is in S, `unknown` (the share of
// training weight that goes there) where it is not. If every column is in S by a chance of t, that
// is the polynomial
//
//     product of (unknown + (known - unknown) t)
//
// and the Shapley value of column j is the integral over t of its derivative by j's own chance
// (Owen 1972). The walk carries the polynomial as its values at a few points t, enough for an exact
// integral; all are products of numbers from 0 to 1, so no digits are lost in deep trees.
//
// A question that looks at several columns (a missing value with surrogates, a weighted sum) is
// known if all of them are. Its factor is unknown + (known - unknown) [all in S], a sum of two
// products, and the walk goes both ways.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel/cancellation.hpp"
#include "core/shap/quadrature.hpp"
#include "core/shap/tree_shap.hpp"

namespace treewright {

struct Factor {
    double known = 1.0;
    double unknown = 1.0;

    double at(double t) const { return unknown + (known - unknown) * t; }
    bool is_zero() const { return known == 0 && unknown == 0; }
};

// A column whose factor a step has changed.
struct Change {
    std::size_t column;
    Factor before;
    Factor after;
};

// Taker: open(depth) is called when a step leads to a node; end_path(depth, node, polynomial, path)
// where a path ends at a node, with all changes on the path; close(depth, changes) when the step is
// taken back, with its own changes. The root has depth 0 and is never closed.
template <typename Taker>
class PathWalk {
public:
    PathWalk(const ShapTree& tree, const Quadrature& points, Watch& watch)
        : tree_(tree), points_(points), watch_(watch), factors_(tree.n_columns()) {}

    void run(const double* row, Taker& taker) {
        row_ = row;
        stack_.clear();
        changes_.clear();
        reads_.clear();
        std::ranges::fill(polynomial(0), 1.0);
        taker.open(0);
        if (tree_.is_leaf(0)) return taker.end_path(0, 0, polynomial(0), changes_);
        enter(0, 0);
        while (!stack_.empty()) {
            Visit& here = stack_.back();
            if (here.next == n_ways(here)) {
                leave(taker);
            } else {
                go(here.next++, taker);
            }
        }
    }

private:
    // A node of the path. Its ways are its children and then the node itself, as an end; where a
    // question looks at several columns, all of them once for each of the two products.
    struct Visit {
        std::size_t node;
        std::int32_t found;      // the child the row goes to, or stop_here or spread_to_all
        std::int32_t next;       // way
        std::size_t first_read;  // the columns that the question looks at
        std::size_t n_reads;
        std::size_t first_change;  // of the step that led here
    };

    // What a step to one way multiplies the polynomial with.
    struct Way {
        std::size_t target;
        bool is_end;
        double known;
        double unknown;
    };

    // A row that remembers the columns that were looked at.
    struct Reader {
        PlainRow row;
        std::vector<std::size_t>& reads;

        double number(std::size_t i, std::size_t column) const {
            reads.push_back(column);
            return row.number(i, column);
        }
        std::int32_t code(std::size_t i, std::size_t column) const {
            reads.push_back(column);
            return row.code(i, column);
        }
    };

    std::span<double> polynomial(std::size_t depth) {
        const std::size_t n = points_.size();
        if (polynomials_.size() < (depth + 1) * n) polynomials_.resize(2 * (depth + 1) * n);
        return {polynomials_.data() + depth * n, n};
    }

    std::int32_t n_ways(const Visit& visit) const {
        const std::int32_t n = tree_.question(visit.node).n_children + 1;
        return visit.n_reads > 1 ? 2 * n : n;
    }

    void enter(std::size_t node, std::size_t first_change) {
        if ((++n_steps_ & 1023) == 0) watch_.check();
        const std::size_t first_read = reads_.size();
        const std::int32_t found =
            tree_.questions().child(tree_.question(node), Reader{PlainRow{row_}, reads_}, 0);
        if (found == spread_to_all) reads_.resize(first_read);  // known or not, the shares are same
        const auto read = reads_.begin() + static_cast<std::ptrdiff_t>(first_read);
        std::sort(read, reads_.end());
        reads_.erase(std::unique(read, reads_.end()), reads_.end());
        stack_.push_back({node, found, 0, first_read, reads_.size() - first_read, first_change});
    }

    Way way(const Visit& visit, std::int32_t number) const {
        const bool is_end = number == tree_.question(visit.node).n_children;
        Way way{is_end ? visit.node : tree_.child(visit.node, number), is_end, 0.0, 0.0};
        way.unknown = is_end ? tree_.own_share(visit.node) : tree_.share(way.target);
        if (visit.found == spread_to_all) {
            way.known = way.unknown;
        } else {
            way.known = visit.found == (is_end ? stop_here : number);
        }
        way.is_end = is_end || tree_.is_leaf(way.target);
        return way;
    }

    void go(std::int32_t number, Taker& taker) {
        const Visit visit = stack_.back();
        const std::int32_t n = tree_.question(visit.node).n_children + 1;
        const Way way = this->way(visit, number % n);
        const std::size_t depth = stack_.size();
        const std::size_t first_change = changes_.size();
        const auto to = polynomial(depth);
        std::ranges::copy(polynomial(depth - 1), to.begin());
        bool is_zero = false;
        if (visit.n_reads == 1) {
            const Factor& before = factors_[reads_[visit.first_read]];
            is_zero = !set(reads_[visit.first_read],
                           {before.known * way.known, before.unknown * way.unknown}, to);
        } else if (number < n) {
            is_zero = !scale(way.unknown, to);
        } else {
            is_zero = !scale(way.known - way.unknown, to);
            for (std::size_t i = 0; i < visit.n_reads && !is_zero; ++i) {
                const std::size_t column = reads_[visit.first_read + i];
                is_zero = !set(column, {factors_[column].known, 0.0}, to);
            }
        }
        if (is_zero) return take_back(first_change);
        taker.open(depth);
        if (!way.is_end) return enter(way.target, first_change);
        taker.end_path(depth, way.target, to, changes_);
        taker.close(depth, std::span(changes_).subspan(first_change));
        take_back(first_change);
    }

    void leave(Taker& taker) {
        const Visit visit = stack_.back();
        stack_.pop_back();
        const std::size_t depth = stack_.size();
        if (depth > 0) {
            taker.close(depth, std::span(changes_).subspan(visit.first_change));
        }
        take_back(visit.first_change);
        reads_.resize(visit.first_read);
    }

    static bool scale(double factor, std::span<double> polynomial) {
        for (double& value : polynomial) value *= factor;
        return factor != 0;
    }

    // Gives a column another factor; false if that is zero.
    bool set(std::size_t column, Factor after, std::span<double> polynomial) {
        const Factor before = factors_[column];
        if (after.is_zero()) return false;
        for (std::size_t q = 0; q < polynomial.size(); ++q) {
            polynomial[q] *= after.at(points_.point[q]) / before.at(points_.point[q]);
        }
        changes_.push_back({column, before, after});
        factors_[column] = after;
        return true;
    }

    void take_back(std::size_t first_change) {
        while (changes_.size() > first_change) {
            factors_[changes_.back().column] = changes_.back().before;
            changes_.pop_back();
        }
    }

    const ShapTree& tree_;
    const Quadrature& points_;
    Watch& watch_;
    const double* row_ = nullptr;
    std::size_t n_steps_ = 0;
    std::vector<Factor> factors_;
    std::vector<double> polynomials_;  // one for each depth
    std::vector<Visit> stack_;
    std::vector<Change> changes_;
    std::vector<std::size_t> reads_;
};

}  // namespace treewright
