#include "core/optimal/search.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/optimal/cut_lines.hpp"
#include "core/optimal/found.hpp"
#include "core/optimal/frontier.hpp"
#include "core/optimal/node_rows.hpp"
#include "core/optimal/pair_search.hpp"
#include "core/optimal/side_scan.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright::optimal {
namespace {

class Search {
public:
    Search(const Problem& problem, const Limits& limits, const std::function<void()>& check)
        : problem_(problem),
          limits_(limits),
          check_(check),
          scan_(problem, limits.leaf),
          scratch_(static_cast<std::size_t>(limits.max_depth) + 1) {}

    Solution run() {
        for (int i = 1; i < limits_.n_threads; ++i) {
            helpers_.push_back(std::make_unique<Search>(problem_, limits_, check_));
        }
        NodeRows root;
        const Task task{limits_.max_depth, limits_.max_leaves, limits_.start_cost};
        Found found = take_all(problem_, stops_, root) ? solve(root, task) : unsearched(root, task);
        for (const auto& helper : helpers_) n_searched_ += helper->n_searched_;
        return solution_of(std::move(found), limits_.start_cost, n_searched_);
    }

private:
    struct Scratch {
        std::vector<std::uint8_t> side;
        std::array<NodeRows, 2> children;
        std::vector<std::uint32_t> new_number;
    };

    // A leaf, and what is known of all trees before any question.
    Found unsearched(const NodeRows& node, const Task& task) const;

    // The best tree on the rows, if it costs less than the cutoff.
    Found solve(const NodeRows& node, Task task);
    void search_cuts(const NodeRows& node, const Task& task, std::vector<CutLine> lines,
                     Found& best);
    void order_lines(std::vector<CutLine>& lines, const Plan& plan) const;
    std::vector<SideBounds> ask(const NodeRows& node, const Task& task, const Frontier& frontier,
                                std::span<const Frontier::Pick> picks, Found& best);
    SideBounds ask_above_stumps(const NodeRows& node, const Task& task, const Frontier::Pick& pick,
                                PlannedNode root, Found& best);
    SideBounds ask_above_trees(const NodeRows& node, const Task& task, const Frontier::Pick& pick,
                               PlannedNode root, Found& best);
    void share_leaves(const Scratch& scratch, const Task& task, Weight limit, PlannedNode root,
                      Found& best);
    Plan stump_or_leaf(const NodeRows& node, bool may_split) const;
    void take_sides(const NodeRows& node, Scratch& scratch) const;

    Weight leaf_cost(const NodeRows& node) const {
        const auto totals = node.class_weights(problem_.n_classes);
        return node.weight() - *std::ranges::max_element(totals) + limits_.leaf_price;
    }
    Weight stump_cost(Weight weight, Weight hits) const {
        return hits < 0 ? no_limit : weight - hits + 2 * limits_.leaf_price;
    }
    bool out_of_time() {
        check_();
        if (limits_.seconds <= 0 || expired_) return expired_;
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
        return expired_ = spent.count() >= limits_.seconds;
    }

