// Several cut points at once: local MDL (Fayyad and Irani 1993), or the best k.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/grow/search/group_search.hpp"
#include "core/parallel/work_meter.hpp"

namespace treewright {
namespace {

using Stats = std::vector<double>;

// Sums over any range of groups, from running totals.
class Ranges {
public:
    explicit Ranges(const Groups& groups)
        : n_stats_(groups.n_stats), stats_(groups.n_stats, 0.0), rows_(1, 0), weight_(1, 0.0) {
        for (std::size_t g = 0; g < groups.size(); ++g) {
            for (std::size_t s = 0; s < n_stats_; ++s) {
                stats_.push_back(stats_[g * n_stats_ + s] + groups.of(g)[s]);
            }
            rows_.push_back(rows_[g] + groups.rows[g]);
            weight_.push_back(weight_[g] + groups.weight[g]);
        }
    }
    std::size_t size() const { return rows_.size() - 1; }
    std::int64_t rows(std::size_t from, std::size_t to) const { return rows_[to] - rows_[from]; }
    double weight(std::size_t from, std::size_t to) const { return weight_[to] - weight_[from]; }
    void stats(std::size_t from, std::size_t to, Stats& out) const {
        out.resize(n_stats_);
        for (std::size_t s = 0; s < n_stats_; ++s) {
            out[s] = stats_[to * n_stats_ + s] - stats_[from * n_stats_ + s];
        }
    }

private:
    std::size_t n_stats_;
    Stats stats_;
    std::vector<std::int64_t> rows_;
    std::vector<double> weight_;
};

// n H, and the number of classes present.
struct Disorder {
    double n = 0, bits = 0;
    int classes = 0;
};

Disorder disorder(const Stats& stats) {
    Disorder d;
    double sum = 0.0;
    for (const double w : stats) {
        if (w > 1e-12) ++d.classes;
        d.n += w;
        sum += x_log2_x(w);
    }
    d.bits = x_log2_x(d.n) - sum;
    return d;
}

bool large_enough(const GroupProblem& problem, const Ranges& ranges, std::size_t from,
                  std::size_t to) {
    return ranges.rows(from, to) > 0 &&
           static_cast<double>(ranges.rows(from, to)) >= problem.min_rows &&
           ranges.weight(from, to) >= problem.min_weight * (1 - 1e-9);
}

// Whether the cut pays for the bits that say where it is.
bool pays(const Disorder& all, const Disorder& left, const Disorder& right) {
    const double gain = (all.bits - left.bits - right.bits) / all.n;
    const double entropies = all.classes * all.bits / all.n - left.classes * left.bits / left.n -
                             right.classes * right.bits / right.n;
    const double power = all.classes * 1.5849625007211562;  // log2(3^k)
    const double patterns = power > 50 ? power : log2_of(std::round(exp2_of(power)) - 2.0);
    // A single row names no place; fractions of one would name less than nothing.
    const double places = log2_of(std::max(all.n - 1.0, 1.0));
    return gain > (places + patterns - entropies) / all.n;
}

// The first group right of the best cut of [from, to), or 0 if none pays.
std::size_t mdl_cut(const GroupProblem& problem, const Ranges& ranges, std::size_t from,
                    std::size_t to, WorkMeter& meter) {
    Stats stats;
    ranges.stats(from, to, stats);
    const Disorder all = disorder(stats);
    if (all.classes < 2) return 0;
    std::size_t best = 0;
    Disorder best_left, best_right;
    double best_bits = std::numeric_limits<double>::infinity();
    for (std::size_t cut = from + 1; cut < to; ++cut) {
        if (!large_enough(problem, ranges, from, cut)) continue;
        if (!large_enough(problem, ranges, cut, to)) break;
        meter.add(problem.work_of(0, 2));
        ranges.stats(from, cut, stats);
        const Disorder left = disorder(stats);
        ranges.stats(cut, to, stats);
        const Disorder right = disorder(stats);
        if (left.bits + right.bits < best_bits - 1e-12 * all.bits) {
            best_bits = left.bits + right.bits;
            best = cut;
            best_left = left;
            best_right = right;
        }
    }
    return best > 0 && pays(all, best_left, best_right) ? best : 0;
}

using Cuts = std::vector<std::size_t>;  // first group of every interval but the first

Cuts mdl_cuts(const GroupProblem& problem, const Ranges& ranges) {
    WorkMeter meter(problem.check);
    Cuts cuts;
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, ranges.size()}};
    while (!open.empty()) {
        const auto [from, to] = open.back();
        open.pop_back();
        const std::size_t cut = mdl_cut(problem, ranges, from, to, meter);
        if (cut == 0) continue;
        cuts.push_back(cut);
        open.push_back({from, cut});
        open.push_back({cut, to});
    }
    std::ranges::sort(cuts);
    return cuts;
}

