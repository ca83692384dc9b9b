#include "core/grow.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <thread>

#include "core/column_search.hpp"
#include "core/parallel.hpp"
#include "core/stopping.hpp"
#include "core/surrogates.hpp"
#include "core/tree_builder.hpp"
#include "core/workspace.hpp"

namespace treewright {
namespace {

// Subtrees of at most this many rows get a compact workspace of 16-bit row numbers that stays in
// the cache, and are grown side by side by one thread each: 1.6 times faster on 100,000 x 28.
constexpr std::size_t largest_local_subtree = 32768;
// Below this many cells a node is not worth waking another thread for.
constexpr std::size_t cells_worth_sharing = 65536;

// Asks the caller now and then whether to go on; every thread hears the answer.
class Watch {
public:
    explicit Watch(const std::function<bool()>& interrupted)
        : interrupted_(interrupted), owner_(std::this_thread::get_id()) {}

    void check() {
        if (std::this_thread::get_id() == owner_ && due()) stopped_ = interrupted_();
        if (stopped_) throw Interrupted{};
    }

private:
    bool due() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return false;
        last_ = now;
        return true;
    }
    const std::function<bool()>& interrupted_;
    std::thread::id owner_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
    std::atomic<bool> stopped_{false};
};

// y = (y' + centre) 2^exponent: y' is near 0 and near 1 in size, so squares neither overflow nor
// lose their digits to a large mean.
struct TargetScale {
    double centre = 0;
    int exponent = 0;

    double offset() const { return std::ldexp(centre, exponent); }
    double factor() const { return std::ldexp(1.0, exponent); }
};

TargetScale scale_of(const TrainingData& data) {
    TargetScale scale;
    double largest = 0.0;
    for (const double y : data.y) largest = std::max(largest, std::abs(y));
    if (largest > 0) scale.exponent = std::ilogb(largest) + 1;
    const double factor = std::ldexp(1.0, -scale.exponent);
    double sum = 0.0, total = 0.0;
    for (std::size_t i = 0; i < data.y.size(); ++i) {
        const double w = data.weight.empty() ? 1.0 : data.weight[i];
        sum += w * (data.y[i] * factor);
        total += w;
    }
    if (total > 0) scale.centre = sum / total;
    return scale;
}

// The power of the target's unit in a measure's unit.
int target_power(Measure measure) {
    return measure == Measure::squared_error ? 2 : measure == Measure::absolute_error ? 1 : 0;
}

// What all workspaces of one growth share.
struct Growth {
    const TrainingData& data;
    const Settings& settings;
    const Context& context;
    TargetScale scale;
    Watch& watch;

    bool is_classification() const { return data.n_classes > 0; }
    std::size_t n_values() const { return is_classification() ? data.n_classes : 1; }
};

using Places = std::shared_ptr<const std::vector<std::uint32_t>>;

template <class Index>
struct OpenNode {
    std::shared_ptr<Workspace<Index>> workspace;
    std::size_t begin = 0, end = 0;
    std::uint32_t record = 0;
    std::int64_t depth = 0;
    Places active;  // columns that may still split

    std::size_t size() const { return end - begin; }
};

// A node that can be split, and how.
template <class Index>
struct PlannedSplit {
    OpenNode<Index> node;
    NodeView view;
    Candidate candidate;
    Split split;
    Places active_below;
    std::vector<Competitor> competitors;

    double total_gain() const { return candidate.gain * view.score_weight; }
};

// Largest gain first, then the node that was made first.
struct LaterSplit {
    template <class Index>
    bool operator()(const std::unique_ptr<PlannedSplit<Index>>& a,
                    const std::unique_ptr<PlannedSplit<Index>>& b) const {
        if (a->total_gain() != b->total_gain()) return a->total_gain() < b->total_gain();
        return a->node.record > b->node.record;
    }
};

template <class Index>
struct GrowerScratch {
    std::vector<SearchScratch<Index>> search;             // one for each worker
    std::vector<std::vector<Element<Index>>> partition;   // one for each worker
    std::vector<Index> rows;
    std::vector<Candidate> candidates;
    std::vector<std::uint32_t> child;   // by row: the child it goes to
    std::vector<std::uint8_t> side;     // the same in bytes, for two-way splits

