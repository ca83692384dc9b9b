#include "core/grow/held_table.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/arithmetic/random.hpp"
#include "core/grow/grower.hpp"
#include "core/grow/growth_setup.hpp"
#include "core/grow/node_description.hpp"
#include "core/grow/search/column_search.hpp"
#include "core/grow/split_carrier.hpp"
#include "core/grow/split_choice.hpp"
#include "core/grow/split_routes.hpp"
#include "core/grow/tree_builder.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright {
namespace {

using Index = std::uint32_t;

// How many different known values the rows of a workspace have: 0, 1, or 2 for more.
int count_values(const WorkColumn<Index>& column) {
    if (!column.counted) {
        const auto& sorted = column.sorted;
        if (sorted.front().rank == missing_rank<Index>) return 0;
        const auto known = NodeGroups<Index>::n_known(sorted);
        return sorted.front().rank == sorted[known - 1].rank ? 1 : 2;
    }
    int first = -1;
    for (const auto code : column.codes) {
        if (code == missing_code) continue;
        if (first >= 0 && code != first) return 2;
        first = code;
    }
    return first >= 0 ? 1 : 0;
}

bool same_division(const Split& a, const Split& b) {
    if (a.kind != b.kind || a.missing_child != b.missing_child) return false;
    if (a.kind == SplitKind::threshold) return a.cut_code == b.cut_code;
    return a.child_of_code == b.child_of_code;
}

}  // namespace

struct HeldTable::Parts : HeldGrowth {
    Parts(const TrainingData& given, const Settings& wanted, int n_threads, const Check& at_first)
        : HeldGrowth(given, wanted, n_threads, at_first), new_row(given.n_rows, not_a_member) {}

    bool is_everything(const HeldNode& node) const {
        if (node.rows.size() != data.n_rows || !node.weight.empty()) return false;
        for (std::size_t i = 0; i < node.rows.size(); ++i) {
            if (node.rows[i] != static_cast<std::int64_t>(i)) return false;
        }
        return true;
    }

    // The node's rows in a workspace of their own, numbered as they were given. Columns of one
    // value are left out.
    std::shared_ptr<Workspace<Index>> open(const HeldNode& node, int n_threads) {
        auto to = open_rows(node);
        std::vector<WorkColumn<Index>> columns(all->columns.size());
        const auto take = [&](std::size_t c, int) {
            check();
            take_column(all->columns[c], to->origin, columns[c]);
        };
        run_tasks(columns.size(), n_threads, take, check);
        for (auto& column : columns) {
            if (std::ranges::find(node.used, column.column) != node.used.end()) continue;
            if (!is_constant(column)) to->columns.push_back(std::move(column));
        }
        return to;
    }

    // The same without any columns; take_column() then takes its rows.
    std::shared_ptr<Workspace<Index>> open_rows(const HeldNode& node) {
        auto to = std::make_shared<Workspace<Index>>();
        const std::size_t n = node.rows.size();
        to->rows.resize(n);
        std::iota(to->rows.begin(), to->rows.end(), 0u);
        to->origin.resize(n);
        for (std::size_t i = 0; i < n; ++i) to->origin[i] = static_cast<Index>(node.rows[i]);
        to->new_row.resize(n);
        take_targets(node, to->origin, to->targets);
        std::ranges::fill(new_row, not_a_member);
        for (std::size_t i = 0; i < n; ++i) new_row[to->origin[i]] = static_cast<Index>(i);
        return to;
    }

    void take_column(const WorkColumn<Index>& from, std::span<const Index> members,
                     WorkColumn<Index>& to) const {
        to.column = from.column;
        to.counted = from.counted;
        to.values.clear();
        to.levels.clear();
        if (from.counted) {
            extract_counted<Index, Index>(from, members, to);
            return;
        }
        // Ranks stay as they are: only their order counts. Without a branch, because no processor
        // can guess which rows belong to the node: half of the time for half of the rows.
        to.sorted.resize(members.size() + 1);
        std::size_t n = 0;
        for (const auto& element : from.sorted) {
            const Index row = new_row[element.row];
            to.sorted[n] = {row, element.rank};
            n += row != not_a_member;
        }
        to.sorted.resize(members.size());
    }

