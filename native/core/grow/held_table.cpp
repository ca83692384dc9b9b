#include "core/grow/held_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/arithmetic/random.hpp"
#include "core/grow/grower.hpp"
#include "core/grow/growth_setup.hpp"
#include "core/grow/node_description.hpp"
#include "core/grow/search/column_search.hpp"
#include "core/grow/search/group_search.hpp"
#include "core/grow/split_carrier.hpp"
#include "core/grow/split_choice.hpp"
#include "core/grow/split_routes.hpp"
#include "core/grow/tree_builder.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright {
namespace {

using Index = std::uint32_t;

// Means first, then distances from them, each in the order of the rows. `side_of(i)` may be
// negative, `out` holds empty sums.
template <class SideOf>
void add_numbers(std::span<const double> y, std::span<const double> weight, SideOf side_of,
                 std::span<SideSums> out) {
    std::vector<double> first(out.size(), 0.0), sum(out.size(), 0.0);
    const auto weight_of = [&](std::size_t i) { return weight.empty() ? 1.0 : weight[i]; };
    for (std::size_t i = 0; i < y.size(); ++i) {
        const int side = side_of(i);
        if (side < 0) continue;
        const auto s = static_cast<std::size_t>(side);
        if (out[s].n_rows++ == 0) first[s] = y[i];  // makes the mean of equal numbers exact
        out[s].weight += weight_of(i);
        sum[s] += weight_of(i) * (y[i] - first[s]);
    }
    for (std::size_t s = 0; s < out.size(); ++s) {
        if (out[s].n_rows > 0) out[s].mean = first[s] + sum[s] / out[s].weight;
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
        const int side = side_of(i);
        if (side < 0) continue;
        auto& to = out[static_cast<std::size_t>(side)];
        const double d = y[i] - to.mean;
        to.squares += weight_of(i) * (d * d);
    }
}

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

// Where each row goes by a split; missing rows get `missing`.
void fill_sides(const WorkColumn<Index>& column, const Split& split, std::int32_t missing,
                std::vector<std::int32_t>& side) {
    const bool is_cut = split.kind == SplitKind::threshold;
    if (column.counted) {
        std::array<std::int32_t, 256> of_code;
        of_code.fill(missing);
        for (std::size_t code = 0; is_cut && code < column.n_codes(); ++code) {
            of_code[code] = code > split.cut_code ? 1 : 0;
        }
        for (std::size_t i = 0; i < split.codes.size(); ++i) {
            of_code[split.codes[i]] = static_cast<std::int32_t>(split.child_of_code[i]);
        }
        for (std::size_t row = 0; row < side.size(); ++row) side[row] = of_code[column.codes[row]];
        return;
    }
    std::size_t at = 0;
    for (const auto& [row, rank] : column.sorted) {
        if (rank == missing_rank<Index>) {
            side[row] = missing;
        } else if (is_cut) {
            side[row] = rank > split.cut_code ? 1 : 0;
        } else {
            while (split.codes[at] != rank) ++at;
            side[row] = static_cast<std::int32_t>(split.child_of_code[at]);
        }
    }
}

bool same_division(const Split& a, const Split& b) {
    if (a.kind != b.kind || a.missing_child != b.missing_child) return false;
    if (a.kind == SplitKind::threshold) return a.cut_code == b.cut_code;
    return a.child_of_code == b.child_of_code;
}

}  // namespace

std::vector<SideSums> number_sides(std::span<const double> y, std::span<const double> weight,
                                   std::span<const std::int32_t> side, std::size_t n_sides) {
    std::vector<SideSums> out(n_sides);
    add_numbers(y, weight, [&](std::size_t i) { return side[i]; }, out);
    return out;
}

