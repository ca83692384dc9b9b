#include "core/grow/subtree_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/grow/counted_columns.hpp"
#include "core/grow/growth_setup.hpp"
#include "core/grow/search/bit_bundles.hpp"
#include "core/grow/tree_builder.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright {
namespace {

using Index = std::uint32_t;

// The codes of the table that a column of some of its rows still has.
template <class Value>
void add_codes(const std::vector<Value>& of_table, const std::vector<Value>& kept,
               HandedNode& node) {
    for (const auto value : kept) {
        const auto at = std::ranges::lower_bound(of_table, value);
        node.codes.push_back(static_cast<std::uint8_t>(at - of_table.begin()));
    }
}

HandedNode handed(const OpenNode<Index>& open, const Workspace<Index>& all) {
    const auto& workspace = *open.workspace;
    HandedNode node;
    node.depth = open.depth;
    node.path = open.path;
    const auto rows = std::span<const Index>(workspace.rows).subspan(open.begin, open.size());
    node.rows.reserve(rows.size());
    for (const auto row : rows) node.rows.push_back(workspace.origin[row]);
    for (const auto place : *open.active) node.columns.push_back(workspace.columns[place].column);
    // Classes that are counted add up to the same in any order.
    if (&workspace == &all || workspace.targets.counts_rows()) return node;
    const auto gather = [&](const std::vector<double>& from, std::vector<double>& to) {
        if (from.empty()) return;
        for (const auto row : rows) to.push_back(from[row]);
    };
    gather(workspace.targets.weight, node.weight);
    gather(workspace.targets.score_weight, node.score_weight);
    for (const auto place : *open.active) {
        const auto& column = workspace.columns[place];
        const auto& of_table = all.columns[as_index(column.column)];
        const std::size_t before = node.codes.size();
        if (column.counted) {
            add_codes(of_table.values, column.values, node);
            add_codes(of_table.levels, column.levels, node);
        }
        node.n_codes.push_back(static_cast<std::int32_t>(node.codes.size() - before));
    }
    return node;
}

}  // namespace

GrownTop grow_top(const TrainingData& data, const Settings& given, HandOver hand_over,
                  int n_threads, const std::function<bool()>& interrupted) {
    const TargetScale scale = data.n_classes == 0 ? scale_of(data) : TargetScale{};
    const Settings settings = scaled_settings(given, scale);
    const SideScore score(settings, data.n_classes, scale.center);
    Watch watch(interrupted);
    const Check check = [&watch] { watch.check(); };
    Context context = make_context(data, settings, score, n_threads, check);
    const auto workspace = make_workspace(data, settings, scale, true, n_threads, check);
    learn_values(settings, *workspace, n_threads, context);
    const Growth growth{data, settings, context, scale};

    const auto own = subtree_rows(*workspace, settings, data.n_rows, 1);
    std::vector<TreeBuilder> builders;
    builders.emplace_back(growth.n_values());
    const std::size_t most = own.any ? hand_over.most : std::max(hand_over.most, own.most);
    auto open = grow_down_to(growth, {workspace}, most, n_threads, builders[0]);
    const auto few = std::ranges::stable_partition(
        open, [&](const auto& node) { return node.size() >= hand_over.least; });
    std::vector small(std::move_iterator(few.begin()), std::move_iterator(few.end()));
    open.erase(few.begin(), few.end());
    grow_subtrees(growth, small, builders, n_threads);
    GrownTop top;
    for (const auto& node : open) {
        check();
        builders[0].records[node.record].split_order = static_cast<std::int32_t>(top.nodes.size());
        top.nodes.push_back(handed(node, *workspace));
    }
    top.tree = assemble(builders, n_threads, check);
    return top;
}

struct SubtreeTable::Parts {
    Parts(const TrainingData& given, const Settings& wanted, int n_threads, const Check& at_first)
        : columns(count_columns(given.columns, given.n_rows, n_threads, given.folder, at_first)),
          held(with_columns(given, columns), wanted, n_threads, at_first),
          hand_over(subtree_rows(*held.all, held.settings, given.n_rows, 1).most) {
        held.data.sorted = {};  // the workspace has them
        columns.clear();
    }

    static TrainingData with_columns(TrainingData data,
                                     std::span<const WorkColumn<Index>> columns) {
        data.sorted = columns;
        return data;
    }

