#include "core/model_tree/correlations.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::model_tree {

namespace {

constexpr double determined = 1e-12;  // share of a term that earlier ones do not explain
constexpr double collinear = 1.5;     // a standardized coefficient that no sound model has
constexpr double perfect = 1e-14;     // squares below this share are rounding

// The lower triangle L of L L' = the correlations of the chosen terms, one after the other. Terms
// that the ones before them determine are taken out of `chosen`.
std::vector<double> cholesky(const Correlations& correlations, std::vector<std::size_t>& chosen) {
    const std::size_t width = chosen.size();
    std::vector<double> lower(width * width, 0.0);
    std::size_t n = 0;
    for (const std::size_t term : std::vector(chosen)) {
        double* row = &lower[n * width];
        double left = 1.0;
        for (std::size_t b = 0; b < n; ++b) {
            double sum = correlations.among_terms[term * correlations.n_terms + chosen[b]];
            for (std::size_t c = 0; c < b; ++c) sum -= row[c] * lower[b * width + c];
            row[b] = sum / lower[b * width + b];
            left -= row[b] * row[b];
        }
        if (left < determined) continue;  // the row is written again
        row[n] = std::sqrt(left);
        chosen[n++] = term;
    }
    chosen.resize(n);
    return lower;
}

void solve_in_place(const std::vector<double>& lower, std::size_t width, std::vector<double>& x) {
    const std::size_t n = x.size();
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < a; ++b) x[a] -= lower[a * width + b] * x[b];
        x[a] /= lower[a * width + a];
    }
    for (std::size_t a = n; a-- > 0;) {
        for (std::size_t b = a + 1; b < n; ++b) x[a] -= lower[b * width + a] * x[b];
        x[a] /= lower[a * width + a];
    }
}

}  // namespace

std::vector<double> Correlations::solve(const std::vector<std::size_t>& chosen,
                                        const std::vector<double>& wanted) const {
    std::vector<std::size_t> kept = chosen;
    const std::vector<double> lower = cholesky(*this, kept);
    std::vector<double> x;
    for (const std::size_t term : kept) x.push_back(wanted[term]);
    solve_in_place(lower, chosen.size(), x);
    x.resize(chosen.size(), 0.0);
    return x;
}

TermSelection::TermSelection(const Correlations& correlations, double weight)
    : correlations_(correlations), weight_(weight), chosen_(correlations.n_terms) {
    for (std::size_t a = 0; a < chosen_.size(); ++a) chosen_[a] = a;
    invert();
}

void TermSelection::invert() {
    const std::size_t asked = chosen_.size();
    const std::vector<double> lower = cholesky(correlations_, chosen_);
    width_ = chosen_.size();
    inverse_.assign(width_ * width_, 0.0);
    std::vector<double> column(width_);
    for (std::size_t a = 0; a < width_; ++a) {
        std::ranges::fill(column, 0.0);
        column[a] = 1.0;
        solve_in_place(lower, asked, column);
        std::ranges::copy(column, &inverse_[a * width_]);
    }
    beta_.assign(width_, 0.0);
    squares_ = 1.0;
    for (std::size_t a = 0; a < width_; ++a) {
        for (std::size_t b = 0; b < width_; ++b) {
            beta_[a] += inverse(a, b) * correlations_.with_target[chosen_[b]];
        }
        squares_ -= beta_[a] * correlations_.with_target[chosen_[a]];
    }
    squares_ = std::max(squares_, perfect);
}

double TermSelection::squares_without(std::size_t place) const {
    return squares_ + beta_[place] * beta_[place] / inverse(place, place);
}

// The inverse without one row and column, by one step of elimination.
void TermSelection::drop(std::size_t place) {
    squares_ = squares_without(place);
    const double pivot = inverse(place, place);
    const std::size_t n = chosen_.size();
    for (std::size_t a = 0; a < n; ++a) {
        if (a == place) continue;
        const double factor = inverse(a, place) / pivot;
        beta_[a] -= factor * beta_[place];
        for (std::size_t b = 0; b < n; ++b) {
            if (b != place) inverse_[a * width_ + b] -= factor * inverse(place, b);
        }
    }
    for (std::size_t a = place; a + 1 < n; ++a) {
        std::copy_n(&inverse_[(a + 1) * width_], n, &inverse_[a * width_]);
    }
    for (std::size_t a = 0; a + 1 < n; ++a) {
        double* row = &inverse_[a * width_];
        std::copy(row + place + 1, row + n, row + place);
    }
    beta_.erase(beta_.begin() + static_cast<std::ptrdiff_t>(place));
    chosen_.erase(chosen_.begin() + static_cast<std::ptrdiff_t>(place));
}

void TermSelection::drop_collinear() {
    const auto size = [](double beta) { return std::abs(beta); };
    while (!beta_.empty()) {
        const auto largest = std::ranges::max_element(beta_, {}, size);
        if (std::abs(*largest) <= collinear) return;
        drop(static_cast<std::size_t>(largest - beta_.begin()));
    }
}

void TermSelection::drop_by_akaike() {
    const auto size = [](double beta) { return std::abs(beta); };
    const auto smallest = [&] {
        return static_cast<std::size_t>(std::ranges::min_element(beta_, {}, size) - beta_.begin());
    };
    const auto n_parameters = [&] { return static_cast<double>(chosen_.size()) + 1.0; };
    while (!chosen_.empty() && weight_ <= n_parameters()) drop(smallest());
    const double unit = squares_ / (weight_ - n_parameters());
    double criterion = squares_ / unit + 2.0 * n_parameters();
    while (!chosen_.empty()) {
        const std::size_t place = smallest();
        const double without = squares_without(place) / unit + 2.0 * (n_parameters() - 1.0);
        if (!(without < criterion)) return;
        drop(place);
        criterion = without;
    }
}

void TermSelection::drop_by_error(
    const std::function<double(double weight, double n_parameters)>& factor) {
    const auto expected = [&](double squares, std::size_t n_terms) {
        return std::sqrt(squares) * factor(weight_, static_cast<double>(n_terms) + 1.0);
    };
    while (!chosen_.empty()) {
        std::size_t least = 0;
        for (std::size_t a = 1; a < chosen_.size(); ++a) {
            if (squares_without(a) < squares_without(least)) least = a;
        }
        const double without = expected(squares_without(least), chosen_.size() - 1);
        if (without > expected(squares_, chosen_.size())) return;
        drop(least);
    }
}

}  // namespace treewright::model_tree
