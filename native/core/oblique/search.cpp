#include "core/oblique/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/oblique/logistic.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::oblique {
namespace {

constexpr std::size_t most_groupings = 6;  // classes that are each separated from all others

using BySize = std::vector<Combination>;  // entry t: the best of t + 1 terms

void keep_better(BySize& best, std::size_t n_terms, Combination found, double tolerance) {
    if (!found.found || n_terms == 0 || n_terms > best.size()) return;
    Combination& kept = best[n_terms - 1];
    if (!kept.found || found.score > kept.score + tolerance) kept = std::move(found);
}

// Two groups of rows that a line is to separate, and how much each row matters.
struct Grouping {
    std::vector<double> group, weight;
};

class Search {
public:
    Search(const NodeColumns& columns, const NodeTarget& target, const SearchSettings& settings,
           int n_threads, const std::function<void()>& check)
        : columns_(columns),
          target_(target),
          settings_(settings),
          n_threads_(n_threads),
          check_(check) {}

    std::vector<ReadableSum> run() {
        BySize best(settings_.max_terms);
        const std::vector<std::uint32_t> by_gain = columns_by_gain();
        if (by_gain.size() < 2) return {};
        const std::vector<Grouping> groupings = first_groupings();
        const std::size_t n_starts = std::min(settings_.n_starts, by_gain.size());
        std::vector<BySize> found(n_starts + groupings.size());
        run_tasks(
            found.size(), n_threads_,
            [&](std::size_t task, int) {
                found[task] = task < n_starts ? grown(by_gain[task], by_gain, task)
                                              : shrunk(groupings[task - n_starts], by_gain, task);
            },
            check_);
        const Climber any(columns_, target_, 0, 0, check_);
        for (BySize& chain : found) merge(best, std::move(chain), any.tolerance());
        if (target_.n_classes > 2) {
            const Combination& widest = *std::ranges::max_element(best, {}, score_of);
            if (widest.found) {
                merge(best, shrunk(sides_of(widest), by_gain, found.size()), any.tolerance());
            }
        }
        return readable(best, any.unsplit());
    }

private:
    static double score_of(const Combination& one) { return one.found ? one.score : -HUGE_VAL; }

    static void merge(BySize& best, BySize&& chain, double tolerance) {
        for (std::size_t t = 0; t < chain.size(); ++t) {
            keep_better(best, t + 1, std::move(chain[t]), tolerance);
        }
    }

    Climber climber(std::size_t part) const {
        return Climber(columns_, target_, settings_.seed, part, check_);
    }