    explicit GrowerScratch(int n_workers = 1)
        : search(static_cast<std::size_t>(n_workers)),
          partition(static_cast<std::size_t>(n_workers)) {}
};

template <class Index>
class Grower {
public:
    // Nodes of at most `hand_over` rows are left to the caller, in `handed_over`.
    Grower(const Growth& growth, TreeBuilder& builder, int n_threads, std::size_t hand_over,
           GrowerScratch<Index>& scratch)
        : growth_(growth),
          settings_(growth.settings),
          context_(growth.context),
          builder_(builder),
          n_threads_(n_threads),
          hand_over_(hand_over),
          scratch_(scratch) {}

    void run(std::shared_ptr<Workspace<Index>> workspace, std::int64_t depth) {
        auto active = std::make_shared<std::vector<std::uint32_t>>(workspace->columns.size());
        std::iota(active->begin(), active->end(), 0u);
        const std::size_t n = workspace->rows.size();
        OpenNode<Index> root{std::move(workspace), 0, n, builder_.add(), depth, std::move(active)};
        if (settings_.best_first()) {
            grow_best_first(std::move(root));
        } else {
            grow_depth_first(std::move(root));
        }
    }

    std::vector<OpenNode<Index>> handed_over;

private:
    NodeRecord& record(std::uint32_t index) { return builder_.records[index]; }

    // ---------------------------------------------------------------- order of growth

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
            auto children = carry_out(*planned);
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
            auto planned = std::move(const_cast<std::unique_ptr<PlannedSplit<Index>>&>(queue.top()));
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
            auto children = carry_out(*planned);
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

    // ---------------------------------------------------------------- one node

    // Describes the node; says how to split it, or writes down why not.
    std::unique_ptr<PlannedSplit<Index>> plan(OpenNode<Index> node) {
        growth_.watch.check();
        auto planned = std::make_unique<PlannedSplit<Index>>();
        planned->node = std::move(node);
        describe(planned->node, planned->view);
        const StopReason reason = find_split(*planned);
        record(planned->node.record).stop_reason = reason;
        if (reason != StopReason::none) return nullptr;
        return planned;
    }

    void describe(const OpenNode<Index>& node, NodeView& view) {
        const auto& targets = node.workspace->targets;
        view.begin = node.begin;
        view.end = node.end;
        const std::span<const Index> rows =
            std::span<const Index>(node.workspace->rows).subspan(node.begin, node.size());
        view.stats.assign(targets.n_stats(), 0.0);
        double* value = builder_.value(node.record);
        for (const auto row : rows) {
            targets.add_row(row, view.stats.data());
            view.weight += targets.weight_of(row);
        }
        if (growth_.is_classification()) {
            for (const auto row : rows) value[targets.classes[row]] += targets.weight_of(row);
            view.score_weight = std::accumulate(view.stats.begin(), view.stats.end(), 0.0);
        } else {
            view.score_weight = view.weight;
            value[0] = number_predicted(*node.workspace, rows);
        }
        view.impurity = impurity(*node.workspace, rows, view);
        auto& out = record(node.record);
        out.weight = view.weight;
        out.n_rows = static_cast<std::int64_t>(node.size());
        out.impurity = settings_.measure == Measure::chi_square ? gini_of(view)
                                                                : reported_impurity(view.impurity);
    }

