#include "core/prune/error_pruning.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/parallel/cancellation.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/prune/row_lists.hpp"

namespace treewright {
namespace {

// A simpler tree may be expected to make this many errors more (C4.5), and a little for rounding.
constexpr double rounding = 1e-9;
constexpr double allowance = 0.1 + rounding;
constexpr double unlimited = std::numeric_limits<double>::infinity();

// A list of at least this many rows is worth a task, and a copy.
constexpr std::size_t rows_worth_a_task = 4096;

// Below so many nodes one thread goes on alone: a tree may be a long chain, and tasks within tasks
// need room on the stack.
constexpr int most_nested_tasks = 48;

// A node whose children are being pruned.
struct Frame {
    std::int32_t node;
    RowList list;
    bool whole;  // no row of the list has been spread
    bool opened = false;
    std::size_t next_group = 0;
    SplitList split{};
    std::size_t n_groups_before = 0, n_listed_before = 0;
};

// The nodes of the tree while it is pruned. Threads share it: each works on other nodes.
class Nodes {
public:
    Nodes(const TreeView& tree, const Rows& rows, std::size_t n_classes)
        : questions(tree, rows),
          k_(n_classes),
          states_(tree.n_nodes()),
          counts_(tree.n_nodes() * n_classes, 0.0) {
        for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
            if (tree.n_children[node] > 0) states_[node].question = static_cast<std::int32_t>(node);
        }
    }

    NodeState& state(std::int32_t node) {
        const auto at = static_cast<std::size_t>(node);
        return at < states_.size() ? states_[at] : further(at).state;
    }
    // Class weights.
    double* counts(std::int32_t node) {
        const auto at = static_cast<std::size_t>(node);
        return at < states_.size() ? counts_.data() + at * k_ : further(at).counts.data();
    }

    // What is left once no thread works any more.
    PrunedTree result() const {
        std::vector<NodeState> states = states_;
        std::vector<double> counts = counts_;
        for (const Further& leaf : further_) {
            states.push_back(leaf.state);
            counts.insert(counts.end(), leaf.counts.begin(), leaf.counts.end());
        }
        states.resize(questions.n_nodes());
        counts.resize(questions.n_nodes() * k_, 0.0);
        return lay_out(questions, states, counts);
    }

    TreeQuestions questions;

private:
    // A leaf of a level that its node does not list. Few trees have any, so a lock will do.
    struct Further {
        NodeState state;
        std::vector<double> counts;
    };
    Further& further(std::size_t at) {
        const std::lock_guard lock(mutex_);
        while (further_.size() <= at - states_.size()) {
            further_.push_back({{}, std::vector<double>(k_, 0.0)});
        }
        return further_[at - states_.size()];
    }

    std::size_t k_;
    std::vector<NodeState> states_;
    std::vector<double> counts_;   // k_ for each node
    std::deque<Further> further_;  // never moved
    std::mutex mutex_;
};

class ErrorPruner {
public:
    ErrorPruner(Nodes& nodes, const ErrorEstimate& estimate, const Folder& folder, int n_threads,
                const Check& check)
        : nodes_(nodes),
          questions_(nodes.questions),
          estimate_(estimate),
          folder_(folder),
          lists_(nodes.questions, folder),
          k_(estimate.n_classes()),
          n_threads_(n_threads),
          check_(check) {}

    void reserve(std::size_t n_rows) { lists_.reserve(n_rows); }
    void push(const ListedRow& row) { lists_.push(row); }

    // Prunes a subtree that all rows come to. Large branches are pruned side by side, each with a
    // copy of its rows.
    void prune(std::int32_t node, bool whole, int n_tasks_above = 0) {
        Frame frame{node, {0, lists_.n_listed()}, whole};
        if (n_threads_ == 1 || frame.list.size() < 2 * rows_worth_a_task ||
            n_tasks_above == most_nested_tasks) {
            prune_alone(frame);
            return;
        }
        do {
            check_();
            open(frame);
            std::vector<Frame> large;
            for (std::size_t group = 0; group < frame.split.n_groups; ++group) {
                const auto below = frame_of_child(frame, group);
                if (!below) continue;
                if (below->list.size() < rows_worth_a_task) {
                    prune_alone(*below);
                } else {
                    large.push_back(*below);
                }
            }
            const auto prune_one = [&](std::size_t i, int) {
                const auto rows = lists_.rows(large[i].list);
                ErrorPruner part(nodes_, estimate_, folder_, n_threads_, check_);
                part.reserve(rows.size());
                for (const ListedRow& row : rows) part.push(row);
                part.prune(large[i].node, large[i].whole, n_tasks_above + 1);
                // The order that its splits have left, as if they had been made here.
                std::ranges::copy(part.lists_.rows({0, rows.size()}), rows.begin());
            };
            run_tasks(large.size(), n_threads_, prune_one, check_);
        } while (!close(frame));
    }

private:
    // From the leaves up, without recursion: a tree may be a long chain.
    void prune_alone(const Frame& subtree) {
        std::vector<Frame> frames{subtree};
        while (!frames.empty()) {
            check_();
            Frame& frame = frames.back();
            if (!frame.opened) open(frame);
            if (frame.next_group < frame.split.n_groups) {
                const std::size_t group = frame.next_group++;
                if (auto below = frame_of_child(frame, group)) frames.push_back(*below);
            } else if (close(frame)) {
                frames.pop_back();
            }
        }
    }

