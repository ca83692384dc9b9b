// The best threshold of a column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/grow/search/absolute_error.hpp"
#include "core/grow/search/bin_source.hpp"
#include "core/grow/search/candidate.hpp"
#include "core/grow/search/column_of_node.hpp"
#include "core/grow/search/cut_source.hpp"
#include "core/grow/search/scan.hpp"
#include "core/short_cuts.hpp"

namespace treewright {

template <class Index>
class ThresholdSearch {
public:
    explicit ThresholdSearch(ColumnOfNode<Index>& at)
        : at_(at),
          settings_(at.settings),
          targets_(at.targets),
          scratch_(at.scratch),
          groups_(at.scratch.groups) {}

    // With `split`, also how to carry the candidate out.
    Candidate evaluate(Split* split) {
        // Least absolute error needs the rows themselves.
        const bool in_groups =
            !at_.absolute() && (least_gap() > 0 || at_.reader.counting_is_cheaper());
        return in_groups ? evaluate_groups(split) : evaluate_rows(split);
    }

    // What the counts of a node's bins say about the best cut of the column.
    BinOutline outline_bins() {
        at_.reader.count_bins();
        BinOutline outline;
        outline.bins = groups_.codes;
        outline.most_in_bin.assign(groups_.size(), -std::numeric_limits<double>::infinity());
        if (groups_.size() == 0) return outline;
        RowsInBins none;
        const BinSource<Index> source(at_.workspace, at_.column, at_.node, groups_, none);
        add_up_sides(source);
        const bool both = groups_.missing_rows > 0 && at_.learns();
        for (int missing_child = both ? 0 : -1; missing_child < (both ? 2 : 0); ++missing_child) {
            source.outline(at_.context, left_before(missing_child), right_before(missing_child),
                           limits_with(source, missing_child), outline);
        }
        const double more = added_to_scores() - undivided(source);
        outline.least = (outline.least + more) / at_.node.score_weight;
        outline.most = outline.least;
        for (auto& score : outline.most_in_bin) {
            score = (score + more) / at_.node.score_weight;
            outline.most = std::max(outline.most, score);
        }
        return outline;
    }

    // The best cut by the bins of a node. Gains below `floor` do not matter.
    Candidate evaluate_bins(RowsInBins& known, double floor) {
        Candidate candidate;
        candidate.place = at_.place;
        at_.reader.count_bins();
        candidate.constant = groups_.size() == 0;
        if (candidate.constant) return candidate;
        const BinSource<Index> source(at_.workspace, at_.column, at_.node, groups_, known);
        candidate.constant = groups_.size() == 1 && groups_.missing_rows == 0 && source.all_equal();
        if (candidate.constant) return candidate;
        add_up_sides(source);
        floor_ = floor * at_.node.score_weight + undivided(source) - added_to_scores();
        search(source, candidate, nullptr);
        return must_sort_ ? evaluate_rows(nullptr) : candidate;
    }

private:
    double added_to_scores() {
        return groups_.missing_rows > 0 && at_.branches() ? missing_score() : 0.0;
    }

    // Both sides before the first row goes left.
    const std::vector<double>& left_before(int missing_child) const {
        return missing_child == 0 ? groups_.missing_stats : scratch_.left;
    }
    const std::vector<double>& right_before(int missing_child) const {
        return missing_child == 1 ? scratch_.all : scratch_.right;
    }

    Candidate evaluate_groups(Split* split) {
        Candidate candidate;
        candidate.place = at_.place;
        at_.reader.build_groups();
        candidate.constant = groups_.size() + (groups_.missing_rows > 0) < 2;
        if (candidate.constant || groups_.size() == 0) return candidate;
        forbid_close_cuts();
        search(GroupSource(groups_), candidate, split);
        return candidate;
    }

    Candidate evaluate_rows(Split* split) {
        Candidate candidate;
        candidate.place = at_.place;
        const auto all = at_.reader.elements();
        candidate.constant = all.front().rank == all.back().rank;
        if (candidate.constant) return candidate;
        const auto known = all.first(at_.reader.n_known(all));
        groups_.clear(targets_.n_stats());
        at_.reader.tally_missing(all.subspan(known.size()));
        search(RowSource<Index>(known, targets_), candidate, split);
        return candidate;
    }

    double least_gap() const {
        const auto& gaps = at_.context.least_gap;
        return gaps.empty() ? 0.0 : gaps[static_cast<std::size_t>(at_.column.column)];
    }

    void forbid_close_cuts() {
        groups_.may_cut_after.clear();
        if (least_gap() <= 0) return;
        const GroupSource source(groups_);
        for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
            groups_.may_cut_after.push_back(at_.value_at(source, g) + least_gap() <
                                            at_.value_at(source, g + 1));
        }
        groups_.may_cut_after.push_back(1);
    }

