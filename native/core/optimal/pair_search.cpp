#include "core/optimal/pair_search.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/arithmetic/as_index.hpp"
#include "core/optimal/found.hpp"
#include "core/optimal/frontier.hpp"
#include "core/optimal/question_bits.hpp"
#include "core/optimal/small_trees.hpp"
#include "core/optimal/solved_rows.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::optimal {
namespace {

constexpr std::size_t most_solved_bytes = std::size_t{1} << 27;             // all that is known
constexpr std::size_t most_new_bytes = most_solved_bytes / asked_together;  // below a question

class PairSearch {
public:
    PairSearch(const QuestionBits& table, const Limits& limits, const std::function<void()>& check,
               std::chrono::steady_clock::time_point start)
        : table_(table),
          limits_(limits),
          check_(check),
          start_(start),
          small_(table, limits.leaf_price, stops_),
          levels_(static_cast<std::size_t>(limits.max_depth) + 1),
          remembers_(limits.max_depth > 3 && limits.max_leaves >= most_leaves(limits.max_depth)),
          newly_solved_by_(asked_together, SolvedRows(most_new_bytes)) {}

    Solution run();

private:
    struct Level {
        std::array<CountedNode, 2> sides;
        std::array<SolvedRows::Key, 2> keys;
        std::size_t small = 0;  // the side with fewer rows
    };
    struct Asked {
        Split split;
        SideBounds floor;  // what the sides cost at least
        Weight reach = 0;  // beyond the limit, up to which the cost is worth knowing
    };

    Found solve(const CountedSide& side, Task task);
    void search(const CountedNode& node, const Task& task, bool is_root, Below& below, Found& best);
    void search_line(const CountedNode& node, const Task& task, bool is_root, CutLine line,
                     Weight whole, Found& best);
    std::vector<SideBounds> ask_all(const CountedNode& node, const Task& task, bool is_root,
                                    std::span<const Asked> asked, Found& best);
    SideBounds ask(const CountedNode& node, const Task& task, const Asked& asked, Found& best);
    bool count_sides(const CountedNode& node, const Asked& asked, bool has_pairs, bool goes_deeper,
                     Level& level);
    void share_leaves(const std::array<CountedSide, 2>& sides, const Task& task, Weight limit,
                      PlannedNode root, Found& best);
    Floors first_floors(const CountedNode& node, const Below& below) const;
    void raise_floors(const PairCounts& counts, std::size_t solved, SideBounds bounds,
                      Floors& floors) const;
    void fill_key(const CountedNode& node, const Asked& asked, bool left, int depth,
                  SolvedRows::Key& key) const;

    bool out_of_time() {
        check_();
        if (limits_.seconds <= 0 || expired_) return expired_;
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
        return expired_ = spent.count() >= limits_.seconds;
    }

