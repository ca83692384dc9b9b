// Carrying a split out: rows move to the children, and the tree gets its records.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/arithmetic/random.hpp"
#include "core/grow/growth.hpp"
#include "core/grow/split_routes.hpp"
#include "core/grow/tree_builder.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright {

template <class Index>
class SplitCarrier {
public:
    SplitCarrier(const Growth& growth, TreeBuilder& builder, int n_threads,
                 GrowerScratch<Index>& scratch)
        : growth_(growth),
          settings_(growth.settings),
          builder_(builder),
          n_threads_(n_threads),
          scratch_(scratch),
          router_(growth, n_threads, scratch) {}

    // Splits the node and returns its children, or writes down what forbids the split.
    std::vector<OpenNode<Index>> carry_out(PlannedSplit<Index>& planned) {
        Routes routes = router_.route_known(planned);
        if (const auto reason = router_.forbids(planned, routes); reason != StopReason::none) {
            builder_.records[planned.node.record].stop_reason = reason;
            return {};
        }
        const bool all_know = planned.split.missing_rows == 0;
        if (all_know) make_tables(planned, routes);
        router_.route_missing(planned, routes);
        if (!all_know) make_tables(planned, routes);
        const auto first = open_records(planned, routes);
        auto children =
            routes.spread ? spread_children(planned, routes) : partition_children(planned, routes);
        for (auto& child : children) {
            child.path = Random(planned.node.path + child.record + 1).next();
            child.record += first;
        }
        write_split(planned, routes, first, children);
        return children;
    }

private:
    std::uint32_t open_records(const PlannedSplit<Index>& planned, const Routes& routes) {
        std::uint32_t first = 0;
        for (std::uint32_t c = 0; c < routes.n_children; ++c) {
            const auto index = builder_.add();
            if (c == 0) first = index;
        }
        if (routes.empty_child >= 0) {
            const auto index = first + static_cast<std::uint32_t>(routes.empty_child);
            std::copy_n(builder_.value(planned.node.record), builder_.n_values,
                        builder_.value(index));
            builder_.records[index].impurity = builder_.records[planned.node.record].impurity;
            builder_.records[index].stop_reason = StopReason::empty;
        }
        return first;
    }

    // The class tables of the two sides, if the node has one.
    void make_tables(const PlannedSplit<Index>& planned, Routes& routes) {
        const auto& node = planned.node;
        if (!node.table || routes.n_children != 2 || routes.spread) return;
        const auto rows =
            std::span<const Index>(node.workspace->rows).subspan(node.begin, node.size());
        const bool share = node.size() * node.workspace->blocks.n_columns >= cells_worth_sharing;
        routes.tables = split_table(*node.workspace, node.table, rows, scratch_.child,
                                    scratch_.rows, share ? n_threads_ : 1, growth_.context.check);
    }

    Places active_of_children(const PlannedSplit<Index>& planned) const {
        const auto& split = planned.split;
        const bool used_up =
            settings_.use_once || (split.kind == SplitKind::branches && split.missing_rows == 0);
        if (!used_up) return planned.active_below;
        auto below = std::make_shared<std::vector<std::uint32_t>>();
        std::ranges::copy_if(*planned.active_below, std::back_inserter(*below),
                             [&](auto place) { return place != split.place; });
        return below;
    }

    // The children's `record` counts from the first child here.
    std::vector<OpenNode<Index>> partition_children(const PlannedSplit<Index>& planned,
                                                    const Routes& routes) {
        const auto& node = planned.node;
        auto& workspace = *node.workspace;
        const Places active = active_of_children(planned);
        const std::vector<std::size_t> ends = partition_rows(node, routes.n_children);
        partition_columns(node, *active, routes.n_children, ends);

        std::vector<OpenNode<Index>> children;
        std::size_t begin = 0;
        for (std::uint32_t c = 0; c < routes.n_children; ++c) {
            if (static_cast<std::int32_t>(c) != routes.empty_child) {
                auto& child = children.emplace_back();
                child = {node.workspace,
                         node.begin + begin,
                         node.begin + ends[c],
                         c,
                         node.depth + 1,
                         active,
                         {}};
                if (routes.tables[0] && is_worth_a_table(workspace, child.size())) {
                    child.table = routes.tables[c];
                }
            }
            begin = ends[c];
        }
        return children;
    }

