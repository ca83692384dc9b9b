// Growing a tree: the entry point of the grower.
#pragma once

#include <functional>
#include <span>

#include "core/grow/columns.hpp"
#include "core/grow/grown_tree.hpp"
#include "core/grow/settings.hpp"
#include "core/parallel/cancellation.hpp"

namespace treewright {

struct TrainingData {
    std::span<const ColumnView> columns;
    std::size_t n_rows = 0;
    std::size_t n_classes = 0;              // 0: regression
    std::span<const std::int32_t> classes;  // codes below n_classes
    std::span<const double> y;
    std::span<const double> weight;                     // empty: every row counts once
    std::span<const WorkColumn<std::uint32_t>> sorted;  // the columns in order; empty: sort them
    Folder folder;  // of what is as large as the columns; none: memory
};

// Every weight is positive and every code and class in range: the caller has checked. `interrupted`
// is asked now and then, on the calling thread only; when it says yes, Interrupted is thrown.
GrownTree grow(const TrainingData& data, const Settings& settings, int n_threads,
               const std::function<bool()>& interrupted);

}  // namespace treewright
