#include "core/optimal/pair_search.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/optimal/found.hpp"
#include "core/optimal/pair_counts.hpp"
#include "core/optimal/question_bits.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::optimal {
namespace {

// Trees that were found, by the rows that they are for. Different paths lead to the same rows.
class Solved {
public:
    struct Key {
        std::vector<std::uint64_t> rows;  // a bit for each row of the table
        int depth = 0;
        bool operator==(const Key&) const = default;
    };
    struct Entry {
        Key key;
        Found found;
        Weight cutoff = 0;  // the search went up to here
    };

    explicit Solved(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    const Entry* find(const Key& key) const {
        const auto [first, end] = by_hash_.equal_range(hash(key));
        for (auto at = first; at != end; ++at) {
            if (entries_[at->second].key == key) return &entries_[at->second];
        }
        return nullptr;
    }
    void put(Entry entry) {
        if (n_bytes_ > most_bytes_) clear();
        const std::size_t at = hash(entry.key);
        n_bytes_ += 8 * entry.key.rows.size() + sizeof(PlannedNode) * entry.found.plan.size() + 160;
        by_hash_.emplace(at, entries_.size());
        entries_.push_back(std::move(entry));
    }
    // Takes what another has found, in the order in which it was found.
    void take_all(Solved& other) {
        for (Entry& entry : other.entries_) put(std::move(entry));
        other.clear();
    }

private:
    static std::size_t hash(const Key& key) {
        auto mixed = static_cast<std::uint64_t>(key.depth);
        for (const std::uint64_t word : key.rows) {
            mixed = (mixed ^ word) * 0x9e3779b97f4a7c15;
            mixed ^= mixed >> 32;
        }
        return static_cast<std::size_t>(mixed);
    }
    void clear() {
        entries_.clear();
        by_hash_.clear();
        n_bytes_ = 0;
    }

    std::vector<Entry> entries_;
    std::unordered_multimap<std::size_t, std::size_t> by_hash_;
    std::size_t n_bytes_ = 0, most_bytes_;
};

constexpr std::size_t most_solved_bytes = std::size_t{1} << 27;         // all threads together
constexpr std::size_t most_new_bytes = most_solved_bytes / asked_together;  // of a question

class PairSearch {
public:
    PairSearch(const QuestionBits& table, const Limits& limits, const std::function<void()>& check,
               std::chrono::steady_clock::time_point start)
        : table_(table),
          limits_(limits),
          check_(check),
          start_(start),
          counter_(table),
          levels_(static_cast<std::size_t>(limits.max_depth) + 1),
          remembers_(limits.max_depth > 3 && limits.max_leaves >= most_leaves(limits.max_depth)),
          newly_solved_by_(asked_together, Solved(most_new_bytes)) {}

    Solution run();

private:
    // The rows of a node, and the counts of them.
    struct Node {
        std::vector<std::uint32_t> rows;
        PairCounts counts;
    };
    // A side of a question. The node is filled if more than two levels are below.
    struct Side {
        CountsView counts;
        const Node* node;
    };
    struct Level {
        std::array<Node, 2> sides;
        std::array<Solved::Key, 2> keys;
        std::size_t small = 0;  // the side with fewer rows
    };
    // What the sides of each question cost at least.
    struct Floors {
        std::vector<Weight> left, right;
        Weight of(std::size_t question) const { return left[question] + right[question]; }
    };
    // What is known of the trees below each question.
    struct Below {
        std::vector<Weight> costs;  // the best so far, or what it costs at least; questions that
                                    // do not split the rows have no limit
        Floors small_trees;         // what a leaf or one more question costs on the sides
    };