    const Problem& problem_;
    const Limits& limits_;
    const std::function<void()>& check_;
    SideScan scan_;
    std::vector<Scratch> scratch_;                  // by depth below
    std::vector<std::unique_ptr<Search>> helpers_;  // one for each further thread
    std::int64_t n_searched_ = 0;
    bool expired_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    const Stops stops_ = [this] { return out_of_time(); };
    const Stops never_stops_ = [this] { return check_(), false; };
};

Found Search::unsearched(const NodeRows& node, const Task& task) const {
    Found leaf;
    leaf.cost = leaf_cost(node);
    leaf.plan = {PlannedNode{}};
    const Weight least_split = node.least_loss() + 2 * limits_.leaf_price;
    leaf.bound = task.depth < 1 || task.leaves < 2 ? leaf.cost : std::min(leaf.cost, least_split);
    leaf.complete = leaf.bound == leaf.cost || leaf.bound >= task.cutoff;
    return leaf;
}

Found Search::solve(const NodeRows& node, Task task) {
    Found best = unsearched(node, task);
    if (best.complete) return best;
    NodeCuts cuts = cuts_of(problem_, node, limits_.leaf, stops_);
    const Weight weight = node.weight();
    const Weight as_leaf = best.cost;
    if (cuts.stump.feature >= 0) {
        take_if_better(best, stump_cost(weight, cuts.stump.hits),
                       {{cuts.stump.feature, cuts.stump.cut}, {}, {}});
    }
    if (!cuts.complete) return best;
    best.complete = true;
    best.bound = std::min(as_leaf, stump_cost(weight, cuts.free_hits));
    task.leaves = std::min(task.leaves, most_leaves(task.depth));
    if (task.leaves == 2 || cuts.lines.empty()) return best;
    for (int depth = 2; depth < task.depth; ++depth) {
        const std::int64_t leaves = std::min(task.leaves, most_leaves(depth));
        search_cuts(node, {depth, leaves, no_limit}, cuts.lines, best);
    }
    search_cuts(node, task, std::move(cuts.lines), best);
    return best;
}

// Tries the root of the best tree that is known first, then what separates the classes best.
void Search::order_lines(std::vector<CutLine>& lines, const Plan& plan) const {
    std::ranges::stable_sort(lines, std::ranges::greater{}, &CutLine::best_hits);
    const auto known = std::ranges::find(lines, plan[0].feature, &CutLine::feature);
    if (known == lines.end()) return;
    const auto at = std::ranges::find(known->cut, plan[0].cut);
    known->best = static_cast<std::size_t>(at - known->cut.begin());
    std::rotate(lines.begin(), known, known + 1);
}

void Search::search_cuts(const NodeRows& node, const Task& task, std::vector<CutLine> lines,
                         Found& best) {
    order_lines(lines, best.plan);
    // `best.bound` is that of a tree one level less deep: what a side with all rows would cost.
    const Weight price = limits_.leaf_price;
    Frontier frontier(std::move(lines), price, node.least_loss() + 2 * price, best.bound);
    const bool is_root = task.depth == limits_.max_depth && task.depth > 2;
    const std::size_t most = is_root ? asked_together : 1;
    Weight asked = best.bound;
    std::vector<Frontier::Pick> picks;
    while (true) {
        const Weight limit = std::min(best.cost, task.cutoff);
        picks.clear();
        for (Frontier::Pick pick; picks.size() < most && frontier.next(limit, pick);) {
            picks.push_back(pick);
        }
        if (picks.empty()) break;
        const bool stops = out_of_time();
        const std::vector<SideBounds> bounds =
            stops ? std::vector<SideBounds>{} : ask(node, task, frontier, picks, best);
        for (std::size_t i = 0; i < picks.size(); ++i) {
            // What was not asked goes back with what is known of the cuts around it.
            const SideBounds known = stops ? picks[i].floor : bounds[i];
            asked =
                std::min(asked, std::max(node.least_loss() + 2 * price, known.left + known.right));
            frontier.record(picks[i], known);
        }
        if (!stops) continue;
        best.complete = false;
        break;
    }
    best.bound = std::min(asked, frontier.lowest());
}

// Asks several questions side by side; each knows of the best tree before them only, so that what
// is found does not depend on threads.
std::vector<SideBounds> Search::ask(const NodeRows& node, const Task& task,
                                    const Frontier& frontier, std::span<const Frontier::Pick> picks,
                                    Found& best) {
    n_searched_ += static_cast<std::int64_t>(picks.size());
    std::vector<SideBounds> bounds(picks.size());
    if (picks.size() == 1) {
        const PlannedNode question = frontier.question(picks[0]);
        const bool scans = task.depth == 2 && takes(ShortCut::stump_scan);
        bounds[0] = scans ? ask_above_stumps(node, task, picks[0], question, best)
                          : ask_above_trees(node, task, picks[0], question, best);
        return bounds;
    }
    std::vector<Found> found(picks.size());
    const auto ask_one = [&](std::size_t i, int worker) {
        Search& search = worker == 0 ? *this : *helpers_[static_cast<std::size_t>(worker) - 1];
        found[i].cost = best.cost;
        bounds[i] =
            search.ask_above_trees(node, task, picks[i], frontier.question(picks[i]), found[i]);
    };
    run_tasks(picks.size(), limits_.n_threads, ask_one, check_);
    for (Found& one : found) {
        best.complete = best.complete && one.complete;
        if (!one.plan.empty()) take_if_better(best, one.cost, std::move(one.plan));
    }
    return bounds;
}

Plan Search::stump_or_leaf(const NodeRows& node, bool may_split) const {
    if (may_split) {
        const NodeCuts cuts = cuts_of(problem_, node, limits_.leaf, never_stops_);
        if (stump_cost(node.weight(), cuts.stump.hits) < leaf_cost(node)) {
            return {{cuts.stump.feature, cuts.stump.cut}, {}, {}};
        }
    }
    return {PlannedNode{}};
}

void Search::take_sides(const NodeRows& node, Scratch& scratch) const {
    for (std::uint8_t i = 0; i < 2; ++i) {
        take_side(node, scratch.side, i, scratch.new_number, scratch.children[i]);
    }
}

SideBounds Search::ask_above_stumps(const NodeRows& node, const Task& task,
                                    const Frontier::Pick& pick, PlannedNode root, Found& best) {
    Scratch& scratch = scratch_[2];
    part(problem_, node, root.feature, root.cut, scratch.side);
    const auto scanned = scan_(node, scratch.side, stops_);
    if (!scanned) {
        best.complete = false;
        return pick.floor;
    }
    const auto& sides = *scanned;
    std::array<Weight, 2> leaf, stump, bound;
    for (std::size_t i = 0; i < 2; ++i) {
        const Side& side = sides[i];
        leaf[i] = side.weight - side.leaf_hits + limits_.leaf_price;
        stump[i] = stump_cost(side.weight, side.stump_hits);
        bound[i] = std::min(leaf[i], stump_cost(side.weight, side.free_stump_hits));
    }
    const bool enough = limits_.leaf.allow(sides[0].n_rows, sides[0].weight) &&
                        limits_.leaf.allow(sides[1].n_rows, sides[1].weight);
    // With leaves for one more split only, the side that gains more has it.
    std::array<bool, 2> split{stump[0] < leaf[0], stump[1] < leaf[1]};
    if (task.leaves == 3 && split[0] && split[1]) {
        const bool left_gains = leaf[0] - stump[0] >= leaf[1] - stump[1];
        split = {left_gains, !left_gains};
    }
    const Weight cost = (split[0] ? stump[0] : leaf[0]) + (split[1] ? stump[1] : leaf[1]);
    if (enough && cost < std::min(best.cost, task.cutoff)) {
        std::array<Plan, 2> plans;
        take_sides(node, scratch);
        for (std::size_t i = 0; i < 2; ++i) {
            plans[i] = stump_or_leaf(scratch.children[i], split[i]);
        }
        take_if_better(best, cost, joined(root, plans[0], plans[1]));
    }
    return {bound[0], bound[1]};
}

SideBounds Search::ask_above_trees(const NodeRows& node, const Task& task,
                                   const Frontier::Pick& pick, PlannedNode root, Found& best) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(task.depth)];
    part(problem_, node, root.feature, root.cut, scratch.side);
    take_sides(node, scratch);
    const Weight limit = std::min(best.cost, task.cutoff);
    // Knowing the cost beyond the limit is worth something: it rules out the cuts nearby too.
    const Weight useful = limit >= no_limit - pick.reach ? no_limit : limit + pick.reach;
    const std::int64_t most = task.leaves - 1;
    const std::size_t first = scratch.children[1].size() > scratch.children[0].size() ? 1 : 0;
    const std::array<Weight, 2> floor{pick.floor.left, pick.floor.right};
    std::array<Found, 2> found;
    std::array<Weight, 2> bound = floor;
    for (const std::size_t i : {first, 1 - first}) {
        if (bound[0] + bound[1] >= useful) break;
        found[i] = solve(scratch.children[i], {task.depth - 1, most, useful - bound[1 - i]});
        bound[i] = std::max(bound[i], found[i].bound);
        best.complete = best.complete && found[i].complete;
    }
    const bool enough = std::ranges::all_of(scratch.children, [&](const NodeRows& child) {
        return limits_.leaf.allow(child.n_table_rows(), child.weight());
    });
    if (enough && !found[0].plan.empty() && !found[1].plan.empty()) {
        if (n_leaves(found[0].plan) + n_leaves(found[1].plan) <= task.leaves) {
            take_if_better(best, found[0].cost + found[1].cost,
                           joined(root, found[0].plan, found[1].plan));
        } else if (bound[0] + bound[1] < limit) {
            share_leaves(scratch, task, limit, root, best);
        }
    }
    return {bound[0], bound[1]};
}

