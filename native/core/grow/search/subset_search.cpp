// Two-way splits of a nominal column: the best set of levels, and one level against the rest.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "core/grow/search/absolute_error.hpp"
#include "core/grow/search/group_contest.hpp"
#include "core/grow/search/group_search.hpp"
#include "core/grow/search/scan.hpp"
#include "core/parallel/work_meter.hpp"

namespace treewright {
namespace {

std::size_t n_rows(const GroupProblem& problem) {
    const auto& rows = problem.groups.rows;
    return static_cast<std::size_t>(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}));
}

void enter_all_subsets(const GroupProblem& problem, Contest& contest) {
    const std::size_t n = problem.groups.size(), work = problem.work_of(n_rows(problem), n);
    WorkMeter meter(problem.check);
    std::vector<std::uint32_t> side(n);
    for (std::uint64_t left = 0; left + 1 < std::uint64_t{1} << (n - 1); ++left) {
        meter.add(work);
        for (std::size_t g = 1; g < n; ++g) side[g] = (left >> (g - 1)) & 1 ? 0 : 1;
        contest.enter(side, 2, true);
    }
}

using Order = std::vector<std::uint32_t>;

// By rising key. Keys that differ by rounding alone count as equal and keep the order of the
// levels.
Order order_by(const std::vector<double>& key) {
    Order order(key.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t g) { return key[g]; });
    const double rounding =
        1e-12 * std::max(std::abs(key[order.front()]), std::abs(key[order.back()]));
    for (auto from = order.begin(); from != order.end();) {
        auto to = from + 1;
        while (to != order.end() && key[*to] - key[*(to - 1)] <= rounding) ++to;
        std::sort(from, to);
        from = to;
    }
    return order;
}

Groups in_order(const Groups& groups, const Order& order) {
    Groups sorted;
    sorted.clear(groups.n_stats);
    for (const auto g : order) {
        sorted.open(groups.codes[g], groups.a_row[g]);
        sorted.rows.back() = groups.rows[g];
        sorted.weight.back() = groups.weight[g];
        std::copy_n(groups.of(g), groups.n_stats, sorted.of(sorted.size() - 1));
    }
    return sorted;
}

CutLimits cut_limits(const GroupProblem& problem) {
    CutLimits limits;
    limits.min_rows = problem.min_rows;
    limits.min_weight = problem.min_weight;
    limits.tolerance = problem.tolerance;
    limits.total_weight =
        std::accumulate(problem.groups.weight.begin(), problem.groups.weight.end(), 0.0);
    return limits;
}

// The best cut of the groups in one order, missing values left out, on the left or on the right.
BestCut cut_in_order(const GroupProblem& problem, const Order& order, int missing_child) {
    const auto& groups = problem.groups;
    CutLimits limits = cut_limits(problem);
    std::vector<double> left(groups.n_stats, 0.0), right = left;
    for (const auto g : order) {
        for (std::size_t s = 0; s < left.size(); ++s) right[s] += groups.of(g)[s];
    }
    double left_weight = 0.0;
    if (missing_child >= 0) {
        auto& side = missing_child == 0 ? left : right;
        for (std::size_t s = 0; s < side.size(); ++s) side[s] += groups.missing_stats[s];
        (missing_child == 0 ? limits.left_rows : limits.right_rows) = groups.missing_rows;
        limits.total_weight += groups.missing_weight;
        if (missing_child == 0) left_weight = groups.missing_weight;
    }
    BestCut best;
    if (problem.score.measure() != Measure::absolute_error) {
        GeneralTally tally;
        tally.bind(problem.targets, problem.score);
        tally.start(left.data(), right.data(), left_weight);
        const auto parent = parent_stats(problem);
        tally.expect_from(parent.data());
        scan_groups(in_order(groups, order), tally, limits, best);
        return best;
    }
    std::vector<std::uint32_t> sequence, everything;
    std::vector<Element<std::uint32_t>> elements;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        for (const auto row : problem.rows_of_group[order[i]]) {
            sequence.push_back(row);
            elements.push_back({row, i});
        }
    }
    everything = sequence;
    everything.insert(everything.end(), problem.missing_rows.begin(), problem.missing_rows.end());
    RankedTargets ranked;
    rank_targets(problem.targets, everything, ranked);
    AbsoluteErrorTally tally;
    tally.prepare(problem.targets, ranked, sequence,
                  missing_child < 0 ? std::span<const std::uint32_t>{} : problem.missing_rows,
                  missing_child == 0);
    tally.start(nullptr, nullptr, left_weight);
    scan_rows(std::span<const Element<std::uint32_t>>(elements), tally, limits, best);
    if (best.position >= 0) best.position = elements[static_cast<std::size_t>(best.position)].rank;
    return best;
}

