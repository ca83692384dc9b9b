// The loop: take a node, find its best split, split it, go on with the children.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "core/arithmetic/random.hpp"
#include "core/grow/growth.hpp"
#include "core/grow/node_bins.hpp"
#include "core/grow/node_description.hpp"
#include "core/grow/search/bit_bundles.hpp"
#include "core/grow/search/column_search.hpp"
#include "core/grow/split_carrier.hpp"
#include "core/grow/split_choice.hpp"
#include "core/grow/tree_builder.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright {

template <class Index>
class Grower {
public:
    // Nodes of at most `hand_over` rows are left to the caller, in `handed_over`.
    Grower(const Growth& growth, TreeBuilder& builder, int n_threads, std::size_t hand_over,
           GrowerScratch<Index>& scratch)
        : growth_(growth),
          settings_(growth.settings),
          builder_(builder),
          n_threads_(n_threads),
          hand_over_(hand_over),
          scratch_(scratch),
          describer_(growth, n_threads),
          choice_(growth),
          carrier_(growth, builder, n_threads, scratch) {}

    void run(std::shared_ptr<Workspace<Index>> workspace, std::int64_t depth,
             std::uint64_t path = 0) {
        auto active = std::make_shared<std::vector<std::uint32_t>>(workspace->columns.size());
        std::iota(active->begin(), active->end(), 0u);
        const std::size_t n = workspace->rows.size();
        OpenNode<Index> root{std::move(workspace), 0,  n,   builder_.add(), depth,
                             std::move(active),    {}, path};
        if (settings_.best_first()) {
            grow_best_first(std::move(root));
        } else {
            grow_depth_first(std::move(root));
        }
    }

    // Describes the node; says how to split it, or writes down why not.
    std::unique_ptr<PlannedSplit<Index>> plan(OpenNode<Index> node) {
        growth_.context.check();
        auto planned = std::make_unique<PlannedSplit<Index>>();
        planned->node = std::move(node);
        describer_.describe(planned->node, planned->view, builder_);
        const StopReason reason = find_split(*planned);
        record(planned->node.record).stop_reason = reason;
        if (reason != StopReason::none) return nullptr;
        return planned;
    }

    std::vector<OpenNode<Index>> handed_over;

private:
    NodeRecord& record(std::uint32_t index) { return builder_.records[index]; }

    void grow_depth_first(OpenNode<Index> root) {
        std::vector<OpenNode<Index>> open;
        open.push_back(std::move(root));
        while (!open.empty()) {
            auto node = std::move(open.back());
            open.pop_back();
            if (node.size() <= hand_over_) {
                handed_over.push_back(std::move(node));
                continue;
            }
            auto planned = plan(std::move(node));
            if (!planned) continue;
            auto children = carrier_.carry_out(*planned);
            std::ranges::move(children, std::back_inserter(open));
        }
    }

    void grow_best_first(OpenNode<Index> root) {
        std::priority_queue<std::unique_ptr<PlannedSplit<Index>>,
                            std::vector<std::unique_ptr<PlannedSplit<Index>>>, LaterSplit>
            queue;
        const auto offer = [&](OpenNode<Index> node) {
            if (auto planned = plan(std::move(node))) queue.push(std::move(planned));
        };
        offer(std::move(root));
        std::int64_t n_leaves = 1, n_splits = 0;
        while (!queue.empty()) {
            auto planned =
                std::move(const_cast<std::unique_ptr<PlannedSplit<Index>>&>(queue.top()));
            queue.pop();
            const std::int64_t more = count_children(planned->split) - 1;
            if (n_splits >= settings_.max_splits) {
                record(planned->node.record).stop_reason = StopReason::max_splits;
                continue;
            }
            if (n_leaves + more > settings_.max_leaf_nodes) {
                record(planned->node.record).stop_reason = StopReason::max_leaf_nodes;
                continue;
            }
            auto children = carrier_.carry_out(*planned);
            if (children.empty()) continue;
            record(planned->node.record).split_order = static_cast<std::int32_t>(n_splits++);
            n_leaves += more;
            for (auto& child : children) offer(std::move(child));
        }
    }

    std::int64_t count_children(const Split& split) const {
        const bool own = settings_.missing == MissingPolicy::branch && split.missing_rows > 0;
        return split.n_children + (own ? 1 : 0);
    }

