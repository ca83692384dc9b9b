#include "core/histogram/packed/ensemble_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "core/grow/columns.hpp"

namespace treewright::histogram {
namespace {

void demand(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// As `demand`, of the node that stands in a slot of its tree.
void demand_of(std::size_t slot, bool holds, const char* what) {
    if (!holds) {
        throw std::invalid_argument("node in slot " + std::to_string(slot) + ": " + what);
    }
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

void check_starts(Borrowed<std::int64_t> start, std::size_t n_groups, std::size_t n_entries,
                  const char* what) {
    demand(start.size() == n_groups + 1 && start.front() == 0 &&
               start.back() == static_cast<std::int64_t>(n_entries) &&
               std::ranges::is_sorted(start),
           what);
}

template <class T>
std::vector<T> group(Borrowed<T> entries, Borrowed<std::int64_t> start, std::size_t at,
                     std::size_t per_entry = 1) {
    const auto first = static_cast<std::size_t>(start[at]) * per_entry;
    const auto end = static_cast<std::size_t>(start[at + 1]) * per_entry;
    return {entries.begin() + static_cast<std::ptrdiff_t>(first),
            entries.begin() + static_cast<std::ptrdiff_t>(end)};
}

// ---------------------------------------------------------------------------- columns

BinnedColumn column_from(const EnsembleArrays<Borrowed>& arrays, std::size_t at,
                         std::int32_t n_levels) {
    BinnedColumn column;
    const auto kind = static_cast<ColumnKind>(arrays.column_kind[at]);
    demand(
        kind == ColumnKind::numeric || kind == ColumnKind::nominal || kind == ColumnKind::ordered,
        "column_kind: no such kind");
    demand((kind == ColumnKind::numeric) == (n_levels < 0), "column_kind: not that of the schema");
    column.coded = kind != ColumnKind::numeric;
    column.nominal = kind == ColumnKind::nominal;
    demand(arrays.has_missing[at] <= 1, "has_missing: neither 0 nor 1");
    column.has_missing = arrays.has_missing[at] != 0;
    column.cuts = group(arrays.cuts, arrays.cut_start, at);
    column.levels = group(arrays.levels, arrays.level_start, at);
    demand(column.cuts.size() < max_bins, "cuts: too many");
    demand(std::ranges::all_of(column.cuts, [](double cut) { return std::isfinite(cut); }),
           "cuts: must be finite");
    demand(
        std::ranges::adjacent_find(column.cuts, std::ranges::greater_equal{}) == column.cuts.end(),
        "cuts: must ascend");
    demand(std::ranges::adjacent_find(column.levels, std::ranges::greater_equal{}) ==
                   column.levels.end() &&
               (column.levels.empty() ||
                (column.levels.front() >= 0 && column.levels.back() < n_levels)),
           "levels: must ascend and be levels of the schema");
    demand(!column.nominal || column.cuts.empty(), "cuts: levels without order have none");
    column.n_bins = column.nominal ? static_cast<int>(column.levels.size())
                                   : static_cast<int>(column.cuts.size()) + 1;
    return column;
}

// ---------------------------------------------------------------------------- trees

void check_set(const PackedTree& tree, std::size_t slot, std::uint32_t first,
               const BinnedColumn& column) {
    const std::size_t n_there = tree.set_words.size();
    demand_of(slot, first < n_there, "question: a set that is not there");
    const std::uint64_t* const words = tree.set_words.data() + first;
    const auto n_bins = static_cast<std::size_t>(column.n_bins);
    if (column.is_wide()) {
        demand_of(slot, words[0] <= n_bins && 1 + (words[0] + 1) / 2 <= n_there - first,
                  "set_words: a set goes on after the end");
        const WideSet set(words);
        for (std::size_t i = 0; i < set.size(); ++i) {
            demand_of(slot, set.entry(i) >> 1 < n_bins, "set_words: no such level");
            demand_of(slot, i == 0 || set.entry(i - 1) >> 1 < set.entry(i) >> 1,
                      "set_words: levels must ascend");
        }
        return;
    }
    const std::size_t n = n_words(column.n_bins);
    demand_of(slot, 2 * n <= n_there - first, "set_words: a set goes on after the end");
    for (std::size_t i = 0; i < n; ++i) {
        demand_of(slot, (words[i] & ~words[n + i]) == 0,
                  "set_words: a level goes left that was not met");
        const std::size_t in_use = n_bins - 64 * i;
        demand_of(slot, in_use >= 64 || words[n + i] >> in_use == 0, "set_words: no such level");
    }
}

// Every slot is met once, from its parent: as a node, or as the place of a set.
void check_nodes(const PackedTree& tree, const std::vector<BinnedColumn>& columns) {
    enum class Slot : std::uint8_t { not_met, node, set };
    const std::size_t n_slots = tree.nodes.size();
    demand(n_slots > 0, "slot_start: a tree without nodes");
    std::vector<Slot> slots(n_slots, Slot::not_met);
    std::vector<bool> leaf_met(tree.n_leaves(), false);
    slots[0] = Slot::node;
    for (std::size_t slot = 0; slot < n_slots; ++slot) {
        demand_of(slot, slots[slot] != Slot::not_met, "child: a node that no way leads to");
        if (slots[slot] == Slot::set) continue;
        const PackedNode& node = tree.nodes[slot];
        if (node.is_leaf()) {
            demand_of(slot, node.child < leaf_met.size() && !leaf_met[node.child],
                      "child: leaves are numbered, each once");
            leaf_met[node.child] = true;
            continue;
        }
        demand_of(slot, node.column() < columns.size(), "question: no such column");
        const BinnedColumn& column = columns[node.column()];
        const std::size_t first = node.child - std::size_t{column.nominal};
        demand_of(slot, node.child > slot + column.nominal && std::size_t{node.child} + 1 < n_slots,
                  "child: children come after their parent");
        for (std::size_t i = first; i <= std::size_t{node.child} + 1; ++i) {
            demand_of(slot, slots[i] == Slot::not_met, "child: a node with two parents");
            slots[i] = i < node.child ? Slot::set : Slot::node;
        }
        if (column.nominal) {
            check_set(tree, slot, tree.nodes[first].question, column);
        } else {
            const std::size_t n_cuts = column.cuts.size();  // all bins left: is there a value?
            demand_of(slot, node.last_left() < n_cuts + !node.missing_left(),
                      "question: no such cut");
        }
    }
    demand(std::ranges::find(leaf_met, false) == leaf_met.end(), "leaf_start: leaves without node");
}

// Numbers are added up over the trees, and to a start: the sum must stay a number. No fit comes
// near, since it takes targets up to 1e300. Weights of classes become shares first.
double largest_value(const EnsembleShape& shape, std::size_t n_trees) {
    constexpr double largest = std::numeric_limits<double>::max();
    return shape.values_are_sums ? largest : largest / 4 / static_cast<double>(n_trees);
}

void check_leaves(const PackedTree& tree, const EnsembleShape& shape, double largest) {
    demand(std::ranges::all_of(tree.gain, [](double gain) { return std::isfinite(gain); }),
           "gain: numbers must be finite");
    demand(std::ranges::all_of(tree.weight, [](double w) { return std::isfinite(w) && w >= 0; }),
           "weight: numbers must be finite and not below 0");
    demand(std::isfinite(std::reduce(tree.weight.begin(), tree.weight.end())),
           "weight: all leaves together weigh more than any number");
    for (std::size_t i = 0; i < tree.value.size(); ++i) {
        if (std::abs(tree.value[i]) <= largest) continue;
        throw std::invalid_argument("leaf " + std::to_string(i / shape.n_values) + ": " +
                                    (std::isfinite(tree.value[i])
                                         ? "value: so large that sums over the trees are infinite"
                                         : "value: numbers must be finite"));
    }
    if (!shape.values_are_sums) return;
    double total = 0;
    for (std::size_t first = 0; first < tree.value.size(); first += shape.n_values) {
        double sum = 0;
        for (std::size_t i = 0; i < shape.n_values; ++i) {
            demand(tree.value[first + i] >= 0, "value: weights of classes must not be below 0");
            sum += tree.value[first + i];
        }
        demand(sum > 0 && std::isfinite(sum), "value: a leaf without weight");
        total += sum;
    }
    demand(std::isfinite(total), "value: all leaves together weigh more than any number");
}

PackedTree tree_from(const EnsembleArrays<Borrowed>& arrays, std::size_t at, std::size_t n_values) {
    PackedTree tree;
    const auto questions = group(arrays.question, arrays.slot_start, at);
    const auto children = group(arrays.child, arrays.slot_start, at);
    for (std::size_t i = 0; i < questions.size(); ++i) {
        tree.nodes.push_back({questions[i], children[i]});
    }
    tree.gain = group(arrays.gain, arrays.slot_start, at);
    tree.value = group(arrays.value, arrays.leaf_start, at, n_values);
    tree.weight = group(arrays.weight, arrays.leaf_start, at);
    tree.n_rows = group(arrays.n_rows, arrays.leaf_start, at);
    tree.set_words = group(arrays.set_words, arrays.set_start, at);
    tree.shrink();
    return tree;
}

void check_lengths(const EnsembleArrays<Borrowed>& arrays, const EnsembleShape& shape) {
    const std::size_t n_columns = arrays.column_kind.size();
    const std::size_t n_slots = arrays.question.size(), n_leaves = arrays.weight.size();
    demand(shape.n_values >= 1, "n_values: at least 1");
    demand(shape.n_levels.size() == n_columns && n_columns <= max_columns &&
               arrays.has_missing.size() == n_columns,
           "column_kind: one per column of the schema");
    demand(!arrays.slot_start.empty(), "slot_start: empty");
    const std::size_t n_trees = arrays.slot_start.size() - 1;
    check_starts(arrays.slot_start, n_trees, n_slots, "slot_start: not the starts of the trees");
    check_starts(arrays.leaf_start, n_trees, n_leaves, "leaf_start: not the starts of the trees");
    check_starts(arrays.set_start, n_trees, arrays.set_words.size(),
                 "set_start: not the starts of the trees");
    check_starts(arrays.cut_start, n_columns, arrays.cuts.size(),
                 "cut_start: not the starts of the columns");
    check_starts(arrays.level_start, n_columns, arrays.levels.size(),
                 "level_start: not the starts of the columns");
    demand(arrays.child.size() == n_slots && arrays.gain.size() == n_slots,
           "child, gain: one per slot");
    demand(arrays.n_rows.size() == n_leaves && arrays.value.size() % shape.n_values == 0 &&
               arrays.value.size() / shape.n_values == n_leaves,
           "value, n_rows: those of every leaf");
}

}  // namespace

EnsembleArrays<Owned> arrays_of(const PackedEnsemble& ensemble, const Check& check) {
    EnsembleArrays<Owned> out;
    out.slot_start = out.leaf_start = out.set_start = out.cut_start = out.level_start = {0};
    for (const auto& shared : ensemble.trees) {
        check();
        const PackedTree& tree = *shared;
        for (const PackedNode& node : tree.nodes) {
            out.question.push_back(node.question);
            out.child.push_back(node.child);
        }
        append(out.gain, tree.gain);
        append(out.value, tree.value);
        append(out.weight, tree.weight);
        append(out.n_rows, tree.n_rows);
        append(out.set_words, tree.set_words);
        out.slot_start.push_back(static_cast<std::int64_t>(out.question.size()));
        out.leaf_start.push_back(static_cast<std::int64_t>(out.weight.size()));
        out.set_start.push_back(static_cast<std::int64_t>(out.set_words.size()));
    }
    for (const BinnedColumn& column : ensemble.columns) {
        const ColumnKind kind = !column.coded    ? ColumnKind::numeric
                                : column.nominal ? ColumnKind::nominal
                                                 : ColumnKind::ordered;
        out.column_kind.push_back(static_cast<std::uint8_t>(kind));
        out.has_missing.push_back(column.has_missing);
        append(out.cuts, column.cuts);
        append(out.levels, column.levels);
        out.cut_start.push_back(static_cast<std::int64_t>(out.cuts.size()));
        out.level_start.push_back(static_cast<std::int64_t>(out.levels.size()));
    }
    return out;
}

PackedEnsemble ensemble_from(const EnsembleArrays<Borrowed>& arrays, const EnsembleShape& shape,
                             const Check& check) {
    check_lengths(arrays, shape);
    PackedEnsemble ensemble;
    ensemble.n_values = shape.n_values;
    ensemble.values_are_sums = shape.values_are_sums;
    for (std::size_t i = 0; i < shape.n_levels.size(); ++i) {
        ensemble.columns.push_back(column_from(arrays, i, shape.n_levels[i]));
    }
    const std::size_t n_trees = arrays.slot_start.size() - 1;
    for (std::size_t i = 0; i < n_trees; ++i) {
        check();
        PackedTree tree = tree_from(arrays, i, shape.n_values);
        try {
            check_nodes(tree, ensemble.columns);
            check_leaves(tree, shape, largest_value(shape, n_trees));
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument("tree " + std::to_string(i) + ": " + error.what());
        }
        ensemble.add(std::move(tree));
    }
    return ensemble;
}

}  // namespace treewright::histogram