    // The mean, or the median for least absolute error, from y as it was given: exact if constant.
    double number_predicted(const Workspace<Index>& workspace, std::span<const Index> rows) const {
        const auto y = [&](std::size_t row) { return growth_.data.y[workspace.origin[row]]; };
        if (settings_.measure == Measure::absolute_error) {
            const std::vector<std::uint32_t> all(rows.begin(), rows.end());
            const auto [low, high] = median_rows(workspace.targets, all);
            return y(low) == y(high) ? y(low) : y(low) / 2 + y(high) / 2;
        }
        const double shrink = std::ldexp(1.0, -growth_.scale.exponent);
        const double first = y(rows[0]) * shrink;
        double sum = 0.0, total = 0.0;
        for (const auto row : rows) {
            const double w = workspace.targets.weight_of(row);
            sum += w * (y(row) * shrink - first);
            total += w;
        }
        return std::ldexp(first + sum / total, growth_.scale.exponent);
    }

    // Per unit of weight, in units of the scaled target; exactly 0 if all targets are the same.
    double impurity(const Workspace<Index>& workspace, std::span<const Index> rows,
                    const NodeView& view) const {
        const auto& targets = workspace.targets;
        if (growth_.is_classification()) {
            const auto present =
                std::ranges::count_if(view.stats, [](double w) { return w > 0.0; });
            if (present <= 1) return 0.0;
            const double side = context_.score.side(view.stats.data(), view.stats.data());
            switch (settings_.measure) {
                case Measure::gini: return 1.0 - side / view.score_weight;
                case Measure::chi_square: return 1.0;
                default: return -side / view.score_weight;
            }
        }
        const double first = targets.y[rows[0]];
        if (std::ranges::all_of(rows, [&](auto row) { return targets.y[row] == first; })) return 0.0;
        double sum = 0.0;
        if (settings_.measure == Measure::absolute_error) {
            sum = absolute_error_of(targets, std::vector<std::uint32_t>(rows.begin(), rows.end()));
        } else if (settings_.measure == Measure::poisson) {
            for (const auto row : rows) {
                const double y = growth_.data.y[workspace.origin[row]];
                sum += targets.weight_of(row) * x_log2_x(y) * 0.69314718055994531;
            }
            sum -= context_.score.side(view.stats.data(), view.stats.data());
        } else {
            const double mean = view.stats[1] / view.stats[0];
            for (const auto row : rows) {
                const double d = targets.y[row] - mean;
                sum += targets.weight_of(row) * d * d;
            }
        }
        return std::max(sum / view.weight, std::numeric_limits<double>::min());
    }

    // Chi-square measures splits, not nodes; a node shows its Gini index.
    static double gini_of(const NodeView& view) {
        double sum = 0.0;
        for (const double w : view.stats) sum += (w / view.score_weight) * (w / view.score_weight);
        return 1.0 - sum;
    }

    // Impurities and gains leave the grower in units of the target as it was given.
    double reported_impurity(double impurity) const {
        return std::ldexp(impurity, growth_.scale.exponent * target_power(settings_.measure));
    }

    StopReason why_stop(const OpenNode<Index>& node, const NodeView& view) const {
        if (view.impurity == 0.0) return StopReason::pure;
        if (node.depth >= settings_.max_depth) return StopReason::max_depth;
        const double size =
            settings_.limits_by_weight ? view.weight : static_cast<double>(node.size());
        if (size < settings_.min_samples_split * (1 - 1e-9)) return StopReason::min_samples_split;
        return node.active->empty() ? StopReason::no_candidate : StopReason::none;
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
        evaluate_columns(node, view);
        const auto& candidates = scratch_.candidates;
        const Candidate* best = choose(candidates, *node.workspace, view);
        if (!best) return why_none(candidates);
        planned.candidate = *best;
        planned.competitors = competitors_of(*best, candidates, node, view);
        planned.active_below = active_below(node, candidates);
        ColumnSearch<Index> search(context_, *node.workspace, view, scratch_.search[0]);
        search.evaluate(best->place, &planned.split);
        return StopReason::none;
    }

    void evaluate_columns(const OpenNode<Index>& node, const NodeView& view) {
        const auto& active = *node.active;
        scratch_.candidates.resize(active.size());
        const auto evaluate = [&](std::size_t i, int worker) {
            ColumnSearch<Index> search(context_, *node.workspace, view,
                                       scratch_.search[static_cast<std::size_t>(worker)]);
            scratch_.candidates[i] = search.evaluate(active[i]);
        };
        const bool share = n_threads_ > 1 && node.size() * active.size() >= cells_worth_sharing;
        run_tasks(active.size(), share ? n_threads_ : 1, evaluate);
    }