    void take_targets(const HeldNode& node, std::span<const Index> members, Targets& to) const {
        const Targets& from = all->targets;
        to.n_classes = from.n_classes;
        const auto gather = [&](const auto& source, auto& target) {
            if (source.empty()) return;
            target.resize(members.size());
            for (std::size_t i = 0; i < members.size(); ++i) target[i] = source[members[i]];
        };
        gather(from.classes, to.classes);
        gather(from.y, to.y);
        gather(from.weight, to.weight);
        gather(from.score_weight, to.score_weight);
        if (node.weight.empty()) return;
        to.weight.assign(node.weight.begin(), node.weight.end());
        for (std::size_t i = 0; i < to.score_weight.size(); ++i) {
            to.score_weight[i] = to.weight[i] * settings.class_factor[to.classes[i]];
        }
    }

    OpenNode<Index> opened(std::shared_ptr<Workspace<Index>> workspace, const HeldNode& node,
                           std::uint32_t record) const {
        auto active = std::make_shared<std::vector<std::uint32_t>>(workspace->columns.size());
        std::iota(active->begin(), active->end(), 0u);
        const std::size_t n = workspace->rows.size();
        return {std::move(workspace), 0,  n,           record, depth_of(node),
                std::move(active),    {}, path_of(node)};
    }

    static std::int64_t depth_of(const HeldNode& node) {
        return static_cast<std::int64_t>(node.path.size());
    }

    // As SplitCarrier numbers the nodes.
    static std::uint64_t path_of(const HeldNode& node) {
        std::uint64_t path = 0;
        for (const auto child : node.path) path = Random(path + child + 1).next();
        return path;
    }

    // A person may split what growth would not: where all targets are the same, no split gains,
    // and rounding must not say otherwise.
    void prepare_search(const OpenNode<Index>& node, NodeView& view) const {
        if (view.impurity == 0.0) {
            view.rounding = std::max(view.rounding, 1e-12 * view.score_weight);
        }
        if (settings.measure != Measure::absolute_error) return;
        rank_targets(node.workspace->targets, node.workspace->rows, view.ranked);
    }

    // The splits of all columns of a workspace, by place.
    std::vector<Candidate> search(const Workspace<Index>& workspace, const NodeView& view,
                                  std::vector<Split>& splits, int n_threads) {
        std::vector<Candidate> found(workspace.columns.size());
        splits.resize(found.size());
        std::vector<SearchScratch<Index>> scratch(
            static_cast<std::size_t>(usable_threads(n_threads)));
        const auto search_one = [&](std::size_t i, int worker) {
            check();
            found[i] = search_column(context, workspace, view, static_cast<std::uint32_t>(i),
                                     scratch[static_cast<std::size_t>(worker)], &splits[i]);
        };
        run_tasks(found.size(), n_threads, search_one, check);
        return found;
    }

    // The target of a node's rows as it was given, if the sums of sides need it.
    std::vector<double> numbers_of(const Workspace<Index>& workspace) const {
        std::vector<double> y;
        if (settings.measure != Measure::squared_error) return y;
        y.reserve(workspace.origin.size());
        for (const auto row : workspace.origin) y.push_back(data.y[row]);
        return y;
    }

    // Why a person may still split the node; StopReason::by_hand if nothing forbids it.
    StopReason reason_of(Grower<Index>& grower, GrowerScratch<Index>& scratch,
                         TreeBuilder& builder, OpenNode<Index> node) {
        const auto record = node.record;
        const auto planned = grower.plan(std::move(node));
        if (!planned) return builder.records[record].stop_reason;
        Router<Index> router(growth, 1, scratch);
        const auto reason = router.forbids(*planned, router.route_known(*planned));
        return reason == StopReason::none ? StopReason::by_hand : reason;
    }

    std::vector<std::uint32_t> new_row;
    std::vector<Workspace<Index>> local;  // one for each worker
};

HeldTable::HeldTable(const TrainingData& data, const Settings& settings, int n_threads,
                     const Check& check)
    : parts_(std::make_unique<Parts>(data, settings, n_threads, check)) {
    parts_->check = never_stop;
}

HeldTable::~HeldTable() = default;