    StopReason why_stop(const OpenNode<Index>& node, const NodeView& view) const {
        if (view.impurity == 0.0) return StopReason::pure;
        if (node.depth >= settings_.max_depth) return StopReason::max_depth;
        const double size =
            settings_.sizes_are_weights() ? view.weight : static_cast<double>(node.size());
        if (size < settings_.min_samples_split * (1 - 1e-9)) return StopReason::min_samples_split;
        // Two sides of the least size do not fit in: no need to look at the columns. Asked before
        // `active`, from which small nodes have dropped the columns of one value and others have
        // not.
        if (size < 2 * settings_.min_samples_leaf * (1 - 1e-9)) return StopReason::min_samples_leaf;
        if (node.active->empty()) return StopReason::no_candidate;
        if (settings_.min_risk >= 0 && risk_of(view) <= settings_.min_risk) {
            return StopReason::pruned;
        }
        return StopReason::none;
    }

    // What the node costs its own rows as a leaf, in units of the scaled target.
    double risk_of(const NodeView& view) const {
        if (!growth_.is_classification()) return view.impurity * view.weight;
        return view.score_weight - *std::ranges::max_element(view.stats);
    }

    StopReason find_split(PlannedSplit<Index>& planned) {
        const auto& node = planned.node;
        auto& view = planned.view;
        if (const auto reason = why_stop(node, view); reason != StopReason::none) return reason;
        if (settings_.measure == Measure::absolute_error) {
            const auto rows = std::span(node.workspace->rows).subspan(node.begin, node.size());
            const std::vector<std::uint32_t> all(rows.begin(), rows.end());
            rank_targets(node.workspace->targets, all, view.ranked);
        }
        if (draws_columns(node)) {
            evaluate_drawn_columns(node, view);
        } else {
            if (node.workspace->has_bins && !bins_can_decide(growth_.context, view)) {
                sort_bins(planned);
            }
            make_table(planned);
            evaluate_columns(node, view);
        }
        const auto& candidates = scratch_.candidates;
        const Candidate* best = choice_.choose(candidates, *node.workspace, view);
        if (!best) return choice_.why_none(candidates);
        planned.candidate = *best;
        planned.competitors = choice_.competitors_of(*best, candidates, *node.workspace, view);
        planned.active_below = active_below(node, candidates);
        if (best->is_cut) {
            const int column = node.workspace->columns[best->place].column;
            planned.split = split_at(growth_.context, column, *best);
        } else {
            search_column(growth_.context, *node.workspace, view, best->place, scratch_.search[0],
                          &planned.split);
        }
        return StopReason::none;
    }

    // Counts the table of a node that did not get one from its parent.
    void make_table(PlannedSplit<Index>& planned) {
        auto& node = planned.node;
        const auto& workspace = *node.workspace;
        if (!node.table && is_worth_a_table(workspace, node.size())) {
            const auto rows =
                std::span<const Index>(workspace.rows).subspan(node.begin, node.size());
            const bool share = node.size() * workspace.blocks.n_columns >= cells_worth_sharing;
            node.table =
                count_table(workspace, rows, share ? n_threads_ : 1, growth_.context.check);
        }
        if (node.table) planned.view.class_table = node.table->data();
    }

    void evaluate_columns(const OpenNode<Index>& node, NodeView& view) {
        const auto& active = *node.active;
        const auto& workspace = *node.workspace;
        view.bit_counts.resize(workspace.bundles.size());
        const std::size_t n_bundles = view.bit_counts.size();
        scratch_.candidates.resize(active.size());
        const auto is_bundled = [&](std::size_t i) {
            return n_bundles > 0 && workspace.columns[active[i]].bundle >= 0;
        };
        // Bins are counted for more rows than there are lines to look at.
        const bool by_bins =
            view.class_table != nullptr && workspace.has_bins &&
            (node.size() >= rows_worth_bins || !takes(ShortCut::sorted_subtrees));
        std::vector<BinOutline> outlines(by_bins ? active.size() : 0);
        const bool names_best_only = n_threads_ == 1 && !by_bins && needs_best_only();
        const auto evaluate = [&](std::size_t i, int worker) {
            auto& search = scratch_.search[static_cast<std::size_t>(worker)];
            if (by_bins && workspace.columns[active[i]].binned) {
                outlines[i] = outline_column(growth_.context, workspace, view, active[i], search);
            } else {
                scratch_.candidates[i] =
                    search_column(growth_.context, workspace, view, active[i], search);
                if (names_best_only) raise_bar(scratch_.candidates[i], view);
            }
        };
        const bool is_large = node.size() * active.size() >= cells_worth_sharing;
        const auto search = [&](std::size_t i, int worker) {
            if (is_large) growth_.context.check();
            if (i < n_bundles) {
                count_bits(workspace, i, view);
            } else if (!is_bundled(i - n_bundles)) {
                evaluate(i - n_bundles, worker);
            }
        };
        run_tasks(n_bundles + active.size(), is_large ? n_threads_ : 1, search,
                  growth_.context.check);
        for (std::size_t i = 0; i < active.size(); ++i) {
            if (is_bundled(i)) evaluate(i, 0);
        }
        if (by_bins) look_into_bins(growth_, node, view, outlines, n_threads_, scratch_);
    }