    // A workspace of the rows of the node, with all columns and codes that the whole table has there,
    // even where these do not occur.
    std::shared_ptr<Workspace<Index>> open(const HandedNode& node, int n_threads) const {
        const TrainingData& data = held.data;
        const Check& check = held.check;
        auto to = std::make_shared<Workspace<Index>>(data.folder);
        const std::size_t n = node.rows.size();
        to->rows.resize(n);
        std::iota(to->rows.begin(), to->rows.end(), 0u);
        to->origin.assign(node.rows.begin(), node.rows.end());
        to->new_row.resize(n);
        take_targets(node, to->targets);

        std::vector<std::size_t> first_code(node.columns.size(), 0);
        for (std::size_t i = 1; i < node.n_codes.size(); ++i) {
            first_code[i] = first_code[i - 1] + as_index(node.n_codes[i - 1]);
        }
        to->columns.resize(node.columns.size());
        const auto take = [&](std::size_t i, int) {
            check();
            const auto& from = held.all->columns[as_index(node.columns[i])];
            auto& column = to->columns[i];
            column.column = from.column;
            column.sorted = vector_in<Element<Index>>(data.folder);
            column.codes = vector_in<std::uint8_t>(data.folder);
            if (!from.counted) {
                const auto view = data.columns.subspan(as_index(from.column), 1);
                const auto sorted = sort_some(view, node.rows, check);
                column.sorted.assign(sorted[0].begin(), sorted[0].end());  // into the folder
            } else if (node.n_codes.empty()) {
                take_all_codes(from, node.rows, column);
            } else {
                const auto codes = std::span(node.codes)
                                       .subspan(first_code[i], as_index(node.n_codes[i]));
                take_codes(from, codes, node.rows, column);
            }
        };
        run_tasks(to->columns.size(), n_threads, take, check);
        if (held.growth.is_classification() && to->targets.counts_rows()) {
            bundle_two_valued(*to);
            make_code_blocks(*to, n_threads, check);
        }
        return to;
    }

    void take_targets(const HandedNode& node, Targets& to) const {
        const Targets& from = held.all->targets;
        to.n_classes = from.n_classes;
        const auto gather = [&](const auto& source, auto& target) {
            if (source.empty()) return;
            target.resize(node.rows.size());
            for (std::size_t i = 0; i < target.size(); ++i) target[i] = source[node.rows[i]];
        };
        gather(from.classes, to.classes);
        gather(from.y, to.y);
        if (node.weight.empty()) {
            gather(from.weight, to.weight);
            gather(from.score_weight, to.score_weight);
        } else {
            to.weight = node.weight;
            to.score_weight = node.score_weight;
        }
    }

    static void take_all_codes(const WorkColumn<Index>& from, std::span<const Index> rows,
                               WorkColumn<Index>& to) {
        to.counted = true;
        to.values = from.values;
        to.levels = from.levels;
        to.codes.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) to.codes[i] = from.codes[rows[i]];
    }

    static void take_codes(const WorkColumn<Index>& from, std::span<const std::uint8_t> kept,
                           std::span<const Index> rows, WorkColumn<Index>& to) {
        to.counted = true;
        std::array<std::uint8_t, 256> renumbered;
        renumbered.fill(missing_code);
        for (std::size_t i = 0; i < kept.size(); ++i) {
            renumbered[kept[i]] = static_cast<std::uint8_t>(i);
            if (from.values.empty()) {
                to.levels.push_back(from.levels[kept[i]]);
            } else {
                to.values.push_back(from.values[kept[i]]);
            }
        }
        to.codes.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            to.codes[i] = renumbered[from.codes[rows[i]]];
        }
    }

    std::vector<WorkColumn<Index>> columns;
    HeldGrowth held;
    const std::size_t hand_over;
};

SubtreeTable::SubtreeTable(const TrainingData& data, const Settings& settings, int n_threads,
                           const Check& check)
    : parts_(std::make_unique<Parts>(data, settings, n_threads, check)) {
    parts_->held.check = never_stop;
}

SubtreeTable::~SubtreeTable() = default;

GrownTree SubtreeTable::grow(const HandedNode& node, int n_threads, const Check& check) {
    auto& parts = *parts_;
    const Checked checked(parts.held.check, check);
    auto builders = grow_parts(parts.held.growth,
                               {parts.open(node, n_threads), node.depth, node.path},
                               parts.hand_over, n_threads);
    return assemble(builders, n_threads, check);
}

}  // namespace treewright
