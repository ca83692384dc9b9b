// The best split of one node on one column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/grow/search/absolute_error.hpp"
#include "core/grow/search/candidate.hpp"
#include "core/grow/search/group_search.hpp"
#include "core/grow/search/node_groups.hpp"
#include "core/grow/search/scan.hpp"
#include "core/grow/search/search_scratch.hpp"
#include "core/grow/search/two_class_subset.hpp"
#include "core/grow/workspace.hpp"
#include "core/short_cuts.hpp"

namespace treewright {

template <class Index>
class ColumnSearch {
public:
    ColumnSearch(const Context& context, const Workspace<Index>& workspace, const NodeView& node,
                 SearchScratch<Index>& scratch)
        : context_(context),
          settings_(context.settings),
          workspace_(workspace),
          targets_(workspace.targets),
          node_(node),
          scratch_(scratch),
          reader_(context.settings, workspace, node, scratch) {}

    // With `split`, also how to carry the candidate out.
    Candidate evaluate(std::uint32_t place, Split* split = nullptr) {
        place_ = place;
        reader_.open(place);
        column_ = &workspace_.columns[place];
        view_ = &context_.views[static_cast<std::size_t>(column_->column)];
        if (view_->is_nominal() || settings_.numeric == NumericSplit::intervals) {
            return evaluate_groups(split);
        }
        return evaluate_threshold(split);
    }

private:
    using Elements = typename NodeGroups<Index>::Elements;

    bool learns() const { return settings_.missing == MissingPolicy::learned; }
    bool branches() const { return settings_.missing == MissingPolicy::branch; }
    bool absolute() const { return settings_.measure == Measure::absolute_error; }

    double value_at(std::size_t row) const { return view_->number(workspace_.origin[row]); }

    // ---------------------------------------------------------------- limits

    double known_weight() const { return node_.weight - scratch_.groups.missing_weight; }

    double min_side_rows() const {
        return settings_.sizes_are_weights() ? 1 : settings_.min_samples_leaf;
    }

    double min_side_weight() const {
        if (!settings_.sizes_are_weights()) return settings_.min_weight_leaf;
        double least = settings_.min_samples_leaf;
        if (settings_.limits_by_weight && !view_->is_nominal() && targets_.is_classification()) {
            const double share = 0.1 * known_weight() / static_cast<double>(targets_.n_classes);
            least = std::max(least, std::min(25.0, share));
        }
        return std::max(least, settings_.min_weight_leaf);
    }

    // ---------------------------------------------------------------- levels and intervals

    GroupProblem group_problem() {
        return {scratch_.groups,        settings_,
                context_.score,         targets_,
                context_.check,         min_side_rows(),
                min_side_weight(),      node_.tolerance(),
                scratch_.rows_of_group, scratch_.missing_rows};
    }

    GroupSplit best_division(const GroupProblem& problem) {
        if (!view_->is_nominal()) return score_division(problem, best_intervals(problem));
        switch (settings_.nominal) {
            case NominalSplit::branches: return best_branches(problem);
            case NominalSplit::subset: return best_subset(problem);
            default: return best_level_against_rest(problem);
        }
    }

    Candidate evaluate_groups(Split* split) {
        if (!absolute()) scratch_.rows_of_group.clear();
        reader_.build_groups();
        const auto& groups = scratch_.groups;
        Candidate candidate;
        candidate.place = place_;
        candidate.constant = groups.size() + (groups.missing_rows > 0) < 2;
        if (is_two_class_subset()) {
            const TwoClassSubset found(groups, min_side_rows(), node_.tolerance());
            candidate.too_small = !found.found();
            if (!found.found()) return candidate;
            std::vector<double> none;
            finish(candidate, found.gain(), none, -1, 0);
            if (split) describe_groups({true, 0, found.children(), 2, -1}, *split);
        } else {
            search_groups(candidate, split);
        }
        candidate.in_average = context_.sets_standard[static_cast<std::size_t>(column_->column)];
        return candidate;
    }

    bool is_two_class_subset() const {
        const auto& groups = scratch_.groups;
        if (!takes(ShortCut::two_class_subset)) return false;
        const bool two_classes = targets_.n_classes == 2 && targets_.counts_rows();
        if (node_.size() > TwoClassSubset::max_rows) return false;
        if (!view_->is_nominal() || !two_classes || settings_.measure != Measure::gini ||
            settings_.nominal != NominalSplit::subset || settings_.gain_ratio) {
            return false;
        }
        if (groups.size() < 2 || groups.size() > max_codes || min_side_weight() > 0) return false;
        if (groups.missing_rows == 0) return true;
        const auto knows = [&](std::size_t cls) {
            return node_.stats[cls] > groups.missing_stats[cls];
        };
        return !learns() && !branches() && knows(0) && knows(1);
    }

