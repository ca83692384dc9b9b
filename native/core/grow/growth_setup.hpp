// What a growth starts from: made by grow(), and once for a table that is held (held_table.hpp).
#pragma once

#include <memory>

#include "core/grow/growth.hpp"

namespace treewright {

TargetScale scale_of(const TrainingData& data);

// The settings with their limits on gain and risk in units of the scaled target.
Settings scaled_settings(const Settings& given, const TargetScale& scale);

// Columns are sorted; if they may be, those of large tables are put into bins instead.
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

}  // namespace treewright