constexpr double nothing = -std::numeric_limits<double>::infinity();

// The score of an interval, or minus infinity if it holds too little.
class IntervalScore {
public:
    IntervalScore(const GroupProblem& problem, const Ranges& ranges)
        : problem_(problem), ranges_(ranges), meter_(problem.check) {
        ranges.stats(0, ranges.size(), parent_);
    }
    double operator()(std::size_t from, std::size_t to) {
        if (!large_enough(problem_, ranges_, from, to)) return nothing;
        meter_.add(problem_.work_of(static_cast<std::size_t>(ranges_.rows(from, to)), 1));
        ranges_.stats(from, to, stats_);
        if (!problem_.score.admits(stats_.data())) return nothing;
        if (problem_.score.measure() != Measure::absolute_error) {
            return problem_.score.side(stats_.data(), parent_.data());
        }
        std::vector<std::uint32_t> rows;
        for (std::size_t g = from; g < to; ++g) {
            const auto& more = problem_.rows_of_group[g];
            rows.insert(rows.end(), more.begin(), more.end());
        }
        return -absolute_error_of(problem_.targets, rows);
    }

private:
    const GroupProblem& problem_;
    const Ranges& ranges_;
    WorkMeter meter_;
    Stats parent_, stats_;
};

// Best division into at most k intervals by dynamic programming over their ends.
Cuts best_cuts(IntervalScore& score, std::size_t n, std::size_t k, double tolerance) {
    std::vector<double> best(n + 1, nothing);
    std::vector<Cuts> cuts(n + 1);
    for (std::size_t to = 1; to <= n; ++to) best[to] = score(0, to);
    for (std::size_t used = 2; used <= k; ++used) {
        auto next = best;
        auto next_cuts = cuts;
        for (std::size_t to = 2; to <= n; ++to) {
            for (std::size_t cut = 1; cut < to; ++cut) {
                if (best[cut] == nothing) continue;
                const double whole = best[cut] + score(cut, to);
                if (whole > next[to] + tolerance) {
                    next[to] = whole;
                    next_cuts[to] = cuts[cut];
                    next_cuts[to].push_back(cut);
                }
            }
        }
        best = std::move(next);
        cuts = std::move(next_cuts);
    }
    return cuts[n];
}

// Cuts the interval that gains most, again and again.
Cuts greedy_cuts(IntervalScore& score, std::size_t n, std::size_t k, double tolerance) {
    Cuts ends{0, n};
    while (ends.size() <= k) {
        double best = nothing;
        std::size_t where = 0, cut_at = 0;
        for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
            const double whole = score(ends[i], ends[i + 1]);
            for (std::size_t cut = ends[i] + 1; cut < ends[i + 1]; ++cut) {
                const double gain = score(ends[i], cut) + score(cut, ends[i + 1]) - whole;
                if (gain > best + tolerance) {
                    best = gain;
                    where = i;
                    cut_at = cut;
                }
            }
        }
        if (best == nothing) break;
        ends.insert(ends.begin() + static_cast<std::ptrdiff_t>(where) + 1, cut_at);
    }
    return {ends.begin() + 1, ends.end() - 1};
}

}  // namespace

GroupSplit best_intervals(const GroupProblem& problem) {
    const std::size_t n = problem.groups.size();
    GroupSplit split;
    if (n < 2) return split;
    const Ranges ranges(problem.groups);
    IntervalScore score(problem, ranges);
    const auto k = static_cast<std::size_t>(problem.settings.max_intervals);
    const Cuts cuts = k == 0 ? mdl_cuts(problem, ranges)
                      : n <= max_values_cut_exactly
                          ? best_cuts(score, n, std::min(k, n), problem.tolerance)
                          : greedy_cuts(score, n, k, problem.tolerance);
    if (cuts.empty()) return split;
    split.found = true;
    split.n_children = static_cast<std::uint32_t>(cuts.size() + 1);
    split.child_of_group.resize(n);
    std::size_t child = 0;
    for (std::size_t g = 0; g < n; ++g) {
        if (child < cuts.size() && g == cuts[child]) ++child;
        split.child_of_group[g] = static_cast<std::uint32_t>(child);
    }
    return split;
}

}  // namespace treewright
