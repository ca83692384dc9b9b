#include "core/optimal/small_trees.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/arithmetic/as_index.hpp"
#include "core/optimal/long_column.hpp"

namespace treewright::optimal {

Halves halves_of(const CountsView& counts, std::size_t question) {
    Halves halves;
    for (std::uint32_t label = 0; label < counts.n_classes(); ++label) {
        const Units left = counts.single(label, question);
        halves.add(left, counts.total(label) - left);
    }
    return halves;
}

namespace {

// A side of a question is split by another one.
Halves halves_of_side(const CountsView& counts, std::size_t question, bool left,
                      std::size_t other) {
    Halves halves;
    for (std::uint32_t label = 0; label < counts.n_classes(); ++label) {
        const Units both = counts.pair(label, question, other);
        const Units one = counts.single(label, question), two = counts.single(label, other);
        if (left) {
            halves.add(both, one - both);
        } else {
            halves.add(two - both, counts.total(label) - one - two + both);
        }
    }
    return halves;
}

}  // namespace

Found SmallTrees::leaf(const CountsView& counts) const {
    Units weight = 0, most = 0;
    for (std::uint32_t label = 0; label < counts.n_classes(); ++label) {
        weight += counts.total(label);
        most = std::max(most, counts.total(label));
    }
    Found found;
    found.cost = found.bound = leaf_cost(weight, most);
    found.plan = {PlannedNode{}};
    return found;
}

void SmallTrees::take_stump(const CountedSide& side, Found& best) const {
    const CountsView& counts = side.counts;
    const auto take = [&](const Halves& halves, PlannedNode question) {
        if (!halves.are_not_empty()) return;
        const Weight cost =
            stump_cost(halves.weight[0] + halves.weight[1], halves.most[0] + halves.most[1]);
        best.bound = std::min(best.bound, cost);
        if (cost < best.cost && halves.allow(table_.least_leaf)) {
            take_if_better(best, cost, {question, {}, {}});
        }
    };
    for (std::size_t question = 0; question < counts.n_questions(); ++question) {
        take(halves_of(counts, question), table_.questions[question]);
    }
    if (!table_.has_long_column()) return;
    const std::vector<std::uint32_t>& by_code = side.node->by_code;
    std::array<Units, 2> left{};
    for (std::size_t i = 0; i + 1 < by_code.size(); ++i) {
        const std::uint32_t row = by_code[i], code = table_.long_codes[row];
        const Units units = table_.signed_units[row];
        left[units > 0 ? 0 : 1] += std::abs(units);
        if (table_.long_codes[by_code[i + 1]] == code) continue;
        Halves halves;
        for (std::uint32_t label = 0; label < 2; ++label) {
            halves.add(left[label], counts.total(label) - left[label]);
        }
        take(halves, {table_.long_feature, code});
    }
}

// Leaves or stumps on both sides of a question, whichever cost less.
SmallTrees::TwoLevels SmallTrees::two_levels(const Halves& halves, std::array<Units, 2> hits,
                                             std::int64_t leaves) const {
    std::array<Weight, 2> leaf, stump;
    for (std::size_t i = 0; i < 2; ++i) {
        leaf[i] = leaf_cost(halves.weight[i], halves.most[i]);
        stump[i] = stump_cost(halves.weight[i], hits[i]);
    }
    TwoLevels tree;
    tree.halves = halves;
    tree.hits = hits;
    tree.is_split = {stump[0] < leaf[0], stump[1] < leaf[1]};
    // With leaves for one more split only, the side that gains more has it.
    if (leaves == 3 && tree.is_split[0] && tree.is_split[1]) {
        const bool left_gains = leaf[0] - stump[0] >= leaf[1] - stump[1];
        tree.is_split = {left_gains, !left_gains};
    }
    tree.cost = (tree.is_split[0] ? stump[0] : leaf[0]) + (tree.is_split[1] ? stump[1] : leaf[1]);
    return tree;
}

// A leaf, or the first question that gets as much right as the best.
Plan SmallTrees::side_plan(const CountedSide& side, const TwoLevels& tree, bool left) {
    const std::size_t which = left ? 0 : 1;
    if (!tree.is_split[which]) return {PlannedNode{}};
    if (table_.has_long_column()) {
        CountedNode below;
        table_.take_rows(side.node->rows, tree.root, left, below.rows);
        table_.take_rows(side.node->by_code, tree.root, left, below.by_code);
        counter_.count_singles(below.rows, below.counts);
        Found stump;
        take_stump({CountsView(below.counts), &below}, stump);
        return stump.plan;
    }
    const std::size_t question = as_index(tree.root.number);
    for (std::size_t other = 0; other < side.counts.n_questions(); ++other) {
        if (other == question) continue;
        const Halves halves = halves_of_side(side.counts, question, left, other);
        if (halves.allow(table_.least_leaf) &&
            halves.most[0] + halves.most[1] == tree.hits[which]) {
            return {table_.questions[other], {}, {}};
        }
    }
    return {PlannedNode{}};  // never: it is split because some question gets more right
}

// Of equal trees the one with fewer leaves, and the first.
void SmallTrees::take_if_less(const TwoLevels& tree, Split root, TwoLevels& first) {
    ++n_searched_;
    const bool is_less =
        tree.cost < first.cost || (tree.cost == first.cost && tree.n_leaves() < first.n_leaves());
    if (!is_less || !tree.halves.allow(table_.least_leaf)) return;
    first = tree;
    first.root = root;
}

// Cuts of the long column as roots, and below other questions; false if it was stopped.
bool SmallTrees::take_long_column(const CountedSide& side, std::int64_t leaves, TwoLevels& first,
                                  Found& best, Below* below) {
    CutLine line;
    Weight most_hits = -1;
    const auto see = [&](const LongCut& cut) {
        const Halves halves{cut.weight, cut.leaf_hits};
        best.bound = std::min(best.bound, two_levels(halves, cut.stump_hits, 4).cost);
        take_if_less(two_levels(halves, cut.stump_hits, leaves),
                     {{table_.long_feature, cut.code}, -1}, first);
        line.cut.push_back(cut.code);
        line.left_weight.push_back(cut.weight[0] * table_.unit);
        const Weight hits = Weight{cut.stump_hits[0]} + cut.stump_hits[1];
        if (hits > most_hits) {
            most_hits = hits;
            line.best = line.cut.size() - 1;
        }
    };
    if (!sweep_long_column(table_, side.node->by_code, side.counts, stops_, stumps_, see)) {
        return false;
    }
    line.feature = table_.long_feature;
    line.weight = Weight{side.counts.total(0) + side.counts.total(1)} * table_.unit;
    if (below) below->line = std::move(line);
    return true;
}

void SmallTrees::take_two_levels(const CountedSide& side, std::int64_t leaves, Found& best,
                                 Below* below) {
    const CountsView& counts = side.counts;
    TwoLevels first;  // only better ones are of use
    first.cost = best.cost;
    best_stumps(counts, table_.least_leaf, stumps_);
    if (table_.has_long_column() && !take_long_column(side, leaves, first, best, below)) {
        best.bound = std::min(best.bound, leaf_price_);
        best.complete = false;
        return;
    }
    if (below) {
        for (auto* costs : {&below->costs, &below->small_trees.left, &below->small_trees.right}) {
            costs->assign(counts.n_questions(), no_limit);
        }
    }
    for (std::size_t question = 0; question < counts.n_questions(); ++question) {
        const Halves halves = halves_of(counts, question);
        if (!halves.are_not_empty()) continue;
        const std::array<Units, 2> hits{stumps_.left[question], stumps_.right[question]};
        const std::array<Units, 2> free{stumps_.free_left[question], stumps_.free_right[question]};
        std::array<Weight, 2> bound;
        for (std::size_t i = 0; i < 2; ++i) {
            bound[i] = std::min(leaf_cost(halves.weight[i], halves.most[i]),
                                stump_cost(halves.weight[i], free[i]));
        }
        best.bound = std::min(best.bound, bound[0] + bound[1]);
        const TwoLevels tree = two_levels(halves, hits, leaves);
        take_if_less(tree, {table_.questions[question], static_cast<std::int64_t>(question)},
                     first);
        if (!below) continue;
        below->costs[question] = tree.cost;
        below->small_trees.left[question] = bound[0];
        below->small_trees.right[question] = bound[1];
    }
    if (first.root.question.feature < 0) return;
    take_if_better(
        best, first.cost,
        joined(first.root.question, side_plan(side, first, true), side_plan(side, first, false)));
}

}  // namespace treewright::optimal