    double* counts(std::int32_t node) { return nodes_.counts(node); }
    NodeState& state(std::int32_t node) { return nodes_.state(node); }
    SplitList split(std::int32_t node, RowList list) {
        return lists_.split(state(node).question, list);
    }
    void add_counts(RowList list, double* to) const {
        for (const ListedRow& row : lists_.rows(list)) to[row.class_code] += row.weight;
    }

    // Takes the list in and splits it, if the node is no leaf.
    void open(Frame& frame) {
        frame.opened = true;
        frame.next_group = 0;
        frame.split = {};
        frame.n_groups_before = lists_.n_groups();
        frame.n_listed_before = lists_.n_listed();
        NodeState& here = state(frame.node);
        double* const own = counts(frame.node);
        std::fill_n(own, k_, 0.0);
        add_counts(frame.list, own);
        here.weight = 0.0;
        for (std::size_t c = 0; c < k_; ++c) here.weight += own[c];
        here.n_rows = frame.list.size();
        if (here.question >= 0) frame.split = split(frame.node, frame.list);
    }

    // The child to be pruned next, unless it has been before with the same rows.
    std::optional<Frame> frame_of_child(const Frame& frame, std::size_t group) {
        const RowList list = lists_.groups()[frame.split.first_group + group];
        const std::int32_t child = questions_.node_of_group(state(frame.node).question, group);
        if (list.empty()) {
            if (state(child).question >= 0) state(child).became = Became::leaf;
            state(child).question = -1;
            return {};
        }
        const bool whole = frame.whole && !frame.split.spread;
        if (whole && state(child).settled == list.size()) return {};
        return Frame{child, list, whole};
    }

    // Decides what becomes of a node; false if it has to be pruned once more.
    bool close(Frame& frame) {
        const bool is_leaf = state(frame.node).question < 0;
        const double as_leaf = estimate_.of_leaf(counts(frame.node));
        const bool raised = !is_leaf && weigh(frame, as_leaf);
        lists_.shrink(frame.n_groups_before, frame.n_listed_before);
        frame.opened = !raised;
        if (raised) return false;
        NodeState& here = state(frame.node);
        if (is_leaf) here.estimate = as_leaf;
        here.settled = frame.whole ? here.n_rows : 0;
        return true;
    }

    // Compares leaf, subtree and largest branch of an inner node; true if the branch is raised.
    bool weigh(const Frame& frame, double as_leaf) {
        const std::int32_t question = state(frame.node).question;
        double as_subtree = estimate_of_stopped(frame);
        bool irregular = frame.split.spread || !frame.split.stopped.empty();
        std::size_t largest = 0;
        for (std::size_t group = 0; group < frame.split.n_groups; ++group) {
            const NodeState& child = state(questions_.node_of_group(question, group));
            as_subtree += child.estimate;
            irregular |= child.irregular;
            if (is_larger(question, group, largest)) largest = group;
        }
        const bool leaf_will_do = as_leaf <= as_subtree + allowance;
        // If a leaf will not do, a branch beyond the subtree's estimate will not do either.
        const double limit = leaf_will_do ? unlimited : as_subtree + allowance;
        const double as_branch = estimate_of_branch(frame, largest, as_leaf, limit);
        NodeState& here = state(frame.node);
        here.estimate = as_subtree;
        here.irregular = irregular;
        if (leaf_will_do && as_leaf <= as_branch + allowance) {
            here.question = -1;
            here.estimate = as_leaf;
            here.irregular = false;
            here.became = Became::leaf;
        } else if (as_branch <= as_subtree + allowance) {
            here.question = state(questions_.node_of_group(question, largest)).question;
            here.became = Became::branch;
        } else {
            return false;
        }
        here.as_leaf = as_leaf;
        here.as_subtree = as_subtree;
        here.as_branch = as_branch;
        const double* const own = counts(frame.node);
        here.decided_weight = estimate_.weight(own);
        here.decided_errors = estimate_.errors(own, estimate_.prediction(own));
        return here.became == Became::branch;
    }