    StopReason why_none(const std::vector<Candidate>& candidates) const {
        const auto has_gain = [](const Candidate& c) { return !c.constant && !c.too_small; };
        if (settings_.has_min_gain && std::ranges::any_of(candidates, has_gain)) {
            return StopReason::min_gain;
        }
        if (std::ranges::any_of(candidates, &Candidate::too_small)) {
            return StopReason::min_samples_leaf;
        }
        return StopReason::no_candidate;
    }

    // ---------------------------------------------------------------- choosing among columns

    double score_tolerance(const NodeView& view) const {
        if (settings_.gain_ratio) return 1e-12;
        if (settings_.measure == Measure::chi_square) return 1e-12 * view.score_weight;
        return 1e-12 * view.impurity;
    }

    const Candidate* choose(const std::vector<Candidate>& candidates,
                            const Workspace<Index>& workspace, const NodeView& view) const {
        if (!settings_.column_order.empty()) return first_in_order(candidates, workspace);
        const double least_gain =
            settings_.average_gain_filter ? average_gain(candidates) - 1e-3
                                          : -std::numeric_limits<double>::infinity();
        const double tolerance = score_tolerance(view);
        const Candidate* best = nullptr;
        for (const auto& candidate : candidates) {
            if (!candidate.valid || candidate.gain < least_gain) continue;
            if (!best || candidate.score > best->score + tolerance) best = &candidate;
        }
        return best;
    }

    // Infinite if no column that sets the standard has a candidate: then the node is not split.
    static double average_gain(const std::vector<Candidate>& candidates) {
        double sum = 0.0;
        int n = 0;
        for (const auto& candidate : candidates) {
            if (!candidate.usable || !candidate.in_average) continue;
            sum += candidate.gain;
            ++n;
        }
        return n > 0 ? sum / n : std::numeric_limits<double>::infinity();
    }

    const Candidate* first_in_order(const std::vector<Candidate>& candidates,
                                    const Workspace<Index>& workspace) const {
        const auto& order = settings_.column_order;
        const Candidate* best = nullptr;
        auto best_at = order.end();
        for (const auto& candidate : candidates) {
            if (!candidate.valid) continue;
            const auto at = std::ranges::find(order, workspace.columns[candidate.place].column);
            if (!best || at < best_at) {
                best = &candidate;
                best_at = at;
            }
        }
        return best;
    }