std::vector<ColumnBest> HeldTable::best_splits(const HeldNode& node, int n_threads,
                                               const Check& check) {
    auto& parts = *parts_;
    const Checked checked(parts.check, check);
    const bool is_everything = parts.is_everything(node);
    const auto workspace = is_everything ? parts.all : parts.open_rows(node);
    TreeBuilder builder(parts.growth.n_values());
    const auto open = parts.opened(workspace, node, builder.add());
    NodeView view;
    NodeDescriber<Index>(parts.growth, n_threads).describe(open, view, builder);
    parts.prepare_search(open, view);
    const auto y = parts.numbers_of(*workspace);

    const auto n_workers = static_cast<std::size_t>(usable_threads(n_threads));
    std::vector<SearchScratch<Index>> scratch(n_workers);
    // Each worker has one column of the node at a time, which stays in its cache.
    if (parts.local.size() < n_workers) parts.local.resize(n_workers);
    for (std::size_t w = 0; !is_everything && w < n_workers; ++w) {
        parts.local[w].rows = workspace->rows;
        parts.local[w].origin = workspace->origin;
        parts.local[w].targets = workspace->targets;
        parts.local[w].columns.resize(1);
    }
    std::vector<ColumnBest> out(parts.data.columns.size());
    const auto search_one = [&](std::size_t c, int worker) {
        parts.check();
        const auto w = static_cast<std::size_t>(worker);
        auto& best = out[c];
        const Workspace<Index>* rows = workspace.get();
        std::size_t place = c;
        if (!is_everything) {
            parts.take_column(parts.all->columns[c], workspace->origin, parts.local[w].columns[0]);
            rows = &parts.local[w];
            place = 0;
        }
        const auto& column = rows->columns[place];
        best.n_values = count_values(column);
        if (is_constant(column)) return;
        const auto found =
            search_column(parts.context, *rows, view, static_cast<std::uint32_t>(place), scratch[w],
                          &best.split);
        best.found = best.split.n_children > 0;
        best.n_cuts = found.n_cuts;
        if (best.found) add_up_sides(*rows, view, column, parts.settings, y, best);
    };
    run_tasks(out.size(), n_threads, search_one, parts.check);
    return out;
}

ColumnBest HeldTable::measure(const HeldNode& node, const GivenSplit& given, const Check& check) {
    auto& parts = *parts_;
    const Checked checked(parts.check, check);
    const bool is_everything = parts.is_everything(node);
    const auto workspace = is_everything ? parts.all : parts.open_rows(node);
    auto place = static_cast<std::uint32_t>(given.column);
    if (!is_everything) {
        workspace->columns.resize(1);
        parts.take_column(parts.all->columns[place], workspace->origin, workspace->columns[0]);
        place = 0;
    }
    const auto& column = workspace->columns[place];
    if (is_constant(column)) throw std::invalid_argument("the column has one value here");
    TreeBuilder builder(parts.growth.n_values());
    const auto open = parts.opened(workspace, node, builder.add());
    NodeView view;
    NodeDescriber<Index>(parts.growth, 1).describe(open, view, builder);
    parts.prepare_search(open, view);
    ColumnBest best;
    SearchScratch<Index> scratch;
    if (parts.settings.mdl_correction) {
        best.n_cuts = search_column(parts.context, *workspace, view, place, scratch).n_cuts;
    }
    const auto measure = parts.settings.measure;
    const bool is_summed = parts.data.n_classes > 0 || measure == Measure::squared_error;
    if (given.kind == SplitKind::threshold && is_summed) {
        best.split = given_cut(parts.context, *workspace, given, place);
    }
    const bool learns = parts.settings.missing == MissingPolicy::learned;
    if (best.split.n_children == 0 || (learns && best.split.missing_rows > 0)) {
        best.split = Split{};
        score_given_split(parts.context, *workspace, view, given, place, best.n_cuts, best.split);
    }
    best.found = true;
    best.n_values = count_values(column);
    add_up_sides(*workspace, view, column, parts.settings, parts.numbers_of(*workspace), best);
    const auto is_empty = [](const SideSums& side) { return side.n_rows == 0; };
    if (is_summed && std::ranges::any_of(best.sides, is_empty)) {
        throw std::invalid_argument("a branch would have no rows");
    }
    return best;
}