    template <class Source>
    void search(const Source& source, Candidate& candidate, Split* split) {
        add_up_sides(source);
        if (!split) set_bar(source);
        const bool has_missing = groups_.missing_rows > 0;
        BestCut best;
        int missing_child = -1;
        if (has_missing && at_.learns()) {
            best = scan_with(source, 0);
            missing_child = 0;
            const BestCut right = scan_with(source, 1);
            if (right.position >= 0 &&
                (best.position < 0 || right.score > best.score + at_.node.tolerance())) {
                best = right;
                missing_child = 1;
            }
        } else {
            best = scan_with(source, -1);
        }
        if (best.position < 0 || best.score < floor_) {
            candidate.too_small = true;
            return;
        }
        if (has_missing && at_.branches()) {
            if (!at_.context.score.admits(groups_.missing_stats.data())) return;
            best.score += missing_score();
        }
        accept(source, best, missing_child, candidate, split);
    }

    // Scores that matter are above those of a column that was searched before. The bar is lower
    // than rounding, and all columns together a tolerance apart, could explain.
    template <class Source>
    void set_bar(const Source& source) {
        bar_ = -std::numeric_limits<double>::infinity();
        if (!std::isfinite(at_.node.gain_to_beat)) return;
        const double gain = at_.node.gain_to_beat * at_.node.score_weight;
        const double before = undivided(source) - added_to_scores();
        const double columns = 2.0 + static_cast<double>(at_.context.views.size());
        const double digits = 1e-13 * (std::abs(gain) + std::abs(before));
        bar_ = before + gain - columns * (at_.node.tolerance() + digits);
    }

    // Both sides before the first row goes left, and all rows that take part.
    template <class Source>
    void add_up_sides(const Source& source) {
        known_stats(source, scratch_.right);
        scratch_.left.assign(scratch_.right.size(), 0.0);
        scratch_.all = scratch_.right;
        if (groups_.missing_rows == 0 || !(at_.learns() || at_.branches())) return;
        for (std::size_t s = 0; s < scratch_.all.size(); ++s) {
            scratch_.all[s] += groups_.missing_stats[s];
        }
    }

    // The statistics of the rows that know the value.
    template <class Source>
    void known_stats(const Source& source, std::vector<double>& out) {
        out = at_.node.stats;
        if (groups_.missing_rows == 0) return;
        if (targets_.counts_rows() && targets_.is_classification()) {
            for (std::size_t s = 0; s < out.size(); ++s) out[s] -= groups_.missing_stats[s];
            return;
        }
        std::ranges::fill(out, 0.0);
        source.add_stats(out.data());
    }

    // Scans with the missing rows left out (-1), on the left (0) or on the right (1).
    template <class Source>
    BestCut scan_with(const Source& source, int missing_child) {
        const CutLimits limits = limits_with(source, missing_child);
        const auto& left = left_before(missing_child);
        const auto& right = right_before(missing_child);
        const double left_weight = missing_child == 0 ? groups_.missing_weight : 0.0;
        BestCut best;
        if constexpr (has_rows<Source>) {
            if (at_.absolute()) {
                prepare_absolute(source, missing_child);
                scratch_.absolute_error.start(nullptr, nullptr, left_weight);
                source.scan(scratch_.absolute_error, limits, best);
                return best;
            }
        }
        with_tally([&](auto& tally) {
            if constexpr (requires { source.all_equal(); }) {
                const bool found =
                    source.scan(tally, at_.context, left, right, limits, floor_, best);
                must_sort_ = must_sort_ || !found;
            } else {
                const auto scan_from = [&](double bar) {
                    best = {};
                    best.score = bar;
                    tally.start(left.data(), right.data(), left_weight);
                    if constexpr (requires { tally.expect_from(nullptr); }) {
                        tally.expect_from(scratch_.all.data());
                    }
                    source.scan(tally, limits, best);
                };
                scan_from(bar_);
                // Just above the bar, a place would perhaps have lost to one just below it.
                constexpr double none = -std::numeric_limits<double>::infinity();
                const bool is_close = best.first_score <= bar_ + 2 * limits.tolerance;
                if (bar_ > none && best.position >= 0 && is_close) scan_from(none);
            }
        });
        return best;
    }

