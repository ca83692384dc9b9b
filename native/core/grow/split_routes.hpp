// Where the rows of a node go when it is split.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/grow/growth.hpp"
#include "core/grow/stopping.hpp"
#include "core/grow/surrogates.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright {

// Where the children's rows go, and what each child holds.
struct Routes {
    std::uint32_t n_children = 0;  // all of them, in the order of the tree
    std::uint32_t nowhere = 0;     // rows that stop at the node
    std::int32_t empty_child = -1, missing_branch = -1;
    bool spread = false;
    std::vector<double> known_weight;
    std::vector<Surrogate> surrogates;
    std::array<ClassTable, 2> tables;  // of two children; none if they were not counted
};

inline std::uint32_t heaviest(const std::vector<double>& weight) {
    return static_cast<std::uint32_t>(std::ranges::max_element(weight) - weight.begin());
}

// As in rpart: where both sides weigh the same there is no larger one to follow.
inline bool has_majority(const std::vector<double>& weight) {
    return std::ranges::count(weight, *std::ranges::max_element(weight)) == 1;
}

// Decides the child of every row and writes it to the scratch, by row.
template <class Index>
class Router {
public:
    Router(const Growth& growth, int n_threads, GrowerScratch<Index>& scratch)
        : growth_(growth),
          settings_(growth.settings),
          context_(growth.context),
          n_threads_(n_threads),
          scratch_(scratch) {}

    // The children that there will be, and the rows that know the value.
    Routes route_known(const PlannedSplit<Index>& planned) {
        Routes routes = plan_routes(planned);
        assign_known(planned, routes);
        return routes;
    }

    // The rows whose value is missing.
    void route_missing(const PlannedSplit<Index>& planned, Routes& routes) {
        if (settings_.missing == MissingPolicy::surrogate && settings_.max_surrogates > 0 &&
            routes.n_children == 2 && may_need_surrogates(planned)) {
            find_surrogates_of(planned, routes);
        }
        if (planned.split.missing_rows > 0) assign_missing(planned, routes);
    }

    // Tests that look at the finished split.
    StopReason forbids(const PlannedSplit<Index>& planned, const Routes& routes) const {
        if (settings_.significance >= 1 && settings_.error_z < 0) return StopReason::none;
        const auto& workspace = *planned.node.workspace;
        const std::size_t k = growth_.data.n_classes;
        std::vector<double> table(routes.known_weight.size() * k, 0.0);
        for (std::size_t i = planned.node.begin; i < planned.node.end; ++i) {
            const auto row = workspace.rows[i];
            const auto to = scratch_.child[row];
            if (to == routes.nowhere) continue;
            table[to * k + workspace.targets.classes[row]] += workspace.targets.weight_of(row);
        }
        if (settings_.significance < 1 && independence_p_value(table, k) > settings_.significance) {
            return StopReason::significance;
        }
        if (settings_.error_z >= 0 && !lowers_expected_errors(table, k)) {
            return StopReason::error_estimate;
        }
        return StopReason::none;
    }

private:
    bool may_need_surrogates(const PlannedSplit<Index>& planned) const {
        const auto& unneeded = settings_.without_surrogates;
        const int column = planned.node.workspace->columns[planned.split.place].column;
        return std::ranges::find(unneeded, column) == unneeded.end();
    }

    Routes plan_routes(const PlannedSplit<Index>& planned) const {
        const auto& split = planned.split;
        const auto& column = planned.node.workspace->columns[split.place];
        const auto& view = context_.views[static_cast<std::size_t>(column.column)];
        Routes routes;
        routes.n_children = split.n_children;
        routes.known_weight.assign(split.n_children, 0.0);
        if (split.kind == SplitKind::branches &&
            split.codes.size() < static_cast<std::size_t>(view.n_levels)) {
            routes.empty_child = static_cast<std::int32_t>(routes.n_children++);
        }
        if (settings_.missing == MissingPolicy::branch && split.missing_rows > 0) {
            routes.missing_branch = static_cast<std::int32_t>(routes.n_children++);
        }
        routes.nowhere = routes.n_children;
        routes.spread = settings_.missing == MissingPolicy::fractional && split.missing_rows > 0;
        return routes;
    }