    std::vector<Competitor> competitors_of(const Candidate& best,
                                           const std::vector<Candidate>& candidates,
                                           const OpenNode<Index>& node, const NodeView& view) const {
        std::vector<const Candidate*> others;
        for (const auto& candidate : candidates) {
            if (candidate.valid && &candidate != &best) others.push_back(&candidate);
        }
        const auto n = std::min(others.size(), static_cast<std::size_t>(settings_.n_competitors));
        std::ranges::stable_sort(others, std::ranges::greater{}, &Candidate::score);
        std::vector<Competitor> out(n);
        for (std::size_t i = 0; i < n; ++i) {
            const auto& other = *others[i];
            const auto column = node.workspace->columns[other.place].column;
            out[i] = {column, reported_impurity(other.gain),
                      settings_.gain_ratio ? other.score : reported_impurity(other.score),
                      threshold_of(context_, column, other),
                      std::abs(other.score - best.score) <= score_tolerance(view)};
        }
        return out;
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

    // ---------------------------------------------------------------- carrying a split out

    // Where the children's rows go, and what each child holds.
    struct Routes {
        std::uint32_t n_children = 0;   // all of them, in the order of the tree
        std::uint32_t nowhere = 0;      // rows that stop at the node
        std::int32_t empty_child = -1, missing_branch = -1;
        bool spread = false;
        std::vector<double> known_weight;
        std::vector<Surrogate> surrogates;
    };

    std::vector<OpenNode<Index>> carry_out(PlannedSplit<Index>& planned) {
        auto& node = planned.node;
        auto& workspace = *node.workspace;
        Routes routes = plan_routes(planned);
        assign_known(planned, routes);
        if (const auto reason = forbids(planned, routes); reason != StopReason::none) {
            record(node.record).stop_reason = reason;
            return {};
        }
        if (settings_.missing == MissingPolicy::surrogate && settings_.max_surrogates > 0 &&
            routes.n_children == 2) {
            find_surrogates_of(planned, routes);
        }
        if (planned.split.missing_rows > 0) assign_missing(planned, routes);
        const auto first = open_records(planned, routes);
        auto children = routes.spread ? spread_children(planned, routes)
                                      : partition_children(planned, routes);
        for (auto& child : children) child.record += first;
        write_split(planned, routes, first, children, workspace);
        return children;
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
        routes.spread =
            settings_.missing == MissingPolicy::fractional && split.missing_rows > 0;
        return routes;
    }

    // Writes the child of every row that knows the value; the others get `nowhere`.
    void assign_known(const PlannedSplit<Index>& planned, Routes& routes) {
        const auto& workspace = *planned.node.workspace;
        const auto& split = planned.split;
        const auto& column = workspace.columns[split.place];
        auto& child = scratch_.child;
        if (child.size() < workspace.origin.size()) child.resize(workspace.origin.size());
        std::vector<std::uint32_t> of_code;
        if (split.kind != SplitKind::threshold && column.counted) {
            of_code.assign(256, routes.nowhere);
            for (std::size_t i = 0; i < split.codes.size(); ++i) {
                of_code[split.codes[i]] = split.child_of_code[i];
            }
        }
        std::size_t at = 0;
        for (std::size_t i = planned.node.begin; i < planned.node.end; ++i) {
            std::size_t row;
            std::uint32_t to = routes.nowhere;
            if (column.counted) {
                row = workspace.rows[i];
                const auto code = column.codes[row];
                if (code != missing_code) {
                    to = of_code.empty() ? (code > split.cut_code ? 1 : 0) : of_code[code];
                }
            } else {
                row = column.sorted[i].row;
                const auto rank = column.sorted[i].rank;
                if (rank == missing_rank<Index>) {
                } else if (split.kind == SplitKind::threshold) {
                    to = rank > split.cut_code ? 1 : 0;
                } else {
                    while (split.codes[at] != rank) ++at;
                    to = split.child_of_code[at];
                }
            }
            child[row] = to;
            if (to != routes.nowhere) routes.known_weight[to] += workspace.targets.weight_of(row);
        }
    }

    static std::uint32_t heaviest(const std::vector<double>& weight) {
        return static_cast<std::uint32_t>(std::ranges::max_element(weight) - weight.begin());
    }

    // As in rpart: where both sides weigh the same there is no larger one to follow.
    static bool has_majority(const std::vector<double>& weight) {
        return std::ranges::count(weight, *std::ranges::max_element(weight)) == 1;
    }

    void find_surrogates_of(const PlannedSplit<Index>& planned, Routes& routes) {
        const auto& workspace = *planned.node.workspace;
        scratch_.side.resize(std::max(scratch_.side.size(), workspace.origin.size()));
        for (std::size_t i = planned.node.begin; i < planned.node.end; ++i) {
            const auto row = workspace.rows[i];
            scratch_.side[row] = static_cast<std::uint8_t>(scratch_.child[row]);
        }
        routes.surrogates = find_surrogates(context_, workspace, planned.view, planned.split.place,
                                            *planned.active_below, scratch_.side);
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
                const bool missing = view.kind == ColumnKind::numeric ? std::isnan(value) : value < 0;
                if (!missing) return (value > surrogate.threshold) != surrogate.flip ? 1 : 0;
                continue;
            }
            const auto at = std::ranges::lower_bound(surrogate.level_code, view.code(training_row));
            if (at != surrogate.level_code.end() && *at == view.code(training_row)) {
                return static_cast<std::uint32_t>(
                    surrogate.level_child[static_cast<std::size_t>(at - surrogate.level_code.begin())]);
            }
        }
        return otherwise;
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
            record(index).impurity = record(planned.node.record).impurity;
            record(index).stop_reason = StopReason::empty;
        }
        return first;
    }

    Places active_of_children(const PlannedSplit<Index>& planned) const {
        const auto& split = planned.split;
        const bool used_up = settings_.use_once ||
                             (split.kind == SplitKind::branches && split.missing_rows == 0);
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
        std::vector<std::size_t> ends(routes.n_children + 1, 0);
        for (std::size_t i = node.begin; i < node.end; ++i) {
            ++ends[scratch_.child[workspace.rows[i]]];
        }
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        ends.pop_back();

        const bool two_ways = routes.n_children == 2 && ends[1] == node.size();
        if (two_ways) {
            scratch_.side.resize(std::max(scratch_.side.size(), workspace.origin.size()));
            for (std::size_t i = node.begin; i < node.end; ++i) {
                const auto row = workspace.rows[i];
                scratch_.side[row] = static_cast<std::uint8_t>(scratch_.child[row]);
            }
        }
        partition_columns(node, *active, routes.n_children, ends, two_ways);

        std::vector<OpenNode<Index>> children;
        std::size_t begin = 0;
        for (std::uint32_t c = 0; c < routes.n_children; ++c) {
            if (static_cast<std::int32_t>(c) != routes.empty_child) {
                children.push_back({node.workspace, node.begin + begin, node.begin + ends[c], c,
                                    node.depth + 1, active});
            }
            begin = ends[c];
        }
        return children;
    }

    void partition_columns(const OpenNode<Index>& node, const std::vector<std::uint32_t>& active,
                           std::uint32_t n_children, const std::vector<std::size_t>& ends,
                           bool two_ways) {
        auto& workspace = *node.workspace;
        const auto* child = scratch_.child.data();
        const auto* side = scratch_.side.data();
        const auto rows = std::span(workspace.rows).subspan(node.begin, node.size());
        partition(rows, n_children, ends, scratch_.rows, [&](Index row) { return child[row]; });
        std::vector<std::uint32_t> sorted;
        std::ranges::copy_if(active, std::back_inserter(sorted),
                             [&](auto place) { return !workspace.columns[place].counted; });
        const auto move = [&](std::size_t i, int worker) {
            auto& column = workspace.columns[sorted[i]];
            const auto range = std::span(column.sorted).subspan(node.begin, node.size());
            auto& scratch = scratch_.partition[static_cast<std::size_t>(worker)];
            using Item = Element<Index>;
            if (two_ways) {
                partition(range, n_children, ends, scratch,
                          [&](const Item& item) { return side[item.row]; });
            } else {
                partition(range, n_children, ends, scratch,
                          [&](const Item& item) { return child[item.row]; });
            }
        };
        const bool share = n_threads_ > 1 && node.size() * sorted.size() >= cells_worth_sharing;
        run_tasks(sorted.size(), share ? n_threads_ : 1, move);
    }

    // Rows that miss the value go down every branch with a share of their weight, so each child
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
            auto own = extract<Index, Index>(workspace, node.begin, node.end, members[c], shares[c],
                                             *active);
            auto places = std::make_shared<std::vector<std::uint32_t>>(own->columns.size());
            std::iota(places->begin(), places->end(), 0u);
            const std::size_t n = own->rows.size();
            children.push_back({std::move(own), 0, n, c, node.depth + 1, std::move(places)});
        }
        return children;
    }

    void write_split(PlannedSplit<Index>& planned, Routes& routes, std::uint32_t first,
                     const std::vector<OpenNode<Index>>& children,
                     const Workspace<Index>& workspace) {
        auto& split = planned.split;
        auto& out = record(planned.node.record);
        out.kind = split.kind;
        out.feature = workspace.columns[split.place].column;
        out.threshold = split.kind == SplitKind::threshold ? split.threshold : 0.0;
        out.first_child = first;
        out.n_children = routes.n_children;
        out.gain = reported_impurity(planned.candidate.gain);
        out.score = settings_.gain_ratio ? planned.candidate.score
                                         : reported_impurity(planned.candidate.score);
        out.details = std::make_unique<SplitDetails>();
        out.details->competitors = std::move(planned.competitors);
        out.details->surrogates = std::move(routes.surrogates);
        out.details->cuts = std::move(split.cuts);
        if (split.kind == SplitKind::branches || split.kind == SplitKind::subset) {
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
        for (std::size_t c = 0; c < weight.size(); ++c) {
            for (std::size_t i = children[c].begin; i < children[c].end; ++i) {
                weight[c] += children[c].workspace->targets.weight_of(children[c].workspace->rows[i]);
            }
        }
        if (settings_.missing == MissingPolicy::surrogate && !has_majority(weight)) {
            return missing_stops;
        }
        return static_cast<std::int32_t>(heaviest(weight));
    }

    const Growth& growth_;
    const Settings& settings_;
    const Context& context_;
    TreeBuilder& builder_;
    int n_threads_;
    std::size_t hand_over_;
    GrowerScratch<Index>& scratch_;
};

