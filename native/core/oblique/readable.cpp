#include "core/oblique/readable.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/io/parse_number.hpp"

namespace treewright::oblique {
namespace {

constexpr int most_digits = 4;
constexpr int largest_multiple = 9;

// The number with so many significant digits.
double rounded(double number, int n_digits) {
    std::array<char, 64> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                   std::chars_format::scientific, n_digits - 1);
    double nearest = number;
    parse_number({text.data(), end.ptr}, nearest);
    return nearest;
}

// How many characters a coefficient takes; 1 is not written at all.
int length(double number) {
    if (std::abs(number) == 1.0) return 0;
    std::array<char, 64> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), std::abs(number));
    return static_cast<int>(end.ptr - text.data());
}

class Rounding {
public:
    Rounding(const NodeColumns& columns, const NodeTarget& target, const Combination& exact)
        : columns_(columns), all_right_(target) {
        tolerance_ = tie_share * all_right_.score_weight();
        for (const std::size_t t : in_column_order(exact)) {
            if (exact.slopes[t] == 0.0) continue;
            terms_.push_back(exact.terms[t]);
            exact_.push_back(exact.slopes[t] / columns.deviation[exact.terms[t]]);
        }
    }

    const std::vector<std::uint32_t>& terms() const { return terms_; }
    const std::vector<double>& exact() const { return exact_; }

    // The exact weights times `multiple` over the size of one of them, in few digits.
    std::vector<double> weights(std::size_t pivot, int multiple, int n_digits) const {
        std::vector<double> found;
        for (std::size_t t = 0; t < exact_.size(); ++t) {
            const double scaled = exact_[t] / std::abs(exact_[pivot]) * multiple;
            found.push_back(t == pivot ? std::copysign(multiple, exact_[t])
                                       : rounded(scaled, n_digits));
        }
        return found;
    }

    Cut cut(const std::vector<double>& weights) {
        sums_.assign(columns_.n_rows, 0.0);
        double scale = 0.0;
        for (std::size_t t = 0; t < weights.size(); ++t) {
            const double slope = weights[t] * columns_.deviation[terms_[t]];
            scale = std::max(scale, std::abs(slope));
            const double* values = columns_.at(terms_[t]);
            for (std::size_t row = 0; row < sums_.size(); ++row) sums_[row] += slope * values[row];
        }
        return best_cut(all_right_, sums_, 1e-9 * scale, tolerance_, scratch_);
    }

private:
    static std::vector<std::size_t> in_column_order(const Combination& of) {
        std::vector<std::size_t> order(of.terms.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::sort(order, {}, [&](std::size_t t) { return of.terms[t]; });
        return order;
    }

    const NodeColumns& columns_;
    SplitTally all_right_;
    double tolerance_;
    std::vector<std::uint32_t> terms_;
    std::vector<double> exact_, sums_;
    RowOrder scratch_;
};

struct Choice {
    int length = 0;
    double score = 0.0;
    std::vector<double> weights;
};

// The shortest of all roundings to `n_digits` that reach `least`; of equal length, the best.
Choice shortest(Rounding& rounding, int n_digits, double least,
                const std::function<void()>& check) {
    Choice best;
    for (std::size_t pivot = 0; pivot < rounding.exact().size(); ++pivot) {
        for (int multiple = 1; multiple <= largest_multiple; ++multiple) {
            check();
            std::vector<double> weights = rounding.weights(pivot, multiple, n_digits);
            int total = 0;
            for (const double weight : weights) total += length(weight);
            if (!best.weights.empty() && total > best.length) continue;
            const Cut found = rounding.cut(weights);
            if (!found.found || found.score < least) continue;
            if (best.weights.empty() || total < best.length || found.score > best.score) {
                best = {total, found.score, std::move(weights)};
            }
        }
    }
    return best;
}

}  // namespace

ReadableSum readable_sum(const Combination& exact, const NodeColumns& columns,
                         const NodeTarget& target, double unsplit, double max_loss,
                         const std::function<void()>& check) {
    Rounding rounding(columns, target, exact);
    const double least = exact.score - max_loss * (exact.score - unsplit);
    std::vector<double> weights;
    for (int n_digits = 1; n_digits <= most_digits && weights.empty(); ++n_digits) {
        weights = shortest(rounding, n_digits, least, check).weights;
    }
    if (weights.empty()) weights = rounding.weights(0, 1, 9);
    if (weights.front() < 0) {
        for (double& weight : weights) weight = -weight;
    }
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t term : rounding.terms()) numbers.push_back(columns.column[term]);
    return {std::move(numbers), std::move(weights)};
}

}  // namespace treewright::oblique