    const QuestionBits& table_;
    const Limits& limits_;
    const std::function<void()>& check_;
    std::chrono::steady_clock::time_point start_;
    const Stops stops_ = [this] { return out_of_time(); };
    SmallTrees small_;
    std::vector<Level> levels_;                         // by depth below
    std::vector<std::unique_ptr<PairSearch>> helpers_;  // one for each further thread
    bool remembers_;  // what was found for some rows; in three levels they are not met twice
    // What is found while several questions are asked side by side is known to others afterwards
    // only, so that it does not matter which is done first.
    SolvedRows all_solved_{most_solved_bytes};
    std::vector<SolvedRows> newly_solved_by_;  // each of the questions
    const SolvedRows* solved_ = nullptr;
    SolvedRows* newly_solved_ = nullptr;
    std::int64_t n_searched_ = 0;
    bool expired_ = false;
};

Solution PairSearch::run() {
    for (int i = 1; i < limits_.n_threads; ++i) {
        helpers_.push_back(std::make_unique<PairSearch>(table_, limits_, check_, start_));
    }
    CountedNode root;
    root.rows.resize(table_.n_rows());
    std::iota(root.rows.begin(), root.rows.end(), 0U);
    if (table_.has_long_column()) {
        root.by_code = root.rows;
        std::ranges::stable_sort(root.by_code, {},
                                 [&](std::uint32_t row) { return table_.long_codes[row]; });
    }
    small_.counter().count_singles(root.rows, root.counts);
    const Task task{limits_.max_depth, limits_.max_leaves, limits_.start_cost};
    const CountsView counts(root.counts);
    Found best = small_.leaf(counts);
    const Weight loss =
        std::accumulate(table_.sure_loss.begin(), table_.sure_loss.end(), Weight{0});
    const bool may_split = task.depth > 0 && task.leaves > 1;
    const Weight least_split = loss + 2 * limits_.leaf_price;
    if (may_split && least_split < std::min(best.cost, task.cutoff)) {
        const bool has_pairs = task.depth > 1 && task.leaves > 2;
        if (has_pairs && !small_.counter().count_pairs(stops_, root.counts)) {
            small_.take_stump({counts, &root}, best);
            best.bound = std::min(best.bound, least_split);
            best.complete = false;
        } else {
            best = solve({counts, &root}, task);
        }
    }
    n_searched_ += small_.n_searched();
    for (const auto& helper : helpers_) {
        n_searched_ += helper->n_searched_ + helper->small_.n_searched();
    }
    return solution_of(std::move(best), limits_.start_cost, n_searched_);
}

// The best tree on the rows, if it costs less than the cutoff.
Found PairSearch::solve(const CountedSide& side, Task task) {
    Found best = small_.leaf(side.counts);
    if (task.depth < 1 || task.leaves < 2) return best;
    if (best.cost <= 2 * limits_.leaf_price) return best;
    small_.take_stump(side, best);
    task.leaves = std::min(task.leaves, most_leaves(task.depth));
    if (task.leaves == 2) return best;
    const bool goes_deeper = task.depth > 2;
    Below below;
    small_.take_two_levels(side, std::min<std::int64_t>(task.leaves, 4), best,
                           goes_deeper ? &below : nullptr);
    if (!goes_deeper || !best.complete) return best;
    const bool is_root = side.node->rows.size() == table_.n_rows();
    Weight loss = 0;
    for (const std::uint32_t row : side.node->rows) loss += table_.sure_loss[row];
    for (int depth = 3; depth <= task.depth && best.complete; ++depth) {
        // A tree that is less deep was found already, and one of this depth has more leaves.
        const Weight least = loss + (depth + 1) * limits_.leaf_price;
        if (depth + 1 > task.leaves || least >= std::min(best.cost, task.cutoff)) {
            best.bound = std::min(best.bound, least);
            break;
        }
        const std::int64_t leaves = std::min(task.leaves, most_leaves(depth));
        search(*side.node, {depth, leaves, task.cutoff}, is_root, below, best);
    }
    return best;
}

// A side is a leaf, has one more question, or has three leaves or more.
Floors PairSearch::first_floors(const CountedNode& node, const Below& below) const {
    const std::size_t n = node.counts.n_questions;
    const std::vector<Weight> three_leaves(n, 3 * limits_.leaf_price);
    Floors floors{three_leaves, three_leaves};
    for (const std::uint32_t row : node.rows) {
        const Weight loss = table_.sure_loss[row];
        for (std::size_t question = 0; loss > 0 && question < n; ++question) {
            (table_.goes_left(row, question) ? floors.left : floors.right)[question] += loss;
        }
    }
    for (std::size_t question = 0; question < n; ++question) {
        floors.left[question] = std::min(floors.left[question], below.small_trees.left[question]);
        floors.right[question] =
            std::min(floors.right[question], below.small_trees.right[question]);
    }
    return floors;
}

// A side costs at least what another side costs, less the weight of the rows that only that one
// has: the bound by similarity of Demirović et al.
void PairSearch::raise_floors(const PairCounts& counts, std::size_t solved, SideBounds bounds,
                              Floors& floors) const {
    const CountsView view(counts);
    const auto sum = [&](const auto& of_class) {
        Units units = 0;
        for (std::uint32_t label = 0; label < counts.n_classes; ++label) units += of_class(label);
        return units;
    };
    const Units all = sum([&](std::uint32_t label) { return view.total(label); });
    const Units one = sum([&](std::uint32_t label) { return view.single(label, solved); });
    for (std::size_t j = 0; j < counts.n_questions; ++j) {
        if (j == solved) continue;
        const Units two = sum([&](std::uint32_t label) { return view.single(label, j); });
        const Units both = sum([&](std::uint32_t label) { return view.pair(label, solved, j); });
        floors.left[j] = std::max({floors.left[j], bounds.left - (one - both) * table_.unit,
                                   bounds.right - (all - one - two + both) * table_.unit});
        floors.right[j] = std::max({floors.right[j], bounds.left - both * table_.unit,
                                    bounds.right - (two - both) * table_.unit});
    }
    floors.left[solved] = std::max(floors.left[solved], bounds.left);
    floors.right[solved] = std::max(floors.right[solved], bounds.right);
}

// The best tree of three or more levels. `below` says what trees with a level less cost, and then
// what trees of this depth cost at least.
void PairSearch::search(const CountedNode& node, const Task& task, bool is_root, Below& below,
                        Found& best) {
    std::vector<Weight>& costs = below.costs;
    std::vector<std::uint32_t> order;
    for (std::uint32_t question = 0; question < costs.size(); ++question) {
        if (costs[question] < no_limit) order.push_back(question);
    }
    std::ranges::stable_sort(order, std::ranges::less{},
                             [&](std::uint32_t question) { return costs[question]; });
    Floors floors = first_floors(node, below);
    const Weight whole = best.bound;  // what a side with all rows costs at least
    const std::size_t most = is_root ? asked_together : 1;
    std::vector<Asked> asked;
    for (std::size_t next = 0; next < order.size() && best.complete;) {
        const Weight limit = std::min(best.cost, task.cutoff);
        asked.clear();
        for (; next < order.size() && asked.size() < most; ++next) {
            const std::uint32_t question = order[next];
            if (floors.of(question) >= limit) continue;
            asked.push_back({{table_.questions[question], question},
                             {floors.left[question], floors.right[question]}});
        }
        if (asked.empty()) break;
        if (out_of_time()) {
            best.complete = false;
            break;
        }
        const std::vector<SideBounds> bounds = ask_all(node, task, is_root, asked, best);
        for (std::size_t i = 0; i < asked.size(); ++i) {
            raise_floors(node.counts, as_index(asked[i].split.number), bounds[i], floors);
            costs[as_index(asked[i].split.number)] = bounds[i].left + bounds[i].right;
        }
    }
    best.bound = small_.leaf(CountsView(node.counts)).cost;
    for (const std::uint32_t question : order) {
        best.bound = std::min(best.bound, floors.of(question));
    }
    if (!below.line.cut.empty()) search_line(node, task, is_root, below.line, whole, best);
}

// The cuts of the long column as questions.
void PairSearch::search_line(const CountedNode& node, const Task& task, bool is_root, CutLine line,
                             Weight whole, Found& best) {
    std::vector<CutLine> lines;
    lines.push_back(std::move(line));
    Frontier frontier(std::move(lines), limits_.leaf_price, 2 * limits_.leaf_price, whole);
    const std::size_t most = is_root ? asked_together : 1;
    std::vector<Frontier::Pick> picks;
    std::vector<Asked> asked;
    while (true) {
        const Weight limit = std::min(best.cost, task.cutoff);
        picks.clear();
        asked.clear();
        for (Frontier::Pick pick; picks.size() < most && frontier.next(limit, pick);) {
            picks.push_back(pick);
            asked.push_back({{frontier.question(pick), -1}, pick.floor, pick.reach});
        }
        if (picks.empty()) break;
        const bool stops = !best.complete || out_of_time();
        const std::vector<SideBounds> bounds =
            stops ? std::vector<SideBounds>{} : ask_all(node, task, is_root, asked, best);
        for (std::size_t i = 0; i < picks.size(); ++i) {
            const SideBounds known = stops ? picks[i].floor : bounds[i];
            best.bound = std::min(best.bound, known.left + known.right);
            frontier.record(picks[i], known);
        }
        if (!stops) continue;
        best.complete = false;
        break;
    }
    best.bound = std::min(best.bound, frontier.lowest());
}

// Asks several questions side by side; each knows of the best tree before them only, so that what
// is found does not depend on threads.
std::vector<SideBounds> PairSearch::ask_all(const CountedNode& node, const Task& task, bool is_root,
                                            std::span<const Asked> asked, Found& best) {
    n_searched_ += static_cast<std::int64_t>(asked.size());
    if (!is_root) return {ask(node, task, asked[0], best)};
    std::vector<SideBounds> bounds(asked.size());
    std::vector<Found> found(asked.size());
    const auto ask_one = [&](std::size_t i, int worker) {
        PairSearch& search = worker == 0 ? *this : *helpers_[static_cast<std::size_t>(worker) - 1];
        search.solved_ = &all_solved_;
        search.newly_solved_ = &newly_solved_by_[i];
        found[i].cost = best.cost;
        bounds[i] = search.ask(node, task, asked[i], found[i]);
    };
    run_tasks(asked.size(), limits_.n_threads, ask_one, check_);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        all_solved_.take_all(newly_solved_by_[i]);
        best.complete = best.complete && found[i].complete;
        if (!found[i].plan.empty()) take_if_better(best, found[i].cost, std::move(found[i].plan));
    }
    return bounds;
}