// Both sides would like more leaves than there are: tries every way to share them out.
void Search::share_leaves(const Scratch& scratch, const Task& task, Weight limit, PlannedNode root,
                          Found& best) {
    const std::int64_t most = most_leaves(task.depth - 1);
    for (std::int64_t left = std::max<std::int64_t>(1, task.leaves - most);
         left <= std::min(most, task.leaves - 1); ++left) {
        limit = std::min(limit, best.cost);
        const Found one =
            solve(scratch.children[0], {task.depth - 1, left, limit - limits_.leaf_price});
        best.complete = best.complete && one.complete;
        if (one.bound >= limit - limits_.leaf_price) continue;
        const Found other =
            solve(scratch.children[1], {task.depth - 1, task.leaves - left, limit - one.bound});
        best.complete = best.complete && other.complete;
        take_if_better(best, one.cost + other.cost, joined(root, one.plan, other.plan));
    }
}

}  // namespace

Solution best_tree(const Problem& problem, const Limits& limits,
                   const std::function<void()>& check) {
    Limits usable = limits;
    usable.n_threads = std::min(usable_threads(limits.n_threads), int{asked_together});
    if (takes(ShortCut::pair_counts)) {
        const auto start = std::chrono::steady_clock::now();
        if (auto solution = best_tree_by_pairs(problem, usable, check)) return *std::move(solution);
        if (limits.seconds > 0) {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
            usable.seconds = std::max(limits.seconds - spent.count(), 1e-9);
        }
    }
    return Search(problem, usable, check).run();
}

}  // namespace treewright::optimal