GrownTree HeldTable::leaf(const HeldNode& node, int n_threads, const Check& check) {
    auto& parts = *parts_;
    const Checked checked(parts.check, check);
    std::vector<TreeBuilder> builders;
    builders.emplace_back(parts.growth.n_values());
    GrowerScratch<Index> scratch(usable_threads(n_threads));
    Grower<Index> grower(parts.growth, builders[0], n_threads, 0, scratch);
    auto open = parts.opened(parts.open(node, n_threads), node, builders[0].add());
    const auto reason = parts.reason_of(grower, scratch, builders[0], std::move(open));
    builders[0].records[0].stop_reason = reason;
    return assemble(builders, n_threads, parts.check);
}

GrownTree HeldTable::split(const HeldNode& node, const GivenSplit& given, int n_threads,
                           const Check& check) {
    auto& parts = *parts_;
    const Checked checked(parts.check, check);
    std::vector<TreeBuilder> builders;
    builders.emplace_back(parts.growth.n_values());
    auto& builder = builders[0];
    PlannedSplit<Index> planned;
    planned.node = parts.opened(parts.open(node, n_threads), node, builder.add());
    const auto& workspace = *planned.node.workspace;
    NodeDescriber<Index>(parts.growth, n_threads).describe(planned.node, planned.view, builder);
    parts.prepare_search(planned.node, planned.view);

    std::vector<Split> splits;
    auto candidates = parts.search(workspace, planned.view, splits, n_threads);
    const auto column = std::ranges::find(workspace.columns, given.column,
                                          &WorkColumn<Index>::column);
    if (column == workspace.columns.end()) {
        throw std::invalid_argument("the column has one value here");
    }
    const auto place = static_cast<std::size_t>(column - workspace.columns.begin());
    auto wanted = score_given_split(parts.context, workspace, planned.view, given,
                                    static_cast<std::uint32_t>(place), candidates[place].n_cuts,
                                    planned.split);
    if (same_division(planned.split, splits[place])) {
        // The same to the last digit as if growth had chosen it.
        wanted = candidates[place];
        const double threshold = planned.split.threshold;
        planned.split = std::move(splits[place]);
        if (given.kind == SplitKind::threshold) planned.split.threshold = threshold;
    }
    candidates[place] = wanted;
    planned.candidate = wanted;
    const SplitChoice<Index> choice(parts.growth);
    planned.competitors =
        choice.competitors_of(candidates[place], candidates, workspace, planned.view);
    auto active_below = std::make_shared<std::vector<std::uint32_t>>();
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
        if (!candidates[i].constant) active_below->push_back(i);
    }
    planned.active_below = active_below;

    Settings as_told = parts.settings;  // a person's split is not tested
    as_told.significance = 1;
    as_told.error_z = -1;
    const Growth obedient{parts.data, as_told, parts.context, parts.scale};
    GrowerScratch<Index> scratch(usable_threads(n_threads));
    SplitCarrier<Index> carrier(obedient, builder, n_threads, scratch);
    auto children = carrier.carry_out(planned);
    Grower<Index> grower(parts.growth, builder, n_threads, 0, scratch);
    for (auto& child : children) {
        const auto record = child.record;
        const auto reason = parts.reason_of(grower, scratch, builder, std::move(child));
        builder.records[record].stop_reason = reason;
    }
    return assemble(builders, n_threads, parts.check);
}

GrownTree HeldTable::grow(const HeldNode& node, std::int64_t n_levels, int n_threads,
                          const Check& check) {
    auto& parts = *parts_;
    const Checked checked(parts.check, check);
    Settings limited = parts.settings;
    const auto depth = Parts::depth_of(node);
    if (n_levels < INT64_MAX - depth) {
        limited.max_depth = std::min(limited.max_depth, depth + n_levels);
    }
    const Growth growth{parts.data, limited, parts.context, parts.scale};
    std::vector<TreeBuilder> builders;
    builders.emplace_back(growth.n_values());
    GrowerScratch<Index> scratch(usable_threads(n_threads));
    Grower<Index> grower(growth, builders[0], n_threads, 0, scratch);
    grower.run(parts.open(node, n_threads), depth, Parts::path_of(node));
    return assemble(builders, n_threads, parts.check);
}

}  // namespace treewright