// Where no cut of many levels gains anything they are all as good. The one in the middle keeps the
// tree shallow: taking the levels off one by one, each node listing the rest, would need memory for
// the square of their number.
void prefer_the_middle(const GroupProblem& problem, const Order& order, double undivided,
                       BestCut& cut) {
    if (order.size() <= max_levels_tried_exactly || cut.position < 0) return;
    if (cut.score > undivided + problem.tolerance) return;
    const std::size_t half = order.size() / 2;
    double rows[2] = {0, 0}, weight[2] = {0, 0};
    for (std::size_t i = 0; i < order.size(); ++i) {
        rows[i >= half] += static_cast<double>(problem.groups.rows[order[i]]);
        weight[i >= half] += problem.groups.weight[order[i]];
    }
    const double least = problem.min_weight * (1 - 1e-9);
    if (std::min(rows[0], rows[1]) >= problem.min_rows && std::min(weight[0], weight[1]) >= least) {
        cut.position = static_cast<std::int64_t>(half) - 1;
    }
}

// The n - 1 cuts of the groups in each order: for two classes and for numbers sorted by mean they
// contain the best subset (Breiman et al. 1984, theorem 4.5). Child 0 holds the lowest level.
GroupSplit best_cut_of_orders(const GroupProblem& problem, std::size_t n_orders,
                              const std::function<Order(std::size_t)>& order_of) {
    const bool learned =
        problem.missing_counts() && problem.settings.missing == MissingPolicy::learned;
    const double undivided = undivided_score(problem);
    const std::size_t work = problem.work_of(n_rows(problem), problem.groups.size());
    WorkMeter meter(problem.check);
    GroupSplit best;
    for (std::size_t i = 0; i < n_orders; ++i) {
        meter.add(work);
        const Order order = order_of(i);
        for (int missing_child = learned ? 0 : -1; missing_child < (learned ? 2 : 0);
             ++missing_child) {
            BestCut cut = cut_in_order(problem, order, missing_child);
            if (cut.position < 0) continue;
            if (!problem.missing_counts()) prefer_the_middle(problem, order, undivided, cut);
            if (best.found && !(cut.score > best.score + problem.tolerance)) continue;
            best.found = true;
            best.score = cut.score;
            best.n_children = 2;
            best.child_of_group.assign(order.size(), 1);
            for (std::int64_t at = 0; at <= cut.position; ++at) {
                best.child_of_group[order[static_cast<std::size_t>(at)]] = 0;
            }
            best.missing_child = missing_child;
            if (best.child_of_group[0] == 1) {
                for (auto& child : best.child_of_group) child = 1 - child;
                if (missing_child >= 0) best.missing_child = 1 - missing_child;
            }
        }
    }
    if (best.found && problem.missing_counts() && !learned) {
        Pile missing(problem);
        missing.add_missing();
        if (!missing.may_stand()) return {};
        best.score += missing.score(parent_stats(problem).data());
    }
    return best;
}

double total_of(const double* stats, std::size_t n) {
    return std::accumulate(stats, stats + n, 0.0);
}

std::vector<double> class_shares(const Groups& groups, std::size_t cls) {
    std::vector<double> share(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const double total = total_of(groups.of(g), groups.n_stats);
        share[g] = total > 0 ? groups.of(g)[cls] / total : 0.0;
    }
    return share;
}

std::vector<double> centers(const GroupProblem& problem) {
    const auto& groups = problem.groups;
    std::vector<double> center(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        center[g] = problem.rows_of_group.empty()
                        ? groups.of(g)[1] / groups.of(g)[0]
                        : median_of(problem.targets, problem.rows_of_group[g]);
    }
    return center;
}

}  // namespace

GroupSplit best_subset(const GroupProblem& problem) {
    const auto& groups = problem.groups;
    const std::size_t n = groups.size();
    if (n < 2) return {};
    const bool absolute = problem.score.measure() == Measure::absolute_error;
    if (!problem.targets.is_classification() &&
        !(absolute && n <= max_levels_tried_exactly_absolute)) {
        return best_cut_of_orders(problem, 1,
                                  [&](std::size_t) { return order_by(centers(problem)); });
    }
    std::vector<std::size_t> present;
    const auto parent = parent_stats(problem);
    for (std::size_t c = 0; c < groups.n_stats && !absolute; ++c) {
        if (parent[c] > 0) present.push_back(c);
    }
    const bool try_all = groups.n_stats > 2 && n <= max_levels_tried_exactly;
    const auto by_share = [&](std::size_t i) { return order_by(class_shares(groups, present[i])); };
    if (present.size() == 2 && problem.score.measure() != Measure::custom && !try_all) {
        return best_cut_of_orders(problem, 1, by_share);
    }
    if (n <= max_levels_tried_exactly) {
        Contest contest(problem);
        enter_all_subsets(problem, contest);
        return contest.result();
    }
    return best_cut_of_orders(problem, present.size(), by_share);
}