    Found solve(const Side& side, Task task);
    Found leaf_of(const CountsView& counts) const;
    void take_stump(const CountsView& counts, Found& best) const;
    void take_two_levels(const CountsView& counts, std::int64_t leaves, Found& best,
                         Below* below);
    Plan side_plan(const CountsView& counts, std::size_t question, bool goes_left, Units hits) const;
    void search(const Node& node, const Task& task, bool is_root, Below& below, Found& best);
    std::vector<SideBounds> ask_all(const Node& node, const Task& task, const Floors& floors,
                                    bool is_root, std::span<const std::uint32_t> asked,
                                    Found& best);
    bool count_sides(const Node& node, std::size_t question, bool has_pairs, bool goes_deeper,
                     Level& level);
    SideBounds ask(const Node& node, const Task& task, const Floors& floors, std::size_t question,
                   Found& best);
    void share_leaves(const std::array<Side, 2>& sides, const Task& task, Weight limit,
                      PlannedNode root, Found& best);
    Floors first_floors(const Node& node, const Below& below) const;
    void raise_floors(const PairCounts& counts, std::size_t solved, SideBounds bounds,
                      Floors& floors) const;
    void fill_key(const Node& node, std::size_t question, bool left, int depth,
                  Solved::Key& key) const;
    static Units weight_of(const CountsView& counts) {
        Units sum = 0;
        for (std::uint32_t label = 0; label < counts.n_classes(); ++label) sum += counts.total(label);
        return sum;
    }
    static Units left_weight(const PairCounts& counts, std::size_t question) {
        Units sum = 0;
        for (std::uint32_t label = 0; label < counts.n_classes; ++label) {
            sum += counts.singles(label)[question];
        }
        return sum;
    }