    // Moves the rows of each child together, and returns where each child ends. Blocks of rows are
    // moved side by side: each knows how many rows of every child come before it.
    std::vector<std::size_t> partition_rows(const OpenNode<Index>& node, std::size_t n_children) {
        auto& workspace = *node.workspace;
        const auto* const child = scratch_.child.data();
        const auto rows = std::span(workspace.rows).subspan(node.begin, node.size());
        const bool in_bytes = n_children == 2;
        if (in_bytes && scratch_.side.size() < workspace.origin.size()) {
            scratch_.side.resize(workspace.origin.size());
        }
        const RowShares blocks = share_rows(rows.size(), n_threads_, rows_worth_a_task);
        ShareCounts next(blocks.size(), n_children + 1);
        const auto count = [&](std::size_t block, int) {
            auto* const n = next.of(block);
            for (std::size_t i = blocks.begin(block); i < blocks.end(block); ++i) {
                const auto to = child[rows[i]];
                ++n[to];
                if (in_bytes) scratch_.side[rows[i]] = static_cast<std::uint8_t>(to);
            }
        };
        run_tasks(blocks.size(), n_threads_, count, growth_.context.check);
        std::vector<std::size_t> ends;
        std::size_t sum = 0;
        for (std::size_t c = 0; c <= n_children; ++c) {
            for (std::size_t block = 0; block < blocks.size(); ++block) {
                auto& n = next.of(block)[c];
                n = std::exchange(sum, sum + n);
            }
            ends.push_back(sum);
        }
        ends.pop_back();
        if (blocks.size() == 1) {
            partition(
                rows, n_children, ends, scratch_.rows, [&](Index row) { return child[row]; },
                [](Index) {});  // rows are ascending
            return ends;
        }
        scratch_.rows.resize(std::max(scratch_.rows.size(), rows.size()));
        const auto move = [&](std::size_t block, int) {
            auto* const to = next.of(block);
            for (std::size_t i = blocks.begin(block); i < blocks.end(block); ++i) {
                scratch_.rows[to[child[rows[i]]]++] = rows[i];
            }
        };
        const auto copy_back = [&](std::size_t block, int) {
            const auto n = static_cast<std::ptrdiff_t>(blocks.begin(block));
            std::copy_n(scratch_.rows.begin() + n, blocks.end(block) - blocks.begin(block),
                        rows.begin() + n);
        };
        run_tasks(blocks.size(), n_threads_, move, growth_.context.check);
        run_tasks(blocks.size(), n_threads_, copy_back, growth_.context.check);
        return ends;
    }

    void partition_columns(const OpenNode<Index>& node, const std::vector<std::uint32_t>& active,
                           std::uint32_t n_children, const std::vector<std::size_t>& ends) {
        auto& workspace = *node.workspace;
        const auto* child = scratch_.child.data();
        const auto* side = scratch_.side.data();
        const bool two_ways = n_children == 2 && ends[1] == node.size();
        std::vector<std::uint32_t> sorted;
        std::ranges::copy_if(active, std::back_inserter(sorted),
                             [&](auto place) { return !workspace.columns[place].counted; });
        const bool is_large = node.size() * sorted.size() >= cells_worth_sharing;
        const auto move = [&](std::size_t i, int worker) {
            if (is_large) growth_.context.check();
            auto& column = workspace.columns[sorted[i]];
            const auto range = std::span(column.sorted).subspan(node.begin, node.size());
            auto& scratch = scratch_.partition[static_cast<std::size_t>(worker)];
            const auto by = [&](const auto* child_of_row) {
                using Item = Element<Index>;
                partition(
                    range, n_children, ends, scratch,
                    [&](const Item& item) { return child_of_row[item.row]; },
                    [&](const Item& item) { __builtin_prefetch(child_of_row + item.row); });
            };
            if (two_ways) {
                by(side);
            } else {
                by(child);
            }
        };
        run_tasks(sorted.size(), is_large ? n_threads_ : 1, move, growth_.context.check);
    }