    template <class Source>
    CutLimits limits_with(const Source& source, int missing_child) const {
        CutLimits limits;
        limits.min_rows = at_.min_side_rows();
        limits.min_weight = at_.min_side_weight();
        limits.tolerance = at_.node.tolerance();
        limits.total_weight =
            at_.known_weight() + (missing_child >= 0 ? groups_.missing_weight : 0.0);
        // All known rows left: a finite threshold is as large as their values, unless one is
        // infinity.
        constexpr double largest = std::numeric_limits<double>::max();
        limits.may_take_all =
            missing_child == 1 && at_.value_at(source, source.size() - 1) <= largest;
        if (missing_child == 0) limits.left_rows = groups_.missing_rows;
        if (missing_child == 1) limits.right_rows = groups_.missing_rows;
        return limits;
    }

    template <class Run>
    void with_tally(Run run) {
        // The traced tallies know no weights, so they leave limits on weight to the others.
        const bool counts_rows = targets_.counts_rows() && takes(ShortCut::counted_tallies);
        const bool counts = counts_rows && at_.min_side_weight() <= 0;
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
            scratch_.counted_entropy.bind(targets_, at_.context.n_log2_n);
            run(scratch_.counted_entropy);
        } else {
            scratch_.general.bind(targets_, at_.context.score);
            run(scratch_.general);
        }
    }

    // ---------------------------------------------------------------- least absolute error

    template <class Source>
    static constexpr bool has_rows = requires(const Source& source) { source.rows(); };

    void prepare_absolute(const RowSource<Index>& source, int missing_child) {
        list_rows(source);
        scratch_.absolute_error.prepare(
            targets_, at_.node.ranked, scratch_.sequence,
            missing_child < 0 ? std::span<const std::uint32_t>{} : scratch_.missing_rows,
            missing_child == 0);
    }

    void list_rows(const RowSource<Index>& source) {
        scratch_.sequence.clear();
        for (const auto& element : source.rows()) scratch_.sequence.push_back(element.row);
    }

    double missing_score() const {
        if (at_.absolute()) return -absolute_error_of(targets_, scratch_.missing_rows);
        return at_.context.score.side(groups_.missing_stats.data(), scratch_.all.data());
    }

    // The score of the rows that take part, undivided.
    template <class Source>
    double undivided(const Source& source) {
        if constexpr (has_rows<Source>) {
            if (at_.absolute()) return undivided_absolute(source);
        }
        return at_.context.score.side(scratch_.all.data(), scratch_.all.data());
    }

    double undivided_absolute(const RowSource<Index>& source) {
        list_rows(source);
        auto& rows = scratch_.sequence;
        if (at_.learns() || at_.branches()) {
            rows.insert(rows.end(), scratch_.missing_rows.begin(), scratch_.missing_rows.end());
        }
        return -absolute_error_of(targets_, rows);
    }

    // ---------------------------------------------------------------- the cut that was found

    // Writes the values on both sides of the cut, or where to find them.
    template <class Source>
    void locate(const Source& source, std::size_t position, Candidate& candidate) const {
        const std::size_t next = std::min(position + 1, source.size() - 1);
        candidate.is_cut = true;
        candidate.has_values = at_.column.counted && !at_.column.binned;
        if (candidate.has_values) {
            candidate.below = at_.value_at(source, position);
            candidate.above = at_.value_at(source, next);
        } else {
            candidate.row_below = at_.workspace.origin[source.row(position)];
            candidate.row_above = at_.workspace.origin[source.row(next)];
        }
    }

    template <class Source>
    void accept(const Source& source, const BestCut& best, int missing_child, Candidate& candidate,
                Split* split) {
        const auto position = static_cast<std::size_t>(best.position);
        locate(source, position, candidate);
        std::vector<double> weights;
        if (settings_.gain_ratio) weights = side_weights(source, position);
        at_.finish(candidate, best.score - undivided(source), weights, missing_child,
                   best.n_admissible);
        const auto& column = at_.column;
        candidate.cut_code =
            column.binned ? column.codes[source.row(position)] : source.code(position);
        candidate.missing_child = missing_child;
        candidate.missing_rows = groups_.missing_rows;
        if (split) *split = split_at(at_.context, at_.column.column, candidate);
    }

    template <class Source>
    std::vector<double> side_weights(const Source& source, std::size_t position) const {
        double left = 0.0;
        for (std::size_t i = 0; i <= position; ++i) left += source.weight(i);
        return {left, at_.known_weight() - left};
    }

    ColumnOfNode<Index>& at_;
    const Settings& settings_;
    const Targets& targets_;
    SearchScratch<Index>& scratch_;
    Groups& groups_;
    double floor_ = -std::numeric_limits<double>::infinity();  // bins: of scores that matter
    double bar_ = -std::numeric_limits<double>::infinity();    // others: the same
    bool must_sort_ = false;
};

}  // namespace treewright