    // Whether one group is the larger branch; of equal ones, but for rounding, it is the later.
    bool is_larger(std::int32_t question, std::size_t group, std::size_t other) {
        const double weight = state(questions_.node_of_group(question, group)).weight;
        const double others = state(questions_.node_of_group(question, other)).weight;
        if (std::abs(weight - others) > rounding * others) return weight > others;
        return questions_.first_level(question, group) >= questions_.first_level(question, other);
    }

    double estimate_of_stopped(const Frame& frame) {
        if (frame.split.stopped.empty()) return 0.0;
        return estimate_of(frame.split.stopped, estimate_.prediction(counts(frame.node)));
    }
    double estimate_of(RowList list, std::size_t predicted) {
        scratch_.assign(k_, 0.0);
        add_counts(list, scratch_.data());
        return estimate_.of_prediction(scratch_.data(), predicted);
    }

    // What the branch is expected to cost in the place of the node; no more exact than `limit`.
    double estimate_of_branch(const Frame& frame, std::size_t group, double as_leaf, double limit) {
        const std::int32_t branch = questions_.node_of_group(state(frame.node).question, group);
        if (state(branch).question < 0) return as_leaf;
        const std::size_t n_groups = lists_.n_groups(), n_listed = lists_.n_listed();
        std::optional<double> estimate;
        if (!frame.split.spread && !state(branch).irregular) {  // the branch's own rows stay
            std::vector<RowList> others{frame.split.stopped};
            for (std::size_t other = 0; other < frame.split.n_groups; ++other) {
                if (other != group)
                    others.push_back(lists_.groups()[frame.split.first_group + other]);
            }
            estimate = walk(branch, lists_.copy(others), state(branch).estimate, limit);
            lists_.shrink(n_groups, n_listed);
        }
        if (!estimate) {
            estimate = walk(branch, lists_.copy(std::span(&frame.list, 1)), {}, limit);
            lists_.shrink(n_groups, n_listed);
        }
        return *estimate;
    }

    // The estimate of a subtree once the rows of a list come to it: in addition to its own, whose
    // estimate is `own`, or in their place. Nothing if rows are spread, or stop as its own do not.
    std::optional<double> walk(std::int32_t node, RowList list, std::optional<double> own,
                               double limit) {
        struct Stop {
            std::int32_t node;
            RowList list;
        };
        const std::size_t n_groups = lists_.n_groups();
        std::vector<Stop> stops{{node, list}};
        double sum = own.value_or(0.0);
        while (!stops.empty() && sum <= limit) {
            const Stop at = stops.back();
            stops.pop_back();
            lists_.shrink(n_groups, at.list.end);
            if (state(at.node).question < 0) {
                sum += estimate_of_arrival(at.node, at.list, own.has_value());
                continue;
            }
            const SplitList parts = split(at.node, at.list);
            if (own && (parts.spread || !parts.stopped.empty())) return {};
            if (!parts.stopped.empty()) {
                scratch_.assign(k_, 0.0);
                add_counts(at.list, scratch_.data());
                sum += estimate_of(parts.stopped, estimate_.prediction(scratch_.data()));
            }
            for (std::size_t group = 0; group < parts.n_groups; ++group) {
                const RowList part = lists_.groups()[parts.first_group + group];
                if (part.empty()) continue;
                stops.push_back({questions_.node_of_group(state(at.node).question, group), part});
            }
        }
        return sum;
    }

    double estimate_of_arrival(std::int32_t leaf, RowList list, bool adds) {
        scratch_.assign(k_, 0.0);
        if (adds) std::copy_n(counts(leaf), k_, scratch_.begin());
        add_counts(list, scratch_.data());
        return estimate_.of_leaf(scratch_.data()) - (adds ? state(leaf).estimate : 0.0);
    }

    Nodes& nodes_;
    TreeQuestions& questions_;
    const ErrorEstimate& estimate_;
    const Folder& folder_;
    RowLists lists_;
    std::size_t k_;
    int n_threads_;
    const Check& check_;
    std::vector<double> scratch_;
};

}  // namespace

PrunedTree prune_by_errors(const TreeView& tree, const Rows& rows, const TrainingTargets& targets,
                           const ErrorSettings& settings, int n_threads,
                           const std::function<bool()>& interrupted) {
    const ErrorEstimate estimate(settings);
    Watch watch(interrupted);
    const Check check = [&watch] { watch.check(); };
    Nodes nodes(tree, rows, estimate.n_classes());
    {
        ErrorPruner pruner(nodes, estimate, targets.folder, n_threads, check);
        pruner.reserve(targets.codes.size());
        for (std::size_t row = 0; row < targets.codes.size(); ++row) {
            const double weight = targets.weights.empty() ? 1.0 : targets.weights[row];
            pruner.push({weight, static_cast<std::uint32_t>(row), targets.codes[row]});
        }
        pruner.prune(0, true);
    }
    return nodes.result();
}

}  // namespace treewright