Targets make_targets(const TrainingData& data, const Settings& settings, const TargetScale& scale) {
    Targets targets;
    targets.n_classes = data.n_classes;
    targets.weight.assign(data.weight.begin(), data.weight.end());
    if (data.n_classes == 0) {
        const double shrink = std::ldexp(1.0, -scale.exponent);
        targets.y.reserve(data.n_rows);
        for (const double y : data.y) targets.y.push_back(y * shrink - scale.centre);
        return targets;
    }
    targets.classes.assign(data.classes.begin(), data.classes.end());
    if (!settings.class_factor.empty()) {
        targets.score_weight.resize(data.n_rows);
        for (std::size_t i = 0; i < data.n_rows; ++i) {
            const auto cls = static_cast<std::size_t>(data.classes[i]);
            targets.score_weight[i] = targets.weight_of(i) * settings.class_factor[cls];
        }
    }
    return targets;
}

std::shared_ptr<Workspace<std::uint32_t>> make_workspace(const TrainingData& data,
                                                         const Settings& settings,
                                                         const TargetScale& scale, int n_threads) {
    auto workspace = std::make_shared<Workspace<std::uint32_t>>();
    workspace->rows.resize(data.n_rows);
    std::iota(workspace->rows.begin(), workspace->rows.end(), 0u);
    workspace->origin = workspace->rows;
    workspace->new_row.resize(data.n_rows);
    workspace->targets = make_targets(data, settings, scale);
    const bool share = data.n_rows * data.columns.size() >= cells_worth_sharing;
    workspace->columns = prepare_columns(data.columns, data.n_rows, share ? n_threads : 1);
    return workspace;
}