    void search_groups(Candidate& candidate, Split* split) {
        const auto& groups = scratch_.groups;
        const GroupProblem problem = group_problem();
        const GroupSplit found = best_division(problem);
        candidate.too_small = !found.found && groups.size() > 1;
        if (!found.found) return;
        std::vector<double> weights(found.n_children, 0.0);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            weights[found.child_of_group[g]] += groups.weight[g];
        }
        finish(candidate, found.score - undivided_score(problem), weights, found.missing_child, 0);
        if (split) describe_groups(found, *split);
    }

    void describe_groups(const GroupSplit& found, Split& split) {
        const auto& groups = scratch_.groups;
        split.kind = !view_->is_nominal()                          ? SplitKind::intervals
                     : settings_.nominal == NominalSplit::branches ? SplitKind::branches
                                                                   : SplitKind::subset;
        split.place = place_;
        split.codes = groups.codes;
        split.child_of_code = found.child_of_group;
        split.n_children = found.n_children;
        split.missing_child = found.missing_child;
        split.missing_rows = groups.missing_rows;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (view_->is_nominal()) {
                split.level_of_code.push_back(
                    column_->counted ? column_->levels[groups.codes[g]]
                                     : view_->code(workspace_.origin[groups.a_row[g]]));
            } else if (g > 0 && found.child_of_group[g] != found.child_of_group[g - 1]) {
                split.cuts.push_back(threshold_between(group_value(g - 1), group_value(g)));
            }
        }
    }

    double group_value(std::size_t group) const {
        const auto& groups = scratch_.groups;
        return column_->counted ? column_->values[groups.codes[group]]
                                : value_at(groups.a_row[group]);
    }

    // ---------------------------------------------------------------- thresholds

    Candidate evaluate_threshold(Split* split) {
        Candidate candidate;
        candidate.place = place_;
        const bool has_close_values = least_gap() > 0;
        if (has_close_values || reader_.counting_is_cheaper()) {
            reader_.build_groups();
            candidate.constant = scratch_.groups.size() + (scratch_.groups.missing_rows > 0) < 2;
            if (candidate.constant || scratch_.groups.size() == 0) return candidate;
            forbid_close_cuts();
            search_cut(candidate, split);
            return candidate;
        }
        const Elements all = reader_.elements();
        candidate.constant = all.front().rank == all.back().rank;
        if (candidate.constant) return candidate;
        elements_ = all.first(reader_.n_known(all));
        scratch_.groups.clear(targets_.n_stats());
        reader_.tally_missing(all.subspan(elements_.size()));
        search_cut(candidate, split);
        elements_ = {};
        return candidate;
    }

    double least_gap() const {
        return context_.least_gap.empty()
                   ? 0.0
                   : context_.least_gap[static_cast<std::size_t>(column_->column)];
    }

    void forbid_close_cuts() {
        auto& groups = scratch_.groups;
        groups.may_cut_after.clear();
        if (least_gap() <= 0) return;
        for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
            groups.may_cut_after.push_back(group_value(g) + least_gap() < group_value(g + 1));
        }
        groups.may_cut_after.push_back(1);
    }

    // The statistics of the rows that know the value.
    void known_stats(std::vector<double>& out) {
        const auto& groups = scratch_.groups;
        out = node_.stats;
        if (groups.missing_rows == 0) return;
        if (targets_.counts_rows() && targets_.is_classification()) {
            for (std::size_t s = 0; s < out.size(); ++s) out[s] -= groups.missing_stats[s];
            return;
        }
        std::ranges::fill(out, 0.0);
        for (const auto& element : elements_) targets_.add_row(element.row, out.data());
        for (std::size_t g = 0; g < groups.size(); ++g) {
            for (std::size_t s = 0; s < out.size(); ++s) out[s] += groups.of(g)[s];
        }
    }

    void search_cut(Candidate& candidate, Split* split) {
        const auto& groups = scratch_.groups;
        known_stats(scratch_.right);
        scratch_.left.assign(scratch_.right.size(), 0.0);
        scratch_.all = scratch_.right;
        const bool has_missing = groups.missing_rows > 0;
        if (has_missing && (learns() || branches())) {
            for (std::size_t s = 0; s < scratch_.all.size(); ++s) {
                scratch_.all[s] += groups.missing_stats[s];
            }
        }
        BestCut best;
        int missing_child = -1;
        if (has_missing && learns()) {
            best = scan_with(0);
            missing_child = 0;
            BestCut right = scan_with(1);
            if (right.position >= 0 &&
                (best.position < 0 || right.score > best.score + node_.tolerance())) {
                best = right;
                missing_child = 1;
            }
        } else {
            best = scan_with(-1);
        }
        if (best.position < 0) {
            candidate.too_small = true;
            return;
        }
        if (has_missing && branches()) {
            if (!context_.score.admits(groups.missing_stats.data())) return;
            best.score += missing_score();
        }
        accept_cut(candidate, split, best, missing_child);
    }

    // Scans with the missing rows left out (-1), on the left (0) or on the right (1).
    BestCut scan_with(int missing_child) {
        const auto& groups = scratch_.groups;
        CutLimits limits;
        limits.min_rows = min_side_rows();
        limits.min_weight = min_side_weight();
        limits.tolerance = node_.tolerance();
        limits.total_weight = known_weight() + (missing_child >= 0 ? groups.missing_weight : 0.0);
        // All known rows left: a finite threshold is as large as their values, unless one is
        // infinity.
        constexpr double largest = std::numeric_limits<double>::max();
        limits.may_take_all = missing_child == 1 && largest_known_value() <= largest;
        if (missing_child == 0) limits.left_rows = groups.missing_rows;
        if (missing_child == 1) limits.right_rows = groups.missing_rows;
        const auto& left = missing_child == 0 ? groups.missing_stats : scratch_.left;
        const auto& right = missing_child == 1 ? scratch_.all : scratch_.right;
        const double left_weight = missing_child == 0 ? groups.missing_weight : 0.0;
        BestCut best;
        if (absolute()) {
            prepare_absolute(missing_child);
            scratch_.absolute_error.start(nullptr, nullptr, left_weight);
            scan_rows(elements_, scratch_.absolute_error, limits, best);
            return best;
        }
        with_tally([&](auto& tally) {
            tally.start(left.data(), right.data(), left_weight);
            if constexpr (requires { tally.expect_from(nullptr); }) {
                tally.expect_from(scratch_.all.data());
            }
            if (elements_.empty()) {
                scan_groups(scratch_.groups, tally, limits, best);
            } else {
                scan_rows(elements_, tally, limits, best);
            }
        });
        return best;
    }

    template <class Run>
    void with_tally(Run run) {
        // The traced tallies know no weights, so they leave limits on weight to the others.
        const bool counts_rows = targets_.counts_rows() && takes(ShortCut::counted_tallies);
        const bool counts = counts_rows && min_side_weight() <= 0;
        if (settings_.measure == Measure::squared_error && counts) {
            scratch_.moments.bind(targets_);
            run(scratch_.moments);
        } else if (settings_.measure == Measure::gini && counts) {
            if (targets_.n_classes == 2) {
                scratch_.two_class_gini.bind(targets_);
                run(scratch_.two_class_gini);
            } else {
                scratch_.counted_gini.bind(targets_);
                run(scratch_.counted_gini);
            }
        } else if (settings_.measure == Measure::entropy && counts_rows) {
            scratch_.counted_entropy.bind(targets_, context_.n_log2_n);
            run(scratch_.counted_entropy);
        } else {
            scratch_.general.bind(targets_, context_.score);
            run(scratch_.general);
        }
    }

    void prepare_absolute(int missing_child) {
        scratch_.sequence.clear();
        for (const auto& element : elements_) scratch_.sequence.push_back(element.row);
        scratch_.absolute_error.prepare(
            targets_, node_.ranked, scratch_.sequence,
            missing_child < 0 ? std::span<const std::uint32_t>{} : scratch_.missing_rows,
            missing_child == 0);
    }

    double missing_score() {
        if (absolute()) return -absolute_error_of(targets_, scratch_.missing_rows);
        return context_.score.side(scratch_.groups.missing_stats.data(), scratch_.all.data());
    }

    // The score of the rows that take part, undivided.
    double undivided() {
        if (!absolute()) return context_.score.side(scratch_.all.data(), scratch_.all.data());
        auto& rows = scratch_.sequence;
        rows.clear();
        for (const auto& element : elements_) rows.push_back(element.row);
        if (learns() || branches()) {
            rows.insert(rows.end(), scratch_.missing_rows.begin(), scratch_.missing_rows.end());
        }
        return -absolute_error_of(targets_, rows);
    }

    double largest_known_value() const {
        if (elements_.empty()) return group_value(scratch_.groups.size() - 1);
        const auto& last = elements_.back();
        return column_->counted ? column_->values[last.rank] : value_at(last.row);
    }

    // Writes the values beside the cut, or where to find them.
    void locate_cut(std::int64_t position, Candidate& candidate) const {
        const auto i = static_cast<std::size_t>(position);
        const std::size_t n = elements_.empty() ? scratch_.groups.size() : elements_.size();
        const std::size_t j = std::min(i + 1, n - 1);
        candidate.is_cut = true;
        candidate.has_values = column_->counted;
        if (column_->counted) {
            const auto code = [&](std::size_t at) {
                return elements_.empty() ? scratch_.groups.codes[at] : elements_[at].rank;
            };
            candidate.below = column_->values[code(i)];
            candidate.above = column_->values[code(j)];
        } else {
            candidate.row_below = workspace_.origin[row_at(i)];
            candidate.row_above = workspace_.origin[row_at(j)];
        }
    }
    std::size_t row_at(std::size_t i) const {
        return elements_.empty() ? scratch_.groups.a_row[i] : elements_[i].row;
    }

    void accept_cut(Candidate& candidate, Split* split, const BestCut& best, int missing_child) {
        locate_cut(best.position, candidate);
        std::vector<double> weights;
        if (settings_.gain_ratio) weights = side_weights(best.position);
        finish(candidate, best.score - undivided(), weights, missing_child, best.n_admissible);
        if (!split) return;
        split->kind = SplitKind::threshold;
        split->place = place_;
        split->threshold = threshold_of(context_, column_->column, candidate);
        const auto at = static_cast<std::size_t>(best.position);
        split->cut_code = elements_.empty() ? scratch_.groups.codes[at] : elements_[at].rank;
        split->n_children = 2;
        split->missing_child = missing_child;
        split->missing_rows = scratch_.groups.missing_rows;
    }

    std::vector<double> side_weights(std::int64_t position) const {
        double left = 0.0;
        for (std::int64_t i = 0; i <= position; ++i) {
            const auto at = static_cast<std::size_t>(i);
            left += elements_.empty() ? scratch_.groups.weight[at]
                                      : targets_.weight_of(elements_[at].row);
        }
        return {left, known_weight() - left};
    }

    // ---------------------------------------------------------------- the score of a column

    // `weights`: known raw weight of each child.
    void finish(Candidate& candidate, double gain, std::vector<double>& weights, int missing_child,
                std::int64_t n_cuts) {
        candidate.gain = std::max(0.0, gain / node_.score_weight);
        if (settings_.mdl_correction && !view_->is_nominal() && n_cuts > 0) {
            candidate.gain -= log2_of(static_cast<double>(n_cuts)) / node_.weight;
        }
        candidate.valid =
            !settings_.has_min_gain || candidate.gain > settings_.min_gain + 1e-12 * node_.impurity;
        candidate.usable = candidate.valid || view_->is_nominal();
        candidate.score = candidate.gain;
        if (settings_.measure == Measure::chi_square) candidate.score *= node_.score_weight;
        if (!settings_.gain_ratio) return;
        const double missing = scratch_.groups.missing_weight;
        if (missing_child >= 0) {
            weights[static_cast<std::size_t>(missing_child)] += missing;
        } else if (missing > 0) {
            weights.push_back(missing);
        }
        double information = 0.0;
        for (const double w : weights) information -= x_log2_x(w / node_.weight);
        candidate.score = information > 0 ? candidate.gain / information : 0.0;
    }

    const Context& context_;
    const Settings& settings_;
    const Workspace<Index>& workspace_;
    const Targets& targets_;
    const NodeView& node_;
    SearchScratch<Index>& scratch_;
    NodeGroups<Index> reader_;
    std::uint32_t place_ = 0;
    const WorkColumn<Index>* column_ = nullptr;
    const ColumnView* view_ = nullptr;
    Elements elements_;  // known rows in order; empty while groups are scanned
};

}  // namespace treewright