    // Writes the child of every row that knows the value; the others get `nowhere`.
    void assign_known(const PlannedSplit<Index>& planned, Routes& routes) {
        const auto& node = planned.node;
        const auto& workspace = *node.workspace;
        const auto& weight = workspace.targets.weight;
        auto& child = scratch_.child;
        if (child.size() < workspace.origin.size()) child.resize(workspace.origin.size());
        // Weights are added up in the order of the rows, by one thread: sums are rounded.
        const RowShares blocks =
            share_rows(node.size(), weight.empty() ? n_threads_ : 1, rows_worth_a_task);
        ShareCounts n_sent(blocks.size(), routes.nowhere + 1);
        const auto assign = [&](std::size_t block, int) {
            auto* const sent = n_sent.of(block);
            const auto send = [&](std::size_t row, std::uint32_t to) {
                child[row] = to;
                ++sent[to];
                if (!weight.empty() && to != routes.nowhere) routes.known_weight[to] += weight[row];
            };
            const std::size_t begin = node.begin + blocks.begin(block);
            const std::size_t end = node.begin + blocks.end(block);
            if (workspace.columns[planned.split.place].counted) {
                send_counted(planned, routes, begin, end, send);
            } else {
                send_sorted(planned, routes, begin, end, send);
            }
        };
        run_tasks(blocks.size(), n_threads_, assign, context_.check);
        if (!weight.empty()) return;
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            for (std::size_t c = 0; c < routes.known_weight.size(); ++c) {
                routes.known_weight[c] += static_cast<double>(n_sent.of(block)[c]);
            }
        }
    }

    template <class Send>
    void send_counted(const PlannedSplit<Index>& planned, const Routes& routes, std::size_t begin,
                      std::size_t end, const Send& send) const {
        const auto& workspace = *planned.node.workspace;
        const auto& split = planned.split;
        const auto& column = workspace.columns[split.place];
        const auto& codes = column.codes;
        std::array<std::uint32_t, 256> of_code;
        if (split.kind == SplitKind::threshold) {
            for (std::size_t code = 0; code < 256; ++code) of_code[code] = code > split.cut_code;
        } else {
            of_code.fill(routes.nowhere);
            for (std::size_t i = 0; i < split.codes.size(); ++i) {
                of_code[split.codes[i]] = split.child_of_code[i];
            }
        }
        of_code[missing_code] = routes.nowhere;
        if (column.binned) {
            // Minus infinity and the lowest number count as one value.
            const double cut = std::max(split.cut_value, std::numeric_limits<double>::lowest());
            for (std::size_t i = begin; i < end; ++i) {
                const auto row = workspace.rows[i];
                const auto code = codes[row];
                const bool is_above = code == split.cut_code &&
                                      column.binned->number(workspace.origin[row]) > cut;
                send(row, is_above ? 1 : of_code[code]);
            }
            return;
        }
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = workspace.rows[i];
            send(row, of_code[codes[row]]);
        }
    }

    template <class Send>
    void send_sorted(const PlannedSplit<Index>& planned, const Routes& routes, std::size_t begin,
                     std::size_t end, const Send& send) const {
        const auto& split = planned.split;
        const auto& sorted = planned.node.workspace->columns[split.place].sorted;
        std::size_t at = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const auto [row, rank] = sorted[i];
            if (rank == missing_rank<Index>) {
                send(row, routes.nowhere);
            } else if (split.kind == SplitKind::threshold) {
                send(row, rank > split.cut_code ? 1 : 0);
            } else {
                while (split.codes[at] != rank) ++at;
                send(row, split.child_of_code[at]);
            }
        }
    }

    void find_surrogates_of(const PlannedSplit<Index>& planned, Routes& routes) {
        const auto& workspace = *planned.node.workspace;
        scratch_.side.resize(std::max(scratch_.side.size(), workspace.origin.size()));
        for (std::size_t i = planned.node.begin; i < planned.node.end; ++i) {
            const auto row = workspace.rows[i];
            scratch_.side[row] = static_cast<std::uint8_t>(scratch_.child[row]);
        }
        SurrogateSearch<Index> search(context_, workspace, planned.view, scratch_.side,
                                      routes.known_weight, routes.tables, scratch_.surrogates);
        routes.surrogates = search.find(planned.split.place, *planned.active_below);
    }

    void assign_missing(const PlannedSplit<Index>& planned, const Routes& routes) {
        const auto& workspace = *planned.node.workspace;
        std::uint32_t to = routes.nowhere;
        switch (settings_.missing) {
            case MissingPolicy::fractional:
            case MissingPolicy::stop: return;
            case MissingPolicy::learned:
                to = static_cast<std::uint32_t>(planned.split.missing_child);
                break;
            case MissingPolicy::branch:
                to = static_cast<std::uint32_t>(routes.missing_branch);
                break;
            case MissingPolicy::majority: to = heaviest(routes.known_weight); break;
            case MissingPolicy::surrogate:
                if (has_majority(routes.known_weight)) to = heaviest(routes.known_weight);
                break;
        }
        for (std::size_t i = planned.node.begin; i < planned.node.end; ++i) {
            const auto row = workspace.rows[i];
            if (scratch_.child[row] != routes.nowhere) continue;
            scratch_.child[row] = by_surrogates(routes.surrogates, workspace.origin[row], to);
        }
    }

    std::uint32_t by_surrogates(const std::vector<Surrogate>& surrogates, std::size_t training_row,
                                std::uint32_t otherwise) const {
        for (const auto& surrogate : surrogates) {
            const auto& view = context_.views[static_cast<std::size_t>(surrogate.feature)];
            if (surrogate.kind == SplitKind::threshold) {
                const double value = view.number(training_row);
                const bool missing =
                    view.kind == ColumnKind::numeric ? std::isnan(value) : value < 0;
                if (!missing) return (value > surrogate.threshold) != surrogate.flip ? 1 : 0;
                continue;
            }
            const auto at = std::ranges::lower_bound(surrogate.level_code, view.code(training_row));
            if (at != surrogate.level_code.end() && *at == view.code(training_row)) {
                return static_cast<std::uint32_t>(
                    surrogate
                        .level_child[static_cast<std::size_t>(at - surrogate.level_code.begin())]);
            }
        }
        return otherwise;
    }

    bool lowers_expected_errors(const std::vector<double>& table, std::size_t k) const {
        std::vector<double> all(k, 0.0);
        const auto expected = [&](const double* weights) {
            const double n = std::accumulate(weights, weights + k, 0.0);
            const double errors = n - *std::max_element(weights, weights + k);
            return pessimistic_errors(n, errors, settings_.error_confidence, settings_.error_z);
        };
        double of_children = 0.0;
        for (std::size_t child = 0; child * k < table.size(); ++child) {
            of_children += expected(table.data() + child * k);
            for (std::size_t c = 0; c < k; ++c) all[c] += table[child * k + c];
        }
        return of_children < expected(all.data()) * (1 - 1e-12);
    }

    const Growth& growth_;
    const Settings& settings_;
    const Context& context_;
    int n_threads_;
    GrowerScratch<Index>& scratch_;
};

}  // namespace treewright