// C4.5, rule 5: columns with very many levels do not count in the average gain, unless all of the
// table's columns are such.
std::vector<char> columns_that_set_the_standard(const TrainingData& data) {
    std::vector<char> sets(data.columns.size(), 1);
    const double many = 0.3 * static_cast<double>(data.n_rows);
    for (std::size_t c = 0; c < sets.size(); ++c) {
        sets[c] = !data.columns[c].is_nominal() || data.columns[c].n_levels < many;
    }
    if (std::ranges::find(sets, 1) == sets.end()) std::ranges::fill(sets, 1);
    return sets;
}

// C4.5 does not cut between neighbours closer than 1e-5, here never more than a thousandth of the
// column's range, so that the unit of a column does not matter. 0 if no neighbours are that close.
double gap_that_counts(const std::vector<double>& values) {
    if (values.size() < 2) return 0.0;
    const double gap = std::min(1e-5, 1e-3 * (values.back() - values.front()));
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        if (!(values[i] + gap < values[i + 1])) return gap;
    }
    return 0.0;
}

Context make_context(const TrainingData& data, const Settings& settings, const SideScore& score,
                     int n_threads) {
    Context context{settings, data.columns, data.n_rows, score, {}, {}, {}, {}};
    context.sets_standard = columns_that_set_the_standard(data);
    if (settings.measure == Measure::entropy && data.weight.empty()) {
        context.n_log2_n.resize(data.n_rows + 1);
        for (std::size_t n = 0; n <= data.n_rows; ++n) {
            context.n_log2_n[n] = x_log2_x(static_cast<double>(n));
        }
    }
    if (settings.data_value_thresholds || settings.c45_gaps) {
        context.distinct.resize(data.columns.size());
        context.least_gap.resize(data.columns.size(), 0.0);
        run_tasks(data.columns.size(), n_threads, [&](std::size_t c, int) {
            if (data.columns[c].kind != ColumnKind::numeric) return;
            context.distinct[c] = distinct_values(data.columns[c], data.n_rows);
            if (settings.c45_gaps) context.least_gap[c] = gap_that_counts(context.distinct[c]);
        });
    }
    return context;
}