    // Rows whose value is missing go down every branch with a share of their weight, so each child
    // gets a workspace of its own.
    std::vector<OpenNode<Index>> spread_children(const PlannedSplit<Index>& planned,
                                                 const Routes& routes) {
        const auto& node = planned.node;
        auto& workspace = *node.workspace;
        const Places active = active_of_children(planned);
        const double known =
            std::accumulate(routes.known_weight.begin(), routes.known_weight.end(), 0.0);
        std::vector<OpenNode<Index>> children;
        std::vector<std::vector<Index>> members(planned.split.n_children);
        std::vector<std::vector<double>> shares(planned.split.n_children);
        for (std::size_t i = node.begin; i < node.end; ++i) {
            const auto row = workspace.rows[i];
            const auto to = scratch_.child[row];
            if (to != routes.nowhere) {
                members[to].push_back(row);
                shares[to].push_back(1.0);
                continue;
            }
            for (std::size_t c = 0; c < members.size(); ++c) {
                members[c].push_back(row);
                shares[c].push_back(routes.known_weight[c] / known);
            }
        }
        for (std::uint32_t c = 0; c < members.size(); ++c) {
            growth_.context.check();
            auto own = extract<Index, Index>(workspace, node.begin, node.end, members[c], shares[c],
                                             *active);
            auto places = std::make_shared<std::vector<std::uint32_t>>(own->columns.size());
            std::iota(places->begin(), places->end(), 0u);
            const std::size_t n = own->rows.size();
            children.push_back({std::move(own), 0, n, c, node.depth + 1, std::move(places), {}});
        }
        return children;
    }

    void write_split(PlannedSplit<Index>& planned, Routes& routes, std::uint32_t first,
                     const std::vector<OpenNode<Index>>& children) {
        auto& split = planned.split;
        auto& out = builder_.records[planned.node.record];
        out.kind = split.kind;
        out.feature = planned.node.workspace->columns[split.place].column;
        out.threshold = split.kind == SplitKind::threshold ? split.threshold : 0.0;
        out.first_child = first;
        out.n_children = routes.n_children;
        out.gain = growth_.in_given_units(planned.candidate.gain);
        out.score = settings_.gain_ratio ? planned.candidate.score
                                         : growth_.in_given_units(planned.candidate.score);
        const bool has_levels =
            split.kind == SplitKind::branches || split.kind == SplitKind::subset;
        auto& competitors = builder_.competitors;
        out.first_competitor = competitors.size();
        out.n_competitors = static_cast<std::uint32_t>(planned.competitors.size());
        competitors.insert(competitors.end(), planned.competitors.begin(),
                           planned.competitors.end());
        if (has_levels || !routes.surrogates.empty() || !split.cuts.empty()) {
            out.details = std::make_unique<SplitDetails>();
            out.details->surrogates = std::move(routes.surrogates);
            out.details->cuts = std::move(split.cuts);
        }
        if (has_levels) {
            out.details->level_code = std::move(split.level_of_code);
            out.details->level_child.assign(split.child_of_code.begin(), split.child_of_code.end());
        }
        out.missing_child = missing_child(planned, routes, children);
    }

    std::int32_t missing_child(const PlannedSplit<Index>& planned, const Routes& routes,
                               const std::vector<OpenNode<Index>>& children) const {
        if (settings_.missing == MissingPolicy::fractional) return missing_spreads;
        if (settings_.missing == MissingPolicy::stop) return missing_stops;
        if (routes.missing_branch >= 0) return routes.missing_branch;
        if (settings_.missing == MissingPolicy::learned && planned.split.missing_rows > 0) {
            return planned.split.missing_child;
        }
        std::vector<double> weight(routes.known_weight.size(), 0.0);
        for (std::size_t c = 0; c < weight.size(); ++c) weight[c] = weight_of(children[c]);
        if (settings_.missing == MissingPolicy::surrogate && !has_majority(weight)) {
            return missing_stops;
        }
        return static_cast<std::int32_t>(heaviest(weight));
    }

    static double weight_of(const OpenNode<Index>& node) {
        const auto& targets = node.workspace->targets;
        if (targets.weight.empty()) return static_cast<double>(node.size());
        double weight = 0.0;
        for (std::size_t i = node.begin; i < node.end; ++i) {
            weight += targets.weight[node.workspace->rows[i]];
        }
        return weight;
    }

    const Growth& growth_;
    const Settings& settings_;
    TreeBuilder& builder_;
    int n_threads_;
    GrowerScratch<Index>& scratch_;
    Router<Index> router_;
};

}  // namespace treewright
