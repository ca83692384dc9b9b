#include "core/grow/grow.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "core/grow/grower.hpp"
#include "core/grow/growth.hpp"
#include "core/grow/growth_setup.hpp"
#include "core/grow/search/bit_bundles.hpp"
#include "core/grow/tree_builder.hpp"
#include "core/grow/workspace.hpp"
#include "core/large_vector.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright {
namespace {

// Subtrees of at most this many rows get a compact workspace of 16-bit row numbers that stays in
// the cache, and are grown side by side by one thread each: with two threads 1.7 times faster on
// 100,000 x 28 than when only the columns of a node are shared.
constexpr std::size_t largest_local_subtree = 32768;

// 2^1000 is still a number that a target can be multiplied by: the smallest ones stay small.
constexpr int least_target_exponent = -1000;

}  // namespace

TargetScale scale_of(const TrainingData& data) {
    TargetScale scale;
    double largest = 0.0;
    for (const double y : data.y) largest = std::max(largest, std::abs(y));
    if (largest > 0) scale.exponent = std::max(std::ilogb(largest) + 1, least_target_exponent);
    const double factor = std::ldexp(1.0, -scale.exponent);
    double sum = 0.0, total = 0.0;
    for (std::size_t i = 0; i < data.y.size(); ++i) {
        const double w = data.weight.empty() ? 1.0 : data.weight[i];
        sum += w * (data.y[i] * factor);
        total += w;
    }
    if (total > 0) scale.center = sum / total;
    return scale;
}

Settings scaled_settings(const Settings& given, const TargetScale& scale) {
    Settings settings = given;
    const int unit = -scale.exponent * target_power(given.measure);
    settings.min_gain = std::ldexp(given.min_gain, unit);
    settings.min_risk = std::ldexp(given.min_risk, unit);
    return settings;
}

namespace {

Targets make_targets(const TrainingData& data, const Settings& settings, const TargetScale& scale) {
    Targets targets;
    targets.n_classes = data.n_classes;
    targets.weight.assign(data.weight.begin(), data.weight.end());
    if (data.n_classes == 0) {
        const double shrink = std::ldexp(1.0, -scale.exponent);
        targets.y.reserve(data.n_rows);
        for (const double y : data.y) targets.y.push_back(y * shrink - scale.center);
        return targets;
    }
    targets.classes.resize(data.n_rows);
    std::ranges::transform(data.classes, targets.classes.begin(),
                           [](std::int32_t code) { return static_cast<std::uint16_t>(code); });
    if (!settings.class_factor.empty()) {
        targets.score_weight.resize(data.n_rows);
        for (std::size_t i = 0; i < data.n_rows; ++i) {
            const auto cls = static_cast<std::size_t>(data.classes[i]);
            targets.score_weight[i] = targets.weight_of(i) * settings.class_factor[cls];
        }
    }
    return targets;
}

// Bins know how to count classes and to bound a Gini index or an entropy. All else, and small
// tables, are sorted.
bool is_worth_binning(const TrainingData& data, const Settings& settings) {
    // The targets of fewer rows are in the cache, so that sorted rows are read as fast as bins.
    constexpr std::size_t least_rows = 8 * largest_local_subtree;
    const bool counts = data.n_classes > 0 && data.n_classes <= most_classes_in_bins &&
                        data.weight.empty() && settings.class_factor.empty() &&
                        !settings.sizes_are_weights() && settings.min_weight_leaf <= 0;
    const bool bounds = settings.measure == Measure::gini || settings.measure == Measure::entropy;
    const bool plain = !settings.gain_ratio && !settings.average_gain_filter &&
                       !settings.mdl_correction && !settings.data_value_thresholds &&
                       !settings.j48_gaps && settings.column_order.empty() &&
                       settings.numeric == NumericSplit::threshold;
    const bool routes = settings.missing != MissingPolicy::fractional &&
                        settings.max_surrogates == 0 && settings.max_features == 0;
    // Columns that say little are looked into at nearly every bin: 16 bytes for each row of each.
    if (data.folder) return false;
    if (!data.sorted.empty() || settings.best_first() || !counts || !bounds || !plain || !routes) {
        return false;
    }
    if (data.n_rows < least_rows && takes(ShortCut::sorted_subtrees)) return false;
    return takes(ShortCut::binned_columns) && takes(ShortCut::class_tables);
}

}  // namespace

