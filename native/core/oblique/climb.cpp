#include "core/oblique/climb.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace treewright::oblique {
namespace {

constexpr int max_rounds = 6;
constexpr double min_gap = 1e-9;  // of sums whose columns have deviation 1

}  // namespace

Climber::Climber(const NodeColumns& columns, const NodeTarget& target, std::uint64_t seed,
                 std::uint64_t part, std::function<void()> check)
    : columns_(columns),
      all_right_(target),
      unsplit_(all_right_.score_unsplit()),
      tolerance_(tie_share * all_right_.score_weight()),
      random_(Random::stream(seed, part)),
      check_(std::move(check)) {}

Combination Climber::single(std::uint32_t column) { return cut({column}, {1.0}); }

Combination Climber::cut(std::vector<std::uint32_t> terms, std::vector<double> slopes) {
    check_();
    double largest = 0.0;
    for (const double slope : slopes) largest = std::max(largest, std::abs(slope));
    if (!(largest > 0.0) || !std::isfinite(largest)) return {};
    for (double& slope : slopes) slope /= largest;
    sums_.assign(columns_.n_rows, 0.0);
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const double* values = columns_.at(terms[t]);
        for (std::size_t row = 0; row < sums_.size(); ++row) sums_[row] += slopes[t] * values[row];
    }
    const Cut found = best_cut(all_right_, sums_, min_gap, tolerance_, scratch_);
    if (!found.found) return {};
    const double threshold = found.below + (found.above - found.below) / 2;
    return {true, found.score, threshold, std::move(terms), std::move(slopes)};
}

void Climber::set_distances(const Combination& of) {
    sums_.assign(columns_.n_rows, -of.threshold);
    for (std::size_t t = 0; t < of.terms.size(); ++t) {
        const double* values = columns_.at(of.terms[t]);
        for (std::size_t row = 0; row < sums_.size(); ++row)
            sums_[row] += of.slopes[t] * values[row];
    }
}

bool Climber::climb_once(Combination& best) {
    bool is_better = false;
    for (std::size_t t = 0; t < best.terms.size(); ++t) {
        check_();
        set_distances(best);
        const std::span values(columns_.at(best.terms[t]), columns_.n_rows);
        const Step step = best_step(all_right_, sums_, values, tolerance_, scratch_);
        if (!step.found || !(step.score > best.score + tolerance_)) continue;
        std::vector<double> slopes = best.slopes;
        slopes[t] += step.size;
        Combination moved = cut(best.terms, std::move(slopes));
        if (!moved.found || !(moved.score > best.score + tolerance_)) continue;
        best = std::move(moved);
        is_better = true;
    }
    return is_better;
}

bool Climber::jump(Combination& best) {
    check_();
    std::vector<double> direction(best.terms.size());
    for (double& slope : direction) slope = 2 * random_.unit() - 1;
    slopes_of_rows_.assign(columns_.n_rows, 2 * random_.unit() - 1);
    for (std::size_t t = 0; t < direction.size(); ++t) {
        const double* values = columns_.at(best.terms[t]);
        for (std::size_t row = 0; row < columns_.n_rows; ++row) {
            slopes_of_rows_[row] += direction[t] * values[row];
        }
    }
    set_distances(best);
    const Step step = best_step(all_right_, sums_, slopes_of_rows_, tolerance_, scratch_);
    if (!step.found || !(step.score > best.score + tolerance_)) return false;
    for (std::size_t t = 0; t < direction.size(); ++t) {
        direction[t] = best.slopes[t] + step.size * direction[t];
    }
    Combination moved = cut(best.terms, std::move(direction));
    if (!moved.found || !(moved.score > best.score + tolerance_)) return false;
    best = std::move(moved);
    return true;
}

Combination Climber::polished(std::vector<std::uint32_t> terms, std::vector<double> slopes,
                              int n_jumps) {
    Combination best = cut(std::move(terms), std::move(slopes));
    if (!best.found) return best;
    for (int round = 0; round < max_rounds && climb_once(best); ++round) {
    }
    for (int tried = 0; tried < n_jumps; ++tried) {
        if (jump(best)) climb_once(best);
    }
    return best;
}

Combination Climber::extended(const Combination& from, std::span<const std::uint32_t> columns) {
    set_distances(from);
    Step best;
    std::uint32_t added = 0;
    for (const std::uint32_t column : columns) {
        if (std::ranges::find(from.terms, column) != from.terms.end()) continue;
        check_();
        const std::span values(columns_.at(column), columns_.n_rows);
        const Step step = best_step(all_right_, sums_, values, tolerance_, scratch_);
        if (!step.found || (best.found && !(step.score > best.score + tolerance_))) continue;
        best = step;
        added = column;
    }
    if (!best.found) return {};
    Combination longer = from;
    longer.score = best.score;
    longer.terms.push_back(added);
    longer.slopes.push_back(best.size);
    return longer;
}

}  // namespace treewright::oblique
