// Short cuts: faster ways to a result, which they must not change.
//
// Each can be left out, and then the core takes the plain way that its code would take anyway for
// other data, or the definition itself. Tests fit every model both ways and compare predictions.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace treewright {

enum class ShortCut : std::uint8_t {
    threads,
    // growing a tree
    gathered_columns,
    radix_sort,
    counted_columns,
    counted_rows,
    bit_bundles,
    class_tables,
    smaller_side,
    counted_tallies,
    traced_scan,
    two_class_subset,
    local_subtrees,
    binned_columns,
    sorted_subtrees,
    gain_to_beat,
    // asking a tree, sending rows down
    prediction_lanes,
    compared_numbers,
    // ensembles
    bin_guide,
    few_rows_listed,
    split_shortlist,
    tree_forms,
    wide_lanes,
    trees_at_once,
    // Shapley values
    shapley_lanes,
    shapley_masks,
    // neighbors and clusters
    quick_distances,
    box_bounds,
    quick_centers,
    center_bounds,
    // optimal trees
    cut_bounds,
    stump_scan,
    pair_counts,
};

inline constexpr std::array<std::string_view, 32> short_cut_names{
    "threads",          "gathered_columns", "radix_sort",       "counted_columns",
    "counted_rows",     "bit_bundles",      "class_tables",     "smaller_side",
    "counted_tallies",  "traced_scan",      "two_class_subset", "local_subtrees",
    "binned_columns",   "sorted_subtrees",  "gain_to_beat",     "prediction_lanes",
    "compared_numbers", "bin_guide",        "few_rows_listed",  "split_shortlist",
    "tree_forms",       "wide_lanes",       "trees_at_once",    "shapley_lanes",
    "shapley_masks",    "quick_distances",  "box_bounds",       "quick_centers",
    "center_bounds",    "cut_bounds",       "stump_scan",       "pair_counts"};
static_assert(static_cast<std::size_t>(ShortCut::pair_counts) + 1 == short_cut_names.size());

// A bit for each short cut that is left out. It holds for the whole process, so it is set before
// the first model is made, or by a test that fits one model after the other.
inline std::atomic<std::uint32_t> short_cuts_left_out{0};

// A bit for each short cut that some data came to: tests see whether they try what they say.
inline std::atomic<std::uint32_t> short_cuts_met{0};

inline bool takes(ShortCut short_cut) {
    constexpr auto relaxed = std::memory_order_relaxed;
    const auto bit = std::uint32_t{1} << static_cast<unsigned>(short_cut);
    if (!(short_cuts_met.load(relaxed) & bit)) short_cuts_met.fetch_or(bit, relaxed);
    return !(short_cuts_left_out.load(relaxed) & bit);
}

}  // namespace treewright