using LocalIndex = std::uint16_t;

// Small enough that a few threads find enough subtrees to share, large enough to be worth a copy.
std::size_t local_subtree_rows(std::size_t n_rows) {
    return std::clamp<std::size_t>(n_rows / 16, 4096, largest_local_subtree);
}

// Grows the subtrees that were handed over, each by one thread in a compact workspace.
void grow_subtrees(const Growth& growth, std::vector<OpenNode<std::uint32_t>>& roots,
                   std::vector<TreeBuilder>& builders, int n_threads) {
    std::ranges::stable_sort(roots, std::ranges::greater{},
                             [](const auto& root) { return root.size(); });
    for (std::size_t i = 0; i < roots.size(); ++i) {
        builders.emplace_back(growth.n_values());
        builders[0].records[roots[i].record].subtree = static_cast<std::int32_t>(i + 1);
    }
    const int n_workers = usable_threads(n_threads);
    std::vector<GrowerScratch<LocalIndex>> scratch(static_cast<std::size_t>(n_workers));
    run_tasks(roots.size(), n_workers, [&](std::size_t i, int worker) {
        const auto& root = roots[i];
        const std::span<const std::uint32_t> members =
            std::span<const std::uint32_t>(root.workspace->rows).subspan(root.begin, root.size());
        auto local = extract<LocalIndex, std::uint32_t>(*root.workspace, root.begin, root.end,
                                                        members, {}, *root.active);
        Grower<LocalIndex> grower(growth, builders[i + 1], 1, 0,
                                  scratch[static_cast<std::size_t>(worker)]);
        grower.run(std::move(local), root.depth);
    });
}

}  // namespace

GrownTree grow(const TrainingData& data, const Settings& given, int n_threads,
               const std::function<bool()>& interrupted) {
    const TargetScale scale = data.n_classes == 0 ? scale_of(data) : TargetScale{};
    Settings settings = given;
    settings.min_gain = std::ldexp(given.min_gain, -scale.exponent * target_power(given.measure));
    const SideScore score(settings, data.n_classes, scale.offset(), scale.factor());
    const Context context = make_context(data, settings, score, n_threads);
    Watch watch(interrupted);
    const Growth growth{data, settings, context, scale, watch};

    std::vector<TreeBuilder> builders;
    builders.emplace_back(growth.n_values());
    GrowerScratch<std::uint32_t> scratch(usable_threads(n_threads));
    const std::size_t hand_over = settings.best_first() ? 0 : local_subtree_rows(data.n_rows);
    Grower<std::uint32_t> top(growth, builders[0], n_threads, hand_over, scratch);
    top.run(make_workspace(data, settings, scale, n_threads), 0);
    grow_subtrees(growth, top.handed_over, builders, n_threads);
    return assemble(builders);
}

}  // namespace treewright