    Weight leaf_cost(Weight weight, Weight hits) const {
        return (weight - hits) * table_.unit + limits_.leaf_price;
    }
    Weight stump_cost(Weight weight, Weight hits) const {
        return hits < 0 ? no_limit : (weight - hits) * table_.unit + 2 * limits_.leaf_price;
    }
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
    PairCounter counter_;
    StumpHits stumps_;
    std::vector<Level> levels_;  // by depth below
    std::vector<std::unique_ptr<PairSearch>> helpers_;  // one for each further thread
    // What is found while several questions are asked side by side is known to others afterwards
    // only, so that it does not matter which is done first.
    bool remembers_;  // no rows are met twice in three levels
    Solved all_solved_{most_solved_bytes};
    std::vector<Solved> newly_solved_by_;  // each of the questions
    const Solved* solved_ = nullptr;
    Solved* newly_solved_ = nullptr;
    std::int64_t n_searched_ = 0;
    bool expired_ = false;
    const Stops stops_ = [this] { return out_of_time(); };
};

Solution PairSearch::run() {
    for (int i = 1; i < limits_.n_threads; ++i) {
        helpers_.push_back(std::make_unique<PairSearch>(table_, limits_, check_, start_));
    }
    Node root;
    root.rows.resize(table_.n_rows());
    std::iota(root.rows.begin(), root.rows.end(), 0U);
    counter_.count_singles(root.rows, root.counts);
    const Task task{limits_.max_depth, limits_.max_leaves, limits_.start_cost};
    const CountsView counts(root.counts);
    Found best = leaf_of(counts);
    const Weight loss = std::accumulate(table_.sure_loss.begin(), table_.sure_loss.end(), Weight{0});
    const bool may_split = task.depth > 0 && task.leaves > 1 && !table_.questions.empty();
    const Weight least_split = loss + 2 * limits_.leaf_price;
    if (may_split && least_split < std::min(best.cost, task.cutoff)) {
        const bool has_pairs = task.depth > 1 && task.leaves > 2;
        if (has_pairs && !counter_.count_pairs(stops_, root.counts)) {
            take_stump(counts, best);
            best.bound = std::min(best.bound, least_split);
            best.complete = false;
        } else {
            best = solve({counts, &root}, task);
        }
    }
    for (const auto& helper : helpers_) n_searched_ += helper->n_searched_;
    return solution_of(std::move(best), limits_.start_cost, n_searched_);
}

Found PairSearch::leaf_of(const CountsView& counts) const {
    Units weight = 0, most = 0;
    for (std::uint32_t label = 0; label < counts.n_classes(); ++label) {
        weight += counts.total(label);
        most = std::max(most, counts.total(label));
    }
    Found leaf;
    leaf.cost = leaf.bound = leaf_cost(weight, most);
    leaf.plan = {PlannedNode{}};
    return leaf;
}

void PairSearch::take_stump(const CountsView& counts, Found& best) const {
    for (std::size_t question = 0; question < counts.n_questions(); ++question) {
        std::array<Units, 2> weight{}, most{};
        for (std::uint32_t label = 0; label < counts.n_classes(); ++label) {
            const Units left = counts.single(label, question);
            const std::array<Units, 2> of_class{left, counts.total(label) - left};
            for (std::size_t i = 0; i < 2; ++i) {
                weight[i] += of_class[i];
                most[i] = std::max(most[i], of_class[i]);
            }
        }
        if (weight[0] == 0 || weight[1] == 0) continue;
        const Weight cost = stump_cost(weight[0] + weight[1], most[0] + most[1]);
        best.bound = std::min(best.bound, cost);
        if (weight[0] < table_.least_leaf || weight[1] < table_.least_leaf) continue;
        if (cost < best.cost) take_if_better(best, cost, {table_.questions[question], {}, {}});
    }
}

// A leaf, or the first question that gets so much right on a side of another one.
Plan PairSearch::side_plan(const CountsView& counts, std::size_t question, bool goes_left,
                           Units hits) const {
    for (std::size_t other = 0; other < counts.n_questions() && hits >= 0; ++other) {
        if (other == question) continue;
        std::array<Units, 2> weight{}, most{};
        for (std::uint32_t label = 0; label < counts.n_classes(); ++label) {
            const Units both = counts.pair(label, question, other);
            const Units one = counts.single(label, question), two = counts.single(label, other);
            const std::array<Units, 2> of_class =
                goes_left ? std::array{both, one - both}
                          : std::array{two - both, counts.total(label) - one - two + both};
            for (std::size_t i = 0; i < 2; ++i) {
                weight[i] += of_class[i];
                most[i] = std::max(most[i], of_class[i]);
            }
        }
        const bool enough = weight[0] >= table_.least_leaf && weight[1] >= table_.least_leaf;
        if (enough && most[0] + most[1] == hits) return {table_.questions[other], {}, {}};
    }
    return {PlannedNode{}};
}

// The best tree of two levels.
void PairSearch::take_two_levels(const CountsView& counts, std::int64_t leaves, Found& best,
                                 Below* below) {
    best_stumps(counts, table_.least_leaf, stumps_);
    if (below) {
        for (auto* costs : {&below->costs, &below->small_trees.left, &below->small_trees.right}) {
            costs->assign(counts.n_questions(), no_limit);
        }
    }
    std::size_t best_question = counts.n_questions();
    std::array<bool, 2> best_split{};
    Weight best_cost = best.cost;
    int best_leaves = static_cast<int>(n_leaves(best.plan));
    for (std::size_t question = 0; question < counts.n_questions(); ++question) {
        std::array<Units, 2> weight{}, most{};
        for (std::uint32_t label = 0; label < counts.n_classes(); ++label) {
            const Units left = counts.single(label, question);
            const std::array<Units, 2> of_class{left, counts.total(label) - left};
            for (std::size_t i = 0; i < 2; ++i) {
                weight[i] += of_class[i];
                most[i] = std::max(most[i], of_class[i]);
            }
        }
        if (weight[0] == 0 || weight[1] == 0) continue;
        ++n_searched_;
        const std::array<Units, 2> hits{stumps_.left[question], stumps_.right[question]};
        const std::array<Units, 2> free{stumps_.free_left[question], stumps_.free_right[question]};
        std::array<Weight, 2> leaf, stump, bound;
        for (std::size_t i = 0; i < 2; ++i) {
            leaf[i] = leaf_cost(weight[i], most[i]);
            stump[i] = stump_cost(weight[i], hits[i]);
            bound[i] = std::min(leaf[i], stump_cost(weight[i], free[i]));
        }
        best.bound = std::min(best.bound, bound[0] + bound[1]);
        // With leaves for one more split only, the side that gains more has it.
        std::array<bool, 2> split{stump[0] < leaf[0], stump[1] < leaf[1]};
        if (leaves == 3 && split[0] && split[1]) {
            const bool left_gains = leaf[0] - stump[0] >= leaf[1] - stump[1];
            split = {left_gains, !left_gains};
        }
        const Weight cost = (split[0] ? stump[0] : leaf[0]) + (split[1] ? stump[1] : leaf[1]);
        if (below) {
            below->costs[question] = cost;
            below->small_trees.left[question] = bound[0];
            below->small_trees.right[question] = bound[1];
        }
        if (weight[0] < table_.least_leaf || weight[1] < table_.least_leaf) continue;
        const int n_leaves_here = 2 + split[0] + split[1];
        if (cost < best_cost || (cost == best_cost && n_leaves_here < best_leaves)) {
            best_cost = cost;
            best_leaves = n_leaves_here;
            best_question = question;
            best_split = split;
        }
    }
    if (best_question == counts.n_questions()) return;
    const Units left_hits = best_split[0] ? stumps_.left[best_question] : -1;
    const Units right_hits = best_split[1] ? stumps_.right[best_question] : -1;
    take_if_better(best, best_cost,
                   joined(table_.questions[best_question],
                          side_plan(counts, best_question, true, left_hits),
                          side_plan(counts, best_question, false, right_hits)));
}

// The best tree on the rows, if it costs less than the cutoff.
Found PairSearch::solve(const Side& side, Task task) {
    Found best = leaf_of(side.counts);
    if (task.depth < 1 || task.leaves < 2) return best;
    if (best.cost <= 2 * limits_.leaf_price) return best;
    take_stump(side.counts, best);
    task.leaves = std::min(task.leaves, most_leaves(task.depth));
    if (task.leaves == 2) return best;
    const bool goes_deeper = task.depth > 2;
    Below below;
    take_two_levels(side.counts, std::min<std::int64_t>(task.leaves, 4), best,
                    goes_deeper ? &below : nullptr);
    if (!goes_deeper) return best;
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
PairSearch::Floors PairSearch::first_floors(const Node& node, const Below& below) const {
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
        floors.left[j] =
            std::max({floors.left[j], bounds.left - (one - both) * table_.unit,
                      bounds.right - (all - one - two + both) * table_.unit});
        floors.right[j] = std::max({floors.right[j], bounds.left - both * table_.unit,
                                    bounds.right - (two - both) * table_.unit});
    }
    floors.left[solved] = std::max(floors.left[solved], bounds.left);
    floors.right[solved] = std::max(floors.right[solved], bounds.right);
}

// The best tree of three or more levels. `below` says what trees with a level less cost, and then
// what trees of this depth cost at least.
void PairSearch::search(const Node& node, const Task& task, bool is_root, Below& below,
                        Found& best) {
    std::vector<Weight>& costs = below.costs;
    std::vector<std::uint32_t> order;
    for (std::uint32_t question = 0; question < costs.size(); ++question) {
        if (costs[question] < no_limit) order.push_back(question);
    }
    std::ranges::stable_sort(order, std::ranges::less{},
                             [&](std::uint32_t question) { return costs[question]; });
    Floors floors = first_floors(node, below);
    const std::size_t most = is_root ? asked_together : 1;
    std::vector<std::uint32_t> asked;
    for (std::size_t next = 0; next < order.size() && best.complete;) {
        const Weight limit = std::min(best.cost, task.cutoff);
        asked.clear();
        for (; next < order.size() && asked.size() < most; ++next) {
            if (floors.of(order[next]) < limit) asked.push_back(order[next]);
        }
        if (asked.empty()) break;
        if (out_of_time()) {
            best.complete = false;
            break;
        }
        const std::vector<SideBounds> bounds = ask_all(node, task, floors, is_root, asked, best);
        for (std::size_t i = 0; i < asked.size(); ++i) {
            raise_floors(node.counts, asked[i], bounds[i], floors);
        }
    }
    best.bound = leaf_of(CountsView(node.counts)).cost;
    for (const std::uint32_t question : order) {
        costs[question] = floors.of(question);
        best.bound = std::min(best.bound, costs[question]);
    }
}

// Asks several questions side by side; each knows of the best tree before them only, so that what
// is found does not depend on threads.
std::vector<SideBounds> PairSearch::ask_all(const Node& node, const Task& task,
                                            const Floors& floors, bool is_root,
                                            std::span<const std::uint32_t> asked, Found& best) {
    n_searched_ += static_cast<std::int64_t>(asked.size());
    if (!is_root) return {ask(node, task, floors, asked[0], best)};
    std::vector<SideBounds> bounds(asked.size());
    std::vector<Found> found(asked.size());
    const auto ask_one = [&](std::size_t i, int worker) {
        PairSearch& search = worker == 0 ? *this : *helpers_[static_cast<std::size_t>(worker) - 1];
        search.solved_ = &all_solved_;
        search.newly_solved_ = &newly_solved_by_[i];
        found[i].cost = best.cost;
        bounds[i] = search.ask(node, task, floors, asked[i], found[i]);
    };
    run_tasks(asked.size(), limits_.n_threads, ask_one, check_);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        all_solved_.take_all(newly_solved_by_[i]);
        best.complete = best.complete && found[i].complete;
        if (!found[i].plan.empty()) take_if_better(best, found[i].cost, std::move(found[i].plan));
    }
    return bounds;
}

SideBounds PairSearch::ask(const Node& node, const Task& task, const Floors& floors,
                           std::size_t question, Found& best) {
    Level& level = levels_[static_cast<std::size_t>(task.depth)];
    const Weight limit = std::min(best.cost, task.cutoff);
    const int depth = task.depth - 1;
    const std::int64_t leaves = std::min(task.leaves - 1, most_leaves(depth));
    std::array<Weight, 2> bound{floors.left[question], floors.right[question]};
    std::array<Found, 2> found;
    if (remembers_) {
        for (std::size_t i = 0; i < 2; ++i) {
            fill_key(node, question, i == 0, depth, level.keys[i]);
            const Solved::Entry* known = solved_->find(level.keys[i]);
            if (!known) known = newly_solved_->find(level.keys[i]);
            if (!known) continue;
            bound[i] = std::max(bound[i], known->found.bound);
            if (known->found.cost < known->cutoff) found[i] = known->found;
        }
        if (bound[0] + bound[1] >= limit) return {bound[0], bound[1]};
    }
    const bool goes_deeper = depth > 2 && leaves > 2;
    if (found[0].plan.empty() || found[1].plan.empty()) {
        if (!count_sides(node, question, leaves > 2, goes_deeper, level)) {
            best.complete = false;
            return {bound[0], bound[1]};
        }
    }
    const std::size_t small = level.small, large = 1 - small;
    const CountsView of_small(level.sides[small].counts);
    const CountsView of_large = goes_deeper ? CountsView(level.sides[large].counts)
                                            : CountsView(node.counts, level.sides[small].counts);
    const std::array<Side, 2> sides{Side{small == 0 ? of_small : of_large, &level.sides[0]},
                                    Side{small == 1 ? of_small : of_large, &level.sides[1]}};
    for (const std::size_t i : {large, small}) {
        if (!found[i].plan.empty()) continue;
        // Two levels are quickly known, and what they cost says something about other questions.
        if (goes_deeper && bound[0] + bound[1] >= limit) break;
        const Task of_side{depth, leaves, goes_deeper ? limit - bound[1 - i] : no_limit};
        found[i] = solve(sides[i], of_side);
        bound[i] = std::max(bound[i], found[i].bound);
        best.complete = best.complete && found[i].complete;
        if (remembers_ && found[i].complete) {
            newly_solved_->put({level.keys[i], found[i], of_side.cutoff});
        }
    }
    const Units weight = weight_of(CountsView(node.counts)), left = left_weight(node.counts, question);
    const bool enough = left >= table_.least_leaf && weight - left >= table_.least_leaf;
    if (enough && !found[0].plan.empty() && !found[1].plan.empty()) {
        if (n_leaves(found[0].plan) + n_leaves(found[1].plan) <= task.leaves) {
            take_if_better(best, found[0].cost + found[1].cost,
                           joined(table_.questions[question], found[0].plan, found[1].plan));
        } else if (bound[0] + bound[1] < limit) {
            share_leaves(sides, task, limit, table_.questions[question], best);
        }
    }
    return {bound[0], bound[1]};
}

// The counts of the side with fewer rows; those of the other follow. False if it was stopped.
bool PairSearch::count_sides(const Node& node, std::size_t question, bool has_pairs,
                             bool goes_deeper, Level& level) {
    const Units left = left_weight(node.counts, question);
    level.small = 2 * left <= weight_of(CountsView(node.counts)) ? 0 : 1;
    for (const std::size_t i : {level.small, 1 - level.small}) {
        Node& side = level.sides[i];
        side.rows.clear();
        if (i != level.small && !goes_deeper) continue;
        for (const std::uint32_t row : node.rows) {
            if (table_.goes_left(row, question) == (i == 0)) side.rows.push_back(row);
        }
    }
    Node& side = level.sides[level.small];
    counter_.count_singles(side.rows, side.counts);
    if (has_pairs && !counter_.count_pairs(stops_, side.counts)) return false;
    if (goes_deeper) {
        CountsView(node.counts, side.counts).copy_to(level.sides[1 - level.small].counts);
    }
    return true;
}

// Both sides would like more leaves than there are: tries every way to share them out.
void PairSearch::share_leaves(const std::array<Side, 2>& sides, const Task& task, Weight limit,
                              PlannedNode root, Found& best) {
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

void PairSearch::fill_key(const Node& node, std::size_t question, bool left, int depth,
                          Solved::Key& key) const {
    key.depth = depth;
    key.rows.assign((table_.n_rows() + 63) / 64, 0);
    for (const std::uint32_t row : node.rows) {
        const bool is_in = table_.goes_left(row, question) == left;
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