    // Whether only the best column of a node matters, and that is the one of the largest gain:
    // trees of folds take a tenth less time.
    bool needs_best_only() const {
        const bool by_gain = !settings_.gain_ratio && !settings_.average_gain_filter &&
                             !settings_.mdl_correction && settings_.column_order.empty();
        const bool is_plain = settings_.measure == Measure::gini ||
                              settings_.measure == Measure::entropy ||
                              settings_.measure == Measure::squared_error;
        return settings_.n_competitors == 0 && by_gain && is_plain &&
               takes(ShortCut::gain_to_beat);
    }

    static void raise_bar(const Candidate& found, NodeView& view) {
        if (found.valid) view.gain_to_beat = std::max(view.gain_to_beat, found.gain);
    }

    // From here on the rows of the node are in order.
    void sort_bins(PlannedSplit<Index>& planned) {
        auto& node = planned.node;
        const auto rows =
            std::span<const Index>(node.workspace->rows).subspan(node.begin, node.size());
        auto sorted = extract<Index, Index>(*node.workspace, node.begin, node.end, rows, {},
                                            *node.active, false, growth_.context.check);
        auto places = std::make_shared<std::vector<std::uint32_t>>(sorted->columns.size());
        std::iota(places->begin(), places->end(), 0u);
        node.workspace = std::move(sorted);
        node.begin = planned.view.begin = 0;
        node.end = planned.view.end = node.workspace->rows.size();
        node.active = std::move(places);
        node.table = {};
    }

    bool draws_columns(const OpenNode<Index>& node) const {
        return settings_.max_features > 0 && settings_.max_features < node.active->size();
    }

    // Columns at random until enough of them have more than one value.
    void evaluate_drawn_columns(const OpenNode<Index>& node, NodeView& view) {
        const auto& active = *node.active;
        const auto& workspace = *node.workspace;
        view.bit_counts.assign(workspace.bundles.size(), {});
        Candidate not_drawn;
        not_drawn.too_small = true;
        scratch_.candidates.assign(active.size(), not_drawn);
        auto random = Random::stream(settings_.seed, node.path);
        std::vector<std::uint32_t> order(active.size());
        std::iota(order.begin(), order.end(), 0u);
        std::size_t n_useful = 0;
        for (std::size_t i = 0; i < order.size() && n_useful < settings_.max_features; ++i) {
            growth_.context.check();
            const auto left = static_cast<std::uint32_t>(order.size() - i);
            std::swap(order[i], order[i + random.below(left)]);
            const std::uint32_t place = active[order[i]];
            const auto bundle = static_cast<std::size_t>(workspace.columns[place].bundle);
            if (bundle < view.bit_counts.size() && view.bit_counts[bundle].empty()) {
                count_bits(workspace, bundle, view);
            }
            scratch_.candidates[order[i]] =
                search_column(growth_.context, workspace, view, place, scratch_.search[0]);
            n_useful += !scratch_.candidates[order[i]].constant;
        }
    }

    Places active_below(const OpenNode<Index>& node, const std::vector<Candidate>& candidates) {
        const auto& active = *node.active;
        const auto constant =
            static_cast<std::size_t>(std::ranges::count_if(candidates, &Candidate::constant));
        if (constant == 0) return node.active;
        auto below = std::make_shared<std::vector<std::uint32_t>>();
        below->reserve(active.size() - constant);
        for (std::size_t i = 0; i < active.size(); ++i) {
            if (!candidates[i].constant) below->push_back(active[i]);
        }
        return below;
    }

    const Growth& growth_;
    const Settings& settings_;
    TreeBuilder& builder_;
    int n_threads_;
    std::size_t hand_over_;
    GrowerScratch<Index>& scratch_;
    NodeDescriber<Index> describer_;
    SplitChoice<Index> choice_;
    SplitCarrier<Index> carrier_;
};

}  // namespace treewright