struct HeldTable::Parts {
    Parts(const TrainingData& given, const Settings& wanted, int n_threads, const Check& at_first)
        : data(given),
          scale(given.n_classes == 0 ? scale_of(given) : TargetScale{}),
          settings(scaled_settings(wanted, scale)),
          score(settings, given.n_classes, scale.center),
          check(at_first),
          context(make_context(data, settings, score, check)),
          all(make_workspace(data, settings, scale, n_threads, check)),
          growth{data, settings, context, scale},
          new_row(data.n_rows, not_a_member) {
        learn_values(settings, *all, n_threads, context);
    }

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
        to->origin.assign(node.rows.begin(), node.rows.end());
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

    void take_targets(const HeldNode& node, const std::vector<Index>& members, Targets& to) const {
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

    // Where the gain of a split counts missing rows: with a child, on a side of their own, or -1.
    int missing_side(const Split& split) const {
        if (split.missing_rows == 0) return -1;
        if (settings.missing == MissingPolicy::learned) return split.missing_child;
        return settings.missing == MissingPolicy::branch ? static_cast<int>(split.n_children) : -1;
    }

    // The target of a node's rows as it was given, if the sums of sides need it.
    std::vector<double> numbers_of(const Workspace<Index>& workspace) const {
        std::vector<double> y;
        if (settings.measure != Measure::squared_error) return y;
        y.reserve(workspace.origin.size());
        for (const auto row : workspace.origin) y.push_back(data.y[row]);
        return y;
    }

    void add_up(const Workspace<Index>& workspace, const NodeView& view,
                const WorkColumn<Index>& column, std::span<const double> y,
                ColumnBest& best) const {
        best.missing_side = missing_side(best.split);
        const auto n_sides = best.split.n_children +
                             (best.missing_side == static_cast<int>(best.split.n_children) ? 1 : 0);
        best.sides.resize(n_sides);
        if (data.n_classes == 0 && y.empty()) return;
        if (data.n_classes > 0 && workspace.targets.counts_rows() && !column.counted &&
            best.split.kind == SplitKind::threshold && best.split.missing_rows == 0) {
            return count_two_sides(workspace.targets, view, column, best);
        }
        std::vector<std::int32_t> side(workspace.rows.size());
        constexpr std::int32_t is_missing = -1;
        fill_sides(column, best.split, is_missing, side);
        if (data.n_classes > 0) {
            add_classes(workspace.targets, side, best);
        } else {
            add_up_numbers(y, workspace.targets.weight, side, best);
        }
    }

    // Whole numbers may be added in any order: the smaller side is counted in the column's own.
    void count_two_sides(const Targets& targets, const NodeView& view,
                         const WorkColumn<Index>& column, ColumnBest& best) const {
        const auto& sorted = column.sorted;
        const auto first_right = std::ranges::upper_bound(sorted, best.split.cut_code, {},
                                                          &Element<Index>::rank);
        const auto n_left = static_cast<std::size_t>(first_right - sorted.begin());
        const bool counts_left = 2 * n_left <= sorted.size();
        std::vector<std::int64_t> counts(data.n_classes, 0);
        for (std::size_t i = counts_left ? 0 : n_left; i < (counts_left ? n_left : sorted.size());
             ++i) {
            ++counts[targets.classes[sorted[i].row]];
        }
        auto& counted = best.sides[counts_left ? 0 : 1];
        auto& rest = best.sides[counts_left ? 1 : 0];
        best.sides[0].n_rows = static_cast<std::int64_t>(n_left);
        best.sides[1].n_rows = static_cast<std::int64_t>(sorted.size() - n_left);
        for (std::size_t cls = 0; cls < data.n_classes; ++cls) {
            counted.of_class.push_back(static_cast<double>(counts[cls]));
            rest.of_class.push_back(view.stats[cls] - static_cast<double>(counts[cls]));
        }
        best.left_out.of_class.resize(data.n_classes, 0.0);
        best.missing.of_class.resize(data.n_classes, 0.0);
    }

    void add_classes(const Targets& targets, const std::vector<std::int32_t>& side,
                     ColumnBest& best) const {
        for (auto& sums : best.sides) sums.of_class.resize(data.n_classes, 0.0);
        best.left_out.of_class.resize(data.n_classes, 0.0);
        best.missing.of_class.resize(data.n_classes, 0.0);
        const auto add = [](SideSums& to, std::size_t cls, double weight) {
            ++to.n_rows;
            to.of_class[cls] += weight;
        };
        for (std::size_t row = 0; row < side.size(); ++row) {
            const std::size_t cls = targets.classes[row];
            const double weight = targets.weight_of(row);
            int to = side[row];
            if (to < 0) {
                add(best.missing, cls, weight);
                to = best.missing_side;
            }
            add(to < 0 ? best.left_out : best.sides[static_cast<std::size_t>(to)], cls, weight);
        }
    }

    static void add_up_numbers(std::span<const double> y, std::span<const double> weight,
                               std::vector<std::int32_t>& side, ColumnBest& best) {
        const auto add_where = [&](auto holds, SideSums& to) {
            add_numbers(y, weight, [&](std::size_t i) { return holds(side[i]) ? 0 : -1; },
                        std::span(&to, 1));
        };
        if (best.split.missing_rows > 0) {
            add_where([](std::int32_t to) { return to < 0; }, best.missing);
            for (auto& to : side) to = to < 0 ? best.missing_side : to;
        }
        if (best.split.missing_rows > 0 && best.missing_side < 0) {
            best.left_out = best.missing;
            add_where([](std::int32_t to) { return to >= 0; }, best.counted);
        }
        add_numbers(y, weight, [&](std::size_t i) { return side[i]; }, best.sides);
    }

    // Why a person may still split the node; StopReason::by_hand if nothing forbids it.
    StopReason reason_of(Grower<Index>& grower, GrowerScratch<Index>& scratch,
                         TreeBuilder& builder, OpenNode<Index> node) {
        const auto record = node.record;
        const auto planned = grower.plan(std::move(node));
        if (!planned) return builder.records[record].stop_reason;
        Router<Index> router(growth, scratch);
        const auto reason = router.forbids(*planned, router.route_known(*planned));
        return reason == StopReason::none ? StopReason::by_hand : reason;
    }

    // A given split as the search would have found it.
    Candidate find_given(const PlannedSplit<Index>& planned, const GivenSplit& given,
                         std::uint32_t place, std::int64_t n_cuts, Split& split) {
        const auto& workspace = *planned.node.workspace;
        SearchScratch<Index> scratch;
        ColumnOfNode<Index> at(context, workspace, planned.view, place, scratch);
        at.reader.build_groups();
        const Groups& groups = scratch.groups;
        GroupProblem problem{groups,
                             settings,
                             score,
                             workspace.targets,
                             check,
                             at.min_side_rows(),
                             at.min_side_weight(),
                             planned.view.tolerance(),
                             scratch.rows_of_group,
                             scratch.missing_rows};
        const auto value_of = [&](std::size_t g) { return at.value_at(GroupSource(groups), g); };
        const auto level_of = [&](std::size_t g) {
            if (at.column.counted) return at.column.levels[groups.codes[g]];
            return at.view.code(workspace.origin[groups.a_row[g]]);
        };
        GroupSplit division{true, 0, std::vector<std::uint32_t>(groups.size(), 0), 2, -1};
        for (std::size_t g = 0; g < groups.size(); ++g) {
            division.child_of_group[g] = child_of(given, value_of, level_of, g);
        }
        if (given.kind == SplitKind::intervals) {
            division.n_children = static_cast<std::uint32_t>(given.cuts.size() + 1);
        }
        if (given.kind == SplitKind::subset && groups.size() > 0 && division.child_of_group[0]) {
            for (auto& child : division.child_of_group) child = 1 - child;
        }
        const auto find = [&] {
            return given.kind == SplitKind::branches ? best_branches(problem)
                                                     : score_division(problem, division);
        };
        GroupSplit found = find();
        if (!found.found) {  // a person's split may be smaller than the settings allow
            problem.min_rows = 1;
            problem.min_weight = 0;
            found = find();
        }
        if (!found.found) throw std::invalid_argument("a side of the split has no rows");
        split.kind = given.kind;
        split.place = place;
        split.n_children = found.n_children;
        split.missing_child = found.missing_child;
        split.missing_rows = groups.missing_rows;
        if (given.kind == SplitKind::threshold) {
            split.threshold = given.threshold;
            for (std::size_t g = 0; g < groups.size(); ++g) {
                if (found.child_of_group[g] == 0) split.cut_code = groups.codes[g];
            }
        } else {
            split.codes = groups.codes;
            split.child_of_code = found.child_of_group;
            split.cuts = given.cuts;
            for (std::size_t g = 0; at.view.is_nominal() && g < groups.size(); ++g) {
                split.level_of_code.push_back(level_of(g));
            }
        }
        std::vector<double> weights(found.n_children, 0.0);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            weights[found.child_of_group[g]] += groups.weight[g];
        }
        Candidate candidate;
        candidate.place = place;
        candidate.in_average = context.sets_standard[static_cast<std::size_t>(given.column)];
        at.finish(candidate, found.score - undivided_score(problem), weights, found.missing_child,
                  n_cuts);
        return candidate;
    }

