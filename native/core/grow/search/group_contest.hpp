// How divisions of groups into children are scored and compared. Private to the group searches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/search/group_search.hpp"

namespace treewright {

// Adds groups up and scores the sum.
class Pile {
public:
    explicit Pile(const GroupProblem& problem)
        : problem_(problem), stats_(problem.groups.n_stats, 0.0) {}

    void clear() {
        std::ranges::fill(stats_, 0.0);
        rows_ = 0;
        weight_ = 0.0;
        members_.clear();
    }
    void add(std::size_t group) {
        const auto& groups = problem_.groups;
        add(groups.of(group), groups.rows[group], groups.weight[group]);
        if (!problem_.rows_of_group.empty()) {
            const auto& rows = problem_.rows_of_group[group];
            members_.insert(members_.end(), rows.begin(), rows.end());
        }
    }
    void add_missing() {
        const auto& groups = problem_.groups;
        add(groups.missing_stats.data(), groups.missing_rows, groups.missing_weight);
        members_.insert(members_.end(), problem_.missing_rows.begin(), problem_.missing_rows.end());
    }
    bool may_stand() const { return problem_.score.admits(stats_.data()); }
    bool is_large_enough() const {
        return rows_ > 0 && static_cast<double>(rows_) >= problem_.min_rows &&
               weight_ >= problem_.min_weight * (1 - 1e-9) && may_stand();
    }
    double score(const double* parent) const {
        if (problem_.score.measure() == Measure::absolute_error) {
            return -absolute_error_of(problem_.targets, members_);
        }
        return problem_.score.side(stats_.data(), parent);
    }
    const std::vector<double>& stats() const { return stats_; }

private:
    void add(const double* stats, std::int64_t rows, double weight) {
        for (std::size_t s = 0; s < stats_.size(); ++s) stats_[s] += stats[s];
        rows_ += rows;
        weight_ += weight;
    }
    const GroupProblem& problem_;
    std::vector<double> stats_;
    std::int64_t rows_ = 0;
    double weight_ = 0;
    std::vector<std::uint32_t> members_;
};

// What all sides together hold.
inline std::vector<double> parent_stats(const GroupProblem& problem) {
    Pile all(problem);
    for (std::size_t g = 0; g < problem.groups.size(); ++g) all.add(g);
    if (problem.missing_counts()) all.add_missing();
    return all.stats();
}

// Scores a division of the groups into children, missing values included, and keeps the best.
class Contest {
public:
    explicit Contest(const GroupProblem& problem)
        : problem_(problem), parent_(parent_stats(problem)), pile_(problem) {}

    // Every child must be large enough, or, for branches, two of them.
    void enter(std::span<const std::uint32_t> child_of_group, std::uint32_t n_children,
               bool all_large) {
        const bool learned = problem_.settings.missing == MissingPolicy::learned;
        if (!problem_.missing_counts() || !learned) {
            enter_with(child_of_group, n_children, all_large, -1);
            return;
        }
        for (std::uint32_t child = 0; child < n_children; ++child) {
            enter_with(child_of_group, n_children, all_large, static_cast<int>(child));
        }
    }
    const std::vector<double>& parent() const { return parent_; }
    GroupSplit result() { return std::move(best_); }

    // Takes a division that has been scored.
    void keep(std::span<const std::uint32_t> child_of_group, std::uint32_t n_children,
              int missing_child, double score, std::uint32_t n_large) {
        if (problem_.missing_counts() && missing_child < 0) {
            pile_.clear();
            pile_.add_missing();
            if (!pile_.may_stand()) return;
            if (pile_.is_large_enough()) ++n_large;
            score += pile_.score(parent_.data());
        }
        if (n_large < 2) return;
        if (best_.found && !(score > best_.score + problem_.tolerance)) return;
        best_.found = true;
        best_.score = score;
        best_.child_of_group.assign(child_of_group.begin(), child_of_group.end());
        best_.n_children = n_children;
        best_.missing_child = missing_child;
    }

private:
    void enter_with(std::span<const std::uint32_t> child_of_group, std::uint32_t n_children,
                    bool all_large, int missing_child) {
        double score = 0.0;
        std::uint32_t n_large = 0;
        for (std::uint32_t child = 0; child < n_children; ++child) {
            pile_.clear();
            for (std::size_t g = 0; g < child_of_group.size(); ++g) {
                if (child_of_group[g] == child) pile_.add(g);
            }
            if (missing_child == static_cast<int>(child)) pile_.add_missing();
            if (pile_.is_large_enough()) {
                ++n_large;
            } else if (all_large) {
                return;
            }
            score += pile_.score(parent_.data());
        }
        keep(child_of_group, n_children, missing_child, score, n_large);
    }

    const GroupProblem& problem_;
    std::vector<double> parent_;
    Pile pile_;
    GroupSplit best_;
};

}  // namespace treewright