std::shared_ptr<Workspace<std::uint32_t>> make_workspace(const TrainingData& data,
                                                         const Settings& settings,
                                                         const TargetScale& scale, bool may_bin,
                                                         int n_threads, const Check& check) {
    auto workspace = std::make_shared<Workspace<std::uint32_t>>(data.folder);
    workspace->rows.resize(data.n_rows);
    std::iota(workspace->rows.begin(), workspace->rows.end(), 0u);
    workspace->origin = workspace->rows;
    workspace->new_row.resize(data.n_rows);
    workspace->targets = make_targets(data, settings, scale);
    const bool share = data.n_rows * data.columns.size() >= cells_worth_sharing;
    if (may_bin && is_worth_binning(data, settings)) {
        workspace->columns = bin_columns(data.columns, data.n_rows, share ? n_threads : 1,
                                         data.folder, check);
        workspace->has_bins =
            std::ranges::any_of(workspace->columns, [](const auto& c) { return c.binned; });
    } else if (data.sorted.empty()) {
        workspace->columns =
            prepare_columns(data.columns, data.n_rows, share ? n_threads : 1, data.folder, check);
    } else {
        workspace->columns.assign(data.sorted.begin(), data.sorted.end());
    }
    if (data.n_classes > 0 && workspace->targets.counts_rows()) {
        bundle_two_valued(*workspace);
        make_code_blocks(*workspace, n_threads, check);
    }
    return workspace;
}

namespace {

// C4.5, rule 5: columns with very many levels do not count in the average gain, unless all of the
// table's columns are such.
std::vector<char> columns_that_set_the_standard(const TrainingData& data,
                                                const Settings& settings) {
    std::vector<char> sets(data.columns.size(), 1);
    const std::size_t n_rows = settings.rows_in_table > 0 ? settings.rows_in_table : data.n_rows;
    const double many = 0.3 * static_cast<double>(n_rows);
    for (std::size_t c = 0; c < sets.size(); ++c) {
        sets[c] = !data.columns[c].is_nominal() || data.columns[c].n_levels < many;
    }
    if (std::ranges::find(sets, 1) == sets.end()) std::ranges::fill(sets, 1);
    return sets;
}

// J48 does not cut between neighbors closer than this, whatever the unit of the column.
constexpr double j48_gap = 1e-5;

// 0 if no neighbors are that close.
double gap_that_counts(std::span<const double> values) {
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        if (!(values[i] + j48_gap < values[i + 1])) return j48_gap;
    }
    return 0.0;
}

}  // namespace

void learn_values(const Settings& settings, const Workspace<std::uint32_t>& workspace,
                  int n_threads, Context& context) {
    if (!settings.data_value_thresholds && !settings.j48_gaps) return;
    context.distinct.resize(context.views.size());
    context.least_gap.resize(context.views.size(), 0.0);
    const auto learn = [&](std::size_t c, int) {
        context.check();
        if (context.views[c].kind != ColumnKind::numeric) return;
        const auto& column = workspace.columns[c];
        if (column.counted || !column.sorted.empty()) {
            context.distinct[c] = distinct_values(column, context.views[c]);
        } else {  // its order is needed here alone
            const auto sorted = prepare_columns(context.views.subspan(c, 1), workspace.rows.size(),
                                                1, workspace.folder, context.check);
            context.distinct[c] = distinct_values(sorted[0], context.views[c]);
        }
        if (settings.j48_gaps) context.least_gap[c] = gap_that_counts(context.distinct[c]);
    };
    run_tasks(context.views.size(), n_threads, learn, context.check);
}

Context make_context(const TrainingData& data, const Settings& settings, const SideScore& score,
                     int n_threads, const Check& check) {
    Context context{settings, data.columns, score, check, {}, {}, {}, {}};
    context.sets_standard = columns_that_set_the_standard(data, settings);
    if (settings.measure == Measure::entropy && data.weight.empty()) {
        context.n_log2_n = vector_in<double>(data.folder);
        context.n_log2_n.resize(data.n_rows + 1);
        const RowShares blocks = share_rows(data.n_rows + 1, n_threads, rows_worth_a_task);
        const auto fill = [&](std::size_t block, int) {
            for (std::size_t n = blocks.begin(block); n < blocks.end(block); ++n) {
                context.n_log2_n[n] = x_log2_x(static_cast<double>(n));
            }
        };
        run_tasks(blocks.size(), n_threads, fill, check);
    }
    return context;
}