SideBounds PairSearch::ask(const CountedNode& node, const Task& task, const Asked& asked,
                           Found& best) {
    Level& level = levels_[as_index(task.depth)];
    const Weight limit = std::min(best.cost, task.cutoff);
    const Weight useful = limit >= no_limit - asked.reach ? no_limit : limit + asked.reach;
    const int depth = task.depth - 1;
    const std::int64_t leaves = std::min(task.leaves - 1, most_leaves(depth));
    std::array<Weight, 2> bound{asked.floor.left, asked.floor.right};
    std::array<Found, 2> found;
    if (remembers_) {
        for (std::size_t i = 0; i < 2; ++i) {
            fill_key(node, asked, i == 0, depth, level.keys[i]);
            const SolvedRows::Entry* known = newly_solved_->find(level.keys[i]);
            if (!known) known = solved_->find(level.keys[i]);
            if (!known) continue;
            bound[i] = std::max(bound[i], known->found.bound);
            if (known->is_exact()) found[i] = known->found;
        }
        if (bound[0] + bound[1] >= useful) return {bound[0], bound[1]};
    }
    const bool goes_deeper = depth > 2 && leaves > 2;
    if (found[0].plan.empty() || found[1].plan.empty()) {
        if (!count_sides(node, asked, leaves > 2, goes_deeper, level)) {
            best.complete = false;
            return {bound[0], bound[1]};
        }
    }
    const std::size_t small = level.small, large = 1 - small;
    const CountsView of_small(level.sides[small].counts);
    const CountsView of_large = goes_deeper ? CountsView(level.sides[large].counts)
                                            : CountsView(node.counts, level.sides[small].counts);
    const std::array<CountedSide, 2> sides{
        CountedSide{small == 0 ? of_small : of_large, &level.sides[0]},
        CountedSide{small == 1 ? of_small : of_large, &level.sides[1]}};
    for (const std::size_t i : {large, small}) {
        if (!found[i].plan.empty()) continue;
        // Two levels are quickly known, and what they cost says something about other questions.
        if (goes_deeper && bound[0] + bound[1] >= useful) break;
        const Task of_side{depth, leaves, goes_deeper ? useful - bound[1 - i] : no_limit};
        found[i] = solve(sides[i], of_side);
        bound[i] = std::max(bound[i], found[i].bound);
        best.complete = best.complete && found[i].complete;
        if (remembers_ && found[i].complete) {
            newly_solved_->put({level.keys[i], found[i], of_side.cutoff});
        }
    }
    const bool enough =
        asked.split.number < 0 ||
        halves_of(CountsView(node.counts), as_index(asked.split.number)).allow(table_.least_leaf);
    if (enough && !found[0].plan.empty() && !found[1].plan.empty()) {
        if (n_leaves(found[0].plan) + n_leaves(found[1].plan) <= task.leaves) {
            take_if_better(best, found[0].cost + found[1].cost,
                           joined(asked.split.question, found[0].plan, found[1].plan));
        } else if (bound[0] + bound[1] < limit) {
            share_leaves(sides, task, limit, asked.split.question, best);
        }
    }
    return {bound[0], bound[1]};
}