    // The columns that split best alone, the best first.
    std::vector<std::uint32_t> columns_by_gain() const {
        std::vector<double> score(columns_.n_columns());
        run_tasks(
            score.size(), n_threads_,
            [&](std::size_t task, int) {
                score[task] = score_of(climber(0).single(static_cast<std::uint32_t>(task)));
            },
            check_);
        std::vector<std::uint32_t> order(score.size());
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t c) { return score[c]; });
        if (order.size() > settings_.max_columns) order.resize(settings_.max_columns);
        return order;
    }

    // From one column on, a term at a time.
    BySize grown(std::uint32_t start, const std::vector<std::uint32_t>& by_gain,
                 std::size_t part) const {
        Climber climber = this->climber(part);
        BySize chain(settings_.max_terms);
        Combination current = climber.single(start);
        for (std::size_t t = 1; t < settings_.max_terms && current.found; ++t) {
            const Combination longer = climber.extended(current, by_gain);
            if (!longer.found) break;
            current = climber.polished(longer.terms, longer.slopes, settings_.n_jumps);
            keep_better(chain, t + 1, current, climber.tolerance());
        }
        return chain;
    }

    // From logistic regression of many columns on, a term less at a time: that with the least
    // slope.
    BySize shrunk(const Grouping& grouping, const std::vector<std::uint32_t>& by_gain,
                  std::size_t part) const {
        Climber climber = this->climber(part);
        BySize chain(settings_.max_terms);
        std::vector<std::uint32_t> terms = by_gain;
        std::vector<double> slopes(terms.size() + 1, 0.0);
        while (terms.size() > 1) {
            std::vector<const double*> values;
            for (const std::uint32_t term : terms) values.push_back(columns_.at(term));
            slopes =
                logistic_slopes(values, grouping.group, grouping.weight, std::move(slopes), check_);
            if (terms.size() <= settings_.max_terms) {
                const std::vector<double> start(slopes.begin(), slopes.end() - 1);
                keep_better(chain, terms.size(), climber.polished(terms, start, settings_.n_jumps),
                            climber.tolerance());
            }
            drop_least(terms, slopes);
        }
        return chain;
    }

    // Far above the wanted number of terms, a quarter goes at once; the constant stays.
    void drop_least(std::vector<std::uint32_t>& terms, std::vector<double>& slopes) const {
        std::vector<std::size_t> order(terms.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, std::greater{},
                                 [&](std::size_t t) { return std::abs(slopes[t]); });
        const std::size_t n_spare = terms.size() > 2 * settings_.max_terms ? terms.size() / 4 : 1;
        order.resize(terms.size() - std::max<std::size_t>(n_spare, 1));
        std::vector<std::uint32_t> kept_terms;
        std::vector<double> kept_slopes;
        for (const std::size_t t : order) {
            kept_terms.push_back(terms[t]);
            kept_slopes.push_back(slopes[t]);
        }
        kept_slopes.push_back(slopes.back());
        terms = std::move(kept_terms);
        slopes = std::move(kept_slopes);
    }

    // Each of the heaviest classes against all others.
    std::vector<Grouping> first_groupings() const {
        std::vector<double> totals(target_.n_classes, 0.0);
        for (std::size_t row = 0; row < target_.n_rows(); ++row) {
            totals[target_.classes[row]] += target_.score_weight[row];
        }
        std::vector<std::size_t> heaviest(totals.size());
        std::iota(heaviest.begin(), heaviest.end(), 0);
        std::ranges::stable_sort(heaviest, std::greater{},
                                 [&](std::size_t c) { return totals[c]; });
        std::erase_if(heaviest, [&](std::size_t c) { return !(totals[c] > 0.0); });
        if (heaviest.size() == 2) heaviest.pop_back();
        if (heaviest.size() > most_groupings) heaviest.resize(most_groupings);
        std::vector<Grouping> found;
        for (const std::size_t one : heaviest) {
            Grouping grouping{std::vector<double>(target_.n_rows()), target_.score_weight};
            for (std::size_t row = 0; row < target_.n_rows(); ++row) {
                grouping.group[row] = target_.classes[row] == one;
            }
            found.push_back(std::move(grouping));
        }
        return found;
    }

    // Each class goes with the side of the split that has most of it.
    Grouping sides_of(const Combination& split) const {
        std::vector<double> balance(target_.n_classes, 0.0);
        for (std::size_t row = 0; row < target_.n_rows(); ++row) {
            double sum = 0.0;
            for (std::size_t t = 0; t < split.terms.size(); ++t) {
                sum += split.slopes[t] * columns_.at(split.terms[t])[row];
            }
            const double weight = target_.score_weight[row];
            balance[target_.classes[row]] += sum <= split.threshold ? -weight : weight;
        }
        Grouping grouping{{}, target_.score_weight};
        for (std::size_t row = 0; row < target_.n_rows(); ++row) {
            grouping.group.push_back(balance[target_.classes[row]] > 0.0);
        }
        return grouping;
    }

    std::vector<ReadableSum> readable(const BySize& best, double unsplit) const {
        std::vector<ReadableSum> found(best.size());
        run_tasks(
            best.size(), n_threads_,
            [&](std::size_t task, int) {
                if (!best[task].found) return;
                found[task] = readable_sum(best[task], columns_, target_, unsplit,
                                           settings_.max_loss, check_);
            },
            check_);
        std::erase_if(found, [](const ReadableSum& sum) { return sum.columns.size() < 2; });
        return found;
    }

    const NodeColumns& columns_;
    const NodeTarget& target_;
    const SearchSettings& settings_;
    int n_threads_;
    const std::function<void()>& check_;
};

}  // namespace

std::vector<ReadableSum> search_sums(const NodeColumns& columns, const NodeTarget& target,
                                     const SearchSettings& settings, int n_threads,
                                     const std::function<void()>& check) {
    return Search(columns, target, settings, n_threads, check).run();
}

}  // namespace treewright::oblique
