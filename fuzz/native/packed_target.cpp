// Packed trees from a stranger: arrays of a sound ensemble with some numbers changed are refused,
// or make trees that can be walked, unpacked and written again.
#include <stdexcept>
#include <vector>

#include "core/histogram/packed/ensemble_arrays.hpp"
#include "fuzzed_input.hpp"
#include "fuzzed_table.hpp"

using namespace treewright;
using namespace treewright::histogram;
using fuzzing::as_index;
using fuzzing::demand;
using fuzzing::FuzzedInput;
using fuzzing::FuzzedTable;

namespace {

constexpr std::size_t most_leaves = 12;

// The bins of a table's columns, as a fit would have made them.
std::vector<BinnedColumn> bins_of(FuzzedInput& input, const FuzzedTable& table) {
    std::vector<BinnedColumn> columns;
    for (const ColumnView& view : table.views) {
        BinnedColumn column;
        column.coded = view.kind != ColumnKind::numeric;
        column.nominal = view.is_nominal();
        column.has_missing = input.coin();
        if (column.nominal) {
            for (std::int32_t level = 0; level < view.n_levels; ++level) {
                column.levels.push_back(level);
            }
            column.n_bins = view.n_levels;
        } else {
            const std::size_t n_cuts = input.from_to(1, 6);
            for (std::size_t at = 0; at < n_cuts; ++at) {
                column.cuts.push_back(static_cast<double>(at) - 2.5);
            }
            column.n_bins = static_cast<int>(n_cuts) + 1;
        }
        columns.push_back(std::move(column));
    }
    return columns;
}

std::uint32_t fuzzed_set(FuzzedInput& input, const BinnedColumn& column, PackedTree& tree) {
    if (column.is_wide()) {
        std::vector<std::uint32_t> entries;
        for (int bin = 0; bin < column.n_bins; bin += static_cast<int>(input.from_to(1, 50))) {
            entries.push_back(static_cast<std::uint32_t>(bin) << 1 | input.coin());
        }
        return tree.add_wide_set(entries);
    }
    const std::uint32_t set = tree.add_set(column.n_bins);
    for (int bin = 0; bin < column.n_bins; ++bin) {
        if (input.coin()) tree.put_in_set(set, column.n_bins, bin, input.coin());
    }
    return set;
}

void put_leaf(FuzzedInput& input, std::size_t slot, std::size_t n_values, PackedTree& tree) {
    tree.nodes[slot] = {PackedNode::leaf, static_cast<std::uint32_t>(tree.n_leaves())};
    for (std::size_t i = 0; i < n_values; ++i) {
        tree.value.push_back(static_cast<double>(input.from_to(1, 9)));
    }
    tree.weight.push_back(static_cast<double>(input.from_to(1, 9)));
    tree.n_rows.push_back(1);
}

PackedTree sound_tree(FuzzedInput& input, const std::vector<BinnedColumn>& columns,
                      std::size_t n_values) {
    PackedTree tree;
    tree.nodes.resize(1);
    std::vector<std::size_t> open = {0};
    for (std::size_t at = 0; at < open.size(); ++at) {
        if (open.size() >= 2 * most_leaves || input.take<std::uint8_t>() < 60) {
            put_leaf(input, open[at], n_values, tree);
            continue;
        }
        const std::size_t asked = input.from_to(0, columns.size() - 1);
        const BinnedColumn& column = columns[asked];
        if (column.nominal) {
            const std::uint32_t set = fuzzed_set(input, column, tree);
            tree.nodes.push_back({set, 0});
        }
        const std::size_t child = tree.nodes.size();
        const auto bin = static_cast<unsigned>(
            column.nominal ? 0 : input.from_to(0, column.cuts.size() - 1));
        tree.nodes[open[at]] = PackedNode::inner(static_cast<std::uint32_t>(asked), input.coin(),
                                                 bin, static_cast<std::uint32_t>(child));
        tree.nodes.resize(child + 2);
        open.insert(open.end(), {child, child + 1});
    }
    tree.gain.assign(tree.nodes.size(), 0.5F);
    return tree;
}

// ---------------------------------------------------------------------------- changes

template <class Visit>
void for_each_array(EnsembleArrays<Owned>& arrays, Visit visit) {
    visit(arrays.slot_start), visit(arrays.question), visit(arrays.child), visit(arrays.gain);
    visit(arrays.leaf_start), visit(arrays.value), visit(arrays.weight), visit(arrays.n_rows);
    visit(arrays.set_start), visit(arrays.set_words), visit(arrays.column_kind);
    visit(arrays.has_missing), visit(arrays.cut_start), visit(arrays.cuts);
    visit(arrays.level_start), visit(arrays.levels);
}

template <class T>
void change(FuzzedInput& input, std::vector<T>& array) {
    if (array.empty() || input.take<std::uint8_t>() < 16) {
        array.resize(input.from_to(0, array.size() + 2));
        return;
    }
    T& element = array[input.from_to(0, array.size() - 1)];
    switch (input.from_to(0, 2)) {
        case 0: element = static_cast<T>(input.from_to(0, 300)); break;
        case 1: element = input.take<T>(); break;
        default: element = array[input.from_to(0, array.size() - 1)];
    }
}

void change_arrays(FuzzedInput& input, EnsembleArrays<Owned>& arrays) {
    const std::size_t chosen = input.from_to(0, 15);
    std::size_t at = 0;
    for_each_array(arrays, [&](auto& array) {
        if (at++ == chosen) change(input, array);
    });
}

EnsembleArrays<Borrowed> given(const EnsembleArrays<Owned>& a) {
    return {a.slot_start, a.question,  a.child,       a.gain,        a.leaf_start, a.value,
            a.weight,     a.n_rows,    a.set_start,   a.set_words,   a.column_kind, a.has_missing,
            a.cut_start,  a.cuts,      a.level_start, a.levels};
}

// ---------------------------------------------------------------------------- what must hold

void check_predictions(const PackedEnsemble& ensemble, const FuzzedTable& table) {
    const BlockSource source = table.rows();
    const std::size_t n_trees = ensemble.trees.size(), n_values = ensemble.n_values;
    const auto never = [] {};
    std::vector<std::int32_t> leaves(table.n_rows * n_trees);
    ensemble.predictor({LeafPrediction::value, 1, 0, n_trees})
        ->find_leaves(source, 0, n_trees, 1, leaves, never);
    for (std::size_t at = 0; at < leaves.size(); ++at) {
        const std::size_t n_nodes = 2 * ensemble.trees[at % n_trees]->n_leaves() - 1;
        demand(as_index(leaves[at]) < n_nodes, "rows end at nodes of the tree");
    }
    const std::vector<LeafPrediction> kinds =
        ensemble.values_are_sums ? std::vector{LeafPrediction::shares, LeafPrediction::vote}
                                 : std::vector{LeafPrediction::value};
    for (const LeafPrediction kind : kinds) {
        std::vector<double> out(table.n_rows * n_values, 0.0);
        const Combining combining{kind, n_values, 0, n_trees};
        ensemble.predictor(combining)->add_predictions(source, combining, 2, out, never);
        for (const double number : out) demand(!std::isnan(number), "predictions are numbers");
    }
}

void check_trees(const PackedEnsemble& ensemble) {
    for (const auto& tree : ensemble.trees) {
        const GrownTree whole =
            unpacked(*tree, ensemble.columns, ensemble.n_values, ensemble.values_are_sums);
        demand(whole.kind.size() == 2 * tree->n_leaves() - 1, "all nodes are unpacked");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedInput input(data, size);
    const std::size_t n_changes = input.from_to(0, 4);
    FuzzedTable table(input);
    PackedEnsemble sound;
    sound.values_are_sums = input.coin();
    sound.n_values = sound.values_are_sums ? input.from_to(1, 3) : 1;
    sound.columns = bins_of(input, table);
    const std::size_t n_trees = input.from_to(1, 3);
    for (std::size_t at = 0; at < n_trees; ++at) {
        sound.add(sound_tree(input, sound.columns, sound.n_values));
    }
    EnsembleArrays<Owned> arrays = arrays_of(sound);
    for (std::size_t at = 0; at < n_changes; ++at) change_arrays(input, arrays);
    const EnsembleShape shape{sound.n_values, sound.values_are_sums, table.n_levels};
    PackedEnsemble read;
    try {
        read = ensemble_from(given(arrays), shape);
    } catch (const std::invalid_argument&) {
        demand(n_changes > 0, "sound arrays are accepted");
        return 0;
    }
    if (!read.trees.empty()) check_predictions(read, table);
    check_trees(read);
    const EnsembleArrays<Owned> again = arrays_of(read);
    demand(again.question == arrays.question && again.child == arrays.child &&
               again.set_words == arrays.set_words && again.levels == arrays.levels,
           "what was read is written as it was");
    return 0;
}