    template <class ValueOf, class LevelOf>
    static std::uint32_t child_of(const GivenSplit& given, ValueOf value_of, LevelOf level_of,
                                  std::size_t group) {
        switch (given.kind) {
            case SplitKind::threshold: return value_of(group) > given.threshold ? 1 : 0;
            case SplitKind::intervals:
                return static_cast<std::uint32_t>(
                    std::ranges::lower_bound(given.cuts, value_of(group)) - given.cuts.begin());
            case SplitKind::subset:
                return std::ranges::find(given.first_levels, level_of(group)) ==
                               given.first_levels.end()
                           ? 1
                           : 0;
            default: return static_cast<std::uint32_t>(group);
        }
    }

    const TrainingData data;
    const TargetScale scale;
    const Settings settings;
    const SideScore score;
    Check check;  // of the call that is running
    Context context;
    const std::shared_ptr<Workspace<Index>> all;
    const Growth growth;
    std::vector<std::uint32_t> new_row;
    std::vector<Workspace<Index>> local;  // one for each worker
};

namespace {

// Lets a call's own check take the place of the one before.
class Checked {
public:
    Checked(Check& held, const Check& check) : held_(held) { held_ = check; }
    ~Checked() { held_ = never_stop; }

private:
    Check& held_;
};

}  // namespace

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
    NodeDescriber<Index>(parts.growth).describe(open, view, builder);
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
        const auto found = search_column(parts.context, *rows, view,
                                         static_cast<std::uint32_t>(place), scratch[w], &best.split);
        best.found = best.split.n_children > 0;
        best.n_cuts = found.n_cuts;
        if (best.found) parts.add_up(*rows, view, column, y, best);
    };
    run_tasks(out.size(), n_threads, search_one, parts.check);
    return out;
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
    return assemble(builders, parts.check);
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
    NodeDescriber<Index>(parts.growth).describe(planned.node, planned.view, builder);
    parts.prepare_search(planned.node, planned.view);

    std::vector<Split> splits;
    auto candidates = parts.search(workspace, planned.view, splits, n_threads);
    const auto column = std::ranges::find(workspace.columns, given.column,
                                          &WorkColumn<Index>::column);
    if (column == workspace.columns.end()) {
        throw std::invalid_argument("the column has one value here");
    }
    const auto place = static_cast<std::size_t>(column - workspace.columns.begin());
    auto wanted = parts.find_given(planned, given, static_cast<std::uint32_t>(place),
                                   candidates[place].n_cuts, planned.split);
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
    return assemble(builders, parts.check);
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
    return assemble(builders, parts.check);
}

}  // namespace treewright
