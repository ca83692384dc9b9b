// What the parts of the grower share while a tree grows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/grow/grow.hpp"
#include "core/grow/search/class_tables.hpp"
#include "core/grow/search/column_search.hpp"
#include "core/grow/surrogates.hpp"
#include "core/grow/workspace.hpp"
#include "core/parallel/row_shares.hpp"

namespace treewright {

// Below this many cells a node is not worth waking another thread for, nor an interrupt check
// within it.
inline constexpr std::size_t cells_worth_sharing = 65536;

// The same for passes over the rows of a node that read little of each.
inline constexpr std::size_t rows_worth_a_task = 16384;

// Nodes of fewer rows sort them: a look at all bins of a column takes longer.
inline constexpr std::size_t rows_worth_bins = 2048;

// y = (y' + center) 2^exponent: y' is near 0 and near 1 in size, so squares neither overflow nor
// lose their digits to a large mean.
struct TargetScale {
    double center = 0;
    int exponent = 0;
};

// The power of the target's unit in a measure's unit.
inline int target_power(Measure measure) {
    switch (measure) {
        case Measure::squared_error: return 2;
        case Measure::absolute_error:
        case Measure::poisson: return 1;
        default: return 0;
    }
}

// What all workspaces of one growth share.
struct Growth {
    const TrainingData& data;
    const Settings& settings;
    const Context& context;
    TargetScale scale;

    bool is_classification() const { return data.n_classes > 0; }
    std::size_t n_values() const { return is_classification() ? data.n_classes : 1; }

    // Impurities and gains leave the grower in units of the target as it was given. Where its
    // square is beyond what doubles hold (targets beyond 1e143, or all below 1e-143), the unit is
    // the nearest that leaves room for weights: what counts are ratios, and these stay.
    double in_given_units(double impurity) const {
        constexpr int largest = 950;
        const int exponent = scale.exponent * target_power(settings.measure);
        return std::ldexp(impurity, std::clamp(exponent, -largest, largest));
    }
};

using Places = std::shared_ptr<const std::vector<std::uint32_t>>;

template <class Index>
struct OpenNode {
    std::shared_ptr<Workspace<Index>> workspace;
    std::size_t begin = 0, end = 0;
    std::uint32_t record = 0;
    std::int64_t depth = 0;
    Places active;           // columns that may still split
    ClassTable table;        // none: small, or not counted yet
    std::uint64_t path = 0;  // identifies the node, whichever thread grows it

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
    std::vector<SearchScratch<Index>> search;            // one for each worker
    std::vector<LargeVector<Element<Index>>> partition;  // one for each worker
    LargeVector<Index> rows;
    std::vector<Candidate> candidates;
    LargeVector<std::uint32_t> child;  // by row: the child it goes to
    LargeVector<std::uint8_t> side;    // the same in bytes, for two-way splits
    SurrogateScratch surrogates;

    explicit GrowerScratch(int n_workers = 1, const Folder& folder = {})
        : search(static_cast<std::size_t>(n_workers)),
          partition(static_cast<std::size_t>(n_workers), vector_in<Element<Index>>(folder)),
          rows(vector_in<Index>(folder)),
          child(vector_in<std::uint32_t>(folder)) {}
};

}  // namespace treewright