namespace {

using LocalIndex = std::uint16_t;

// Whether subtrees of any size can be handed over. A subtree drops the columns and the codes that
// no longer occur. That changes which columns are drawn at random, and the order in which weights
// or targets are added up code by code.
bool subtrees_may_be_small(const Workspace<std::uint32_t>& workspace, const Settings& settings) {
    if (settings.max_features > 0) return false;
    if (workspace.targets.is_classification() && workspace.targets.counts_rows() &&
        settings.missing != MissingPolicy::fractional) {
        return true;
    }
    return std::ranges::none_of(workspace.columns, [](const auto& c) { return c.counted; });
}

// Small enough that the threads find enough subtrees to share, large enough to be worth a copy.
std::size_t local_subtree_rows(std::size_t n_rows, int n_threads) {
    constexpr std::size_t least = 8192, subtrees_of_a_thread = 2;
    const auto n_subtrees =
        std::max<std::size_t>(8, subtrees_of_a_thread * static_cast<std::size_t>(n_threads));
    return std::clamp<std::size_t>(n_rows / n_subtrees, least, largest_local_subtree);
}

}  // namespace

SubtreeRows subtree_rows(const Workspace<std::uint32_t>& workspace, const Settings& settings,
                         std::size_t n_rows, int n_threads) {
    SubtreeRows rows;
    rows.any = subtrees_may_be_small(workspace, settings);
    const bool hands_over = !settings.best_first() && takes(ShortCut::local_subtrees);
    if (hands_over) rows.most = local_subtree_rows(n_rows, rows.any ? n_threads : 1);
    return rows;
}

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
    const auto grow_one = [&](std::size_t i, int worker) {
        const auto& root = roots[i];
        const std::span<const std::uint32_t> members =
            std::span<const std::uint32_t>(root.workspace->rows).subspan(root.begin, root.size());
        // To sort pays off over several levels.
        constexpr std::int64_t few_levels = 4;
        const bool keeps_bins = growth.settings.max_depth - root.depth <= few_levels ||
                                !takes(ShortCut::sorted_subtrees);
        auto local = extract<LocalIndex, std::uint32_t>(*root.workspace, root.begin, root.end,
                                                        members, {}, *root.active, keeps_bins);
        if (growth.is_classification() && local->targets.counts_rows()) make_code_blocks(*local);
        Grower<LocalIndex> grower(growth, builders[i + 1], 1, 0,
                                  scratch[static_cast<std::size_t>(worker)]);
        grower.run(std::move(local), root.depth, root.path);
        builders[i + 1].shrink();
    };
    run_tasks(roots.size(), n_workers, grow_one, growth.context.check);
}

std::vector<OpenNode<std::uint32_t>> grow_down_to(const Growth& growth, GrowthStart start,
                                              std::size_t hand_over, int n_threads,
                                              TreeBuilder& builder) {
    GrowerScratch<std::uint32_t> scratch(usable_threads(n_threads), growth.data.folder);
    Grower<std::uint32_t> top(growth, builder, n_threads, hand_over, scratch);
    top.run(std::move(start.workspace), start.depth, start.path);
    return std::move(top.handed_over);
}

std::vector<TreeBuilder> grow_parts(const Growth& growth, GrowthStart start, std::size_t hand_over,
                                    int n_threads) {
    std::vector<TreeBuilder> builders;
    builders.emplace_back(growth.n_values());
    auto roots = grow_down_to(growth, std::move(start), hand_over, n_threads, builders[0]);
    grow_subtrees(growth, roots, builders, n_threads);
    return builders;
}

namespace {

// Of so many rows, what the parts of the tree were held in is worth giving back.
constexpr std::size_t many_rows = 100'000;

}  // namespace

GrownTree grow(const TrainingData& data, const Settings& given, int n_threads,
               const std::function<bool()>& interrupted) {
    const TargetScale scale = data.n_classes == 0 ? scale_of(data) : TargetScale{};
    const Settings settings = scaled_settings(given, scale);
    const SideScore score(settings, data.n_classes, scale.center);
    Watch watch(interrupted);
    const Check check = [&watch] { watch.check(); };
    Context context = make_context(data, settings, score, n_threads, check);
    auto workspace = make_workspace(data, settings, scale, true, n_threads, check);
    learn_values(settings, *workspace, n_threads, context);
    const Growth growth{data, settings, context, scale};

    const auto subtrees = subtree_rows(*workspace, settings, data.n_rows, n_threads);
    auto builders = grow_parts(growth, {std::move(workspace)}, subtrees.most, n_threads);
    GrownTree tree = assemble(builders, n_threads, check);
    builders.clear();
    if (data.n_rows >= many_rows) give_back_freed();
    return tree;
}

}  // namespace treewright