namespace {

// What levels of one column are compared by: the score, or the gain ratio if columns are.
double merit_of(const GroupProblem& two, const GroupSplit& split) {
    if (!two.settings.gain_ratio) return split.score;
    std::vector<double> weights = two.groups.weight;
    if (split.missing_child >= 0) {
        weights[static_cast<std::size_t>(split.missing_child)] += two.groups.missing_weight;
    } else {
        weights.push_back(two.groups.missing_weight);
    }
    double total = 0.0, information = 0.0;
    for (const double w : weights) total += w;
    for (const double w : weights) information -= x_log2_x(w / total);
    const double gain = (split.score - undivided_score(two)) / total;
    return information > 0 ? gain / information : 0.0;
}

// A level and the rest as the two groups of a smaller problem, whose branches are the split.
class LevelAndRest {
public:
    explicit LevelAndRest(const GroupProblem& problem)
        : problem_(problem), whole_(problem.groups), all_(whole_.n_stats, 0.0) {
        for (std::size_t g = 0; g < whole_.size(); ++g) {
            for (std::size_t s = 0; s < all_.size(); ++s) all_[s] += whole_.of(g)[s];
            all_rows_ += whole_.rows[g];
            all_weight_ += whole_.weight[g];
        }
    }

    Groups groups(std::size_t level) const {
        Groups two;
        two.clear(whole_.n_stats);
        two.missing_rows = whole_.missing_rows;
        two.missing_weight = whole_.missing_weight;
        two.missing_stats = whole_.missing_stats;
        two.open(0, 0);
        two.open(1, 0);
        two.rows = {whole_.rows[level], all_rows_ - whole_.rows[level]};
        two.weight = {whole_.weight[level], all_weight_ - whole_.weight[level]};
        for (std::size_t s = 0; s < all_.size(); ++s) {
            two.of(0)[s] = whole_.of(level)[s];
            two.of(1)[s] = all_[s] - whole_.of(level)[s];
        }
        return two;
    }

    // Least absolute error only, else none.
    std::vector<std::vector<std::uint32_t>> rows(std::size_t level) const {
        const auto& of_group = problem_.rows_of_group;
        if (of_group.empty()) return {};
        std::vector<std::vector<std::uint32_t>> two(2);
        for (std::size_t g = 0; g < whole_.size(); ++g) {
            auto& side = two[g == level ? 0 : 1];
            side.insert(side.end(), of_group[g].begin(), of_group[g].end());
        }
        return two;
    }

private:
    const GroupProblem& problem_;
    const Groups& whole_;
    std::vector<double> all_;
    std::int64_t all_rows_ = 0;
    double all_weight_ = 0.0;
};

}  // namespace

GroupSplit best_level_against_rest(const GroupProblem& problem) {
    const std::size_t n = problem.groups.size();
    if (n < 2) return {};
    const std::uint32_t none = UINT32_MAX;
    const LevelAndRest level_and_rest(problem);
    GroupSplit best;
    std::uint32_t level = none;
    double highest = 0.0;
    const double slack = problem.settings.gain_ratio ? 1e-12 : problem.tolerance;
    const std::size_t work = problem.work_of(n_rows(problem), 2);
    WorkMeter meter(problem.check);
    for (std::uint32_t g = 0; g < n; ++g) {
        meter.add(work);
        const Groups two = level_and_rest.groups(g);
        const auto rows = level_and_rest.rows(g);
        const GroupProblem smaller{
            two,           problem.settings,    problem.score,      problem.targets,
            problem.check, problem.min_rows,    problem.min_weight, problem.tolerance,
            rows,          problem.missing_rows};
        Contest contest(smaller);
        contest.enter(std::vector<std::uint32_t>{0, 1}, 2, true);
        GroupSplit split = contest.result();
        if (!split.found) continue;
        const double merit = merit_of(smaller, split);
        if (level == none || merit > highest + slack) {
            highest = merit;
            best = std::move(split);
            level = g;
        }
    }
    if (level == none) return best;
    best.child_of_group.assign(n, level == 0 ? 1 : 0);
    best.child_of_group[level] = level == 0 ? 0 : 1;
    if (level != 0 && best.missing_child >= 0) best.missing_child = 1 - best.missing_child;
    return best;
}

}  // namespace treewright