// The counts of the side with fewer rows; those of the other follow. False if it was stopped.
bool PairSearch::count_sides(const CountedNode& node, const Asked& asked, bool has_pairs,
                             bool goes_deeper, Level& level) {
    const auto n_left = static_cast<std::size_t>(std::ranges::count_if(
        node.rows, [&](std::uint32_t row) { return table_.goes_left(row, asked.split); }));
    level.small = 2 * n_left <= node.rows.size() ? 0 : 1;
    for (std::size_t i = 0; i < 2; ++i) {
        if (i != level.small && !goes_deeper && !table_.has_long_column()) continue;
        table_.take_rows(node.rows, asked.split, i == 0, level.sides[i].rows);
        table_.take_rows(node.by_code, asked.split, i == 0, level.sides[i].by_code);
    }
    CountedNode& side = level.sides[level.small];
    small_.counter().count_singles(side.rows, side.counts);
    if (has_pairs && !small_.counter().count_pairs(stops_, side.counts)) return false;
    if (goes_deeper) {
        CountsView(node.counts, side.counts).copy_to(level.sides[1 - level.small].counts);
    }
    return true;
}

// Both sides would like more leaves than there are: tries every way to share them out.
void PairSearch::share_leaves(const std::array<CountedSide, 2>& sides, const Task& task,
                              Weight limit, PlannedNode root, Found& best) {
    const std::int64_t most = most_leaves(task.depth - 1);
    for (std::int64_t left = std::max<std::int64_t>(1, task.leaves - most);
         left <= std::min(most, task.leaves - 1); ++left) {
        limit = std::min(limit, best.cost);
        const Found one = solve(sides[0], {task.depth - 1, left, limit - limits_.leaf_price});
        best.complete = best.complete && one.complete;
        if (one.bound >= limit - limits_.leaf_price) continue;
        const Found other =
            solve(sides[1], {task.depth - 1, task.leaves - left, limit - one.bound});
        best.complete = best.complete && other.complete;
        take_if_better(best, one.cost + other.cost, joined(root, one.plan, other.plan));
    }
}

void PairSearch::fill_key(const CountedNode& node, const Asked& asked, bool left, int depth,
                          SolvedRows::Key& key) const {
    key.depth = depth;
    key.rows.assign((table_.n_rows() + 63) / 64, 0);
    for (const std::uint32_t row : node.rows) {
        const bool is_in = table_.goes_left(row, asked.split) == left;
        key.rows[row / 64] |= std::uint64_t{is_in} << row % 64;
    }
}

}  // namespace

std::optional<Solution> best_tree_by_pairs(const Problem& problem, const Limits& limits,
                                           const std::function<void()>& check) {
    const auto start = std::chrono::steady_clock::now();
    const Stops stops = [&] {
        check();
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        return limits.seconds > 0 && spent.count() >= limits.seconds;
    };
    const auto table = question_bits(problem, limits.leaf, stops);
    if (!table) return std::nullopt;
    return PairSearch(*table, limits, check, start).run();
}

}  // namespace treewright::optimal
