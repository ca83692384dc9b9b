// What a growth starts from and the parts it is made of: for grow(), and for tables that are held
// (held_table.hpp, subtree_table.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/grow/growth.hpp"
#include "core/grow/tree_builder.hpp"

namespace treewright {

TargetScale scale_of(const TrainingData& data);

// The settings with their limits on gain and risk in units of the scaled target.
Settings scaled_settings(const Settings& given, const TargetScale& scale);

// Columns are sorted, unless the data have them; if they may be, those of large tables are put into
// bins instead.
std::shared_ptr<Workspace<std::uint32_t>> make_workspace(const TrainingData& data,
                                                         const Settings& settings,
                                                         const TargetScale& scale, bool may_bin,
                                                         int n_threads, const Check& check);

// All arguments must outlive the context.
Context make_context(const TrainingData& data, const Settings& settings, const SideScore& score,
                     int n_threads, const Check& check);

// C4.5 looks thresholds up among the values of the whole table.
void learn_values(const Settings& settings, const Workspace<std::uint32_t>& workspace,
                  int n_threads, Context& context);

// How large the subtrees are that the top of a tree leaves to others.
struct SubtreeRows {
    std::size_t most = 0;  // 0: there are none
    bool any = false;      // whether all other numbers of rows give the same tree
};

// `workspace` has all rows of the table.
SubtreeRows subtree_rows(const Workspace<std::uint32_t>& workspace, const Settings& settings,
                         std::size_t n_rows, int n_threads);

// The rows that a tree, or a subtree, grows from.
struct GrowthStart {
    std::shared_ptr<Workspace<std::uint32_t>> workspace;
    std::int64_t depth = 0;
    std::uint64_t path = 0;
};

// Grows a tree down to nodes of at most `hand_over` rows, and returns these.
std::vector<OpenNode<std::uint32_t>> grow_down_to(const Growth& growth, GrowthStart start,
                                              std::size_t hand_over, int n_threads,
                                              TreeBuilder& builder);

// Grows the subtrees of such nodes, each by one thread in a compact workspace. The builder of the top
// is the first; theirs are added.
void grow_subtrees(const Growth& growth, std::vector<OpenNode<std::uint32_t>>& roots,
                   std::vector<TreeBuilder>& builders, int n_threads);

// Grows the top of a tree, and its subtrees. When this returns, the sorted columns are gone.
std::vector<TreeBuilder> grow_parts(const Growth& growth, GrowthStart start, std::size_t hand_over,
                                    int n_threads);

// A table that is held, and what all trees and subtrees on it share.
struct HeldGrowth {
    HeldGrowth(const TrainingData& given, const Settings& wanted, int n_threads,
               const Check& at_first)
        : data(given),
          scale(given.n_classes == 0 ? scale_of(given) : TargetScale{}),
          settings(scaled_settings(wanted, scale)),
          score(settings, given.n_classes, scale.center),
          check(at_first),
          context(make_context(data, settings, score, n_threads, check)),
          all(make_workspace(data, settings, scale, false, n_threads, check)),
          growth{data, settings, context, scale} {
        learn_values(settings, *all, n_threads, context);
    }
    HeldGrowth(const HeldGrowth&) = delete;
    HeldGrowth& operator=(const HeldGrowth&) = delete;

    TrainingData data;
    const TargetScale scale;
    const Settings settings;
    const SideScore score;
    Check check;  // of the call that is running
    Context context;
    const std::shared_ptr<Workspace<std::uint32_t>> all;
    const Growth growth;
};

// Lets a call's own check take the place of the one before.
class Checked {
public:
    Checked(Check& held, const Check& check) : held_(held) { held_ = check; }
    ~Checked() { held_ = never_stop; }
    Checked(const Checked&) = delete;
    Checked& operator=(const Checked&) = delete;

private:
    Check& held_;
};

}  // namespace treewright
