// Which terms of a linear model are worth including, judged from correlations alone.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace treewright::model_tree {

struct Correlations {
    std::size_t n_terms = 0;
    std::vector<double> among_terms;  // (n_terms, n_terms)
    std::vector<double> with_target;

    // The coefficients of the chosen terms for given correlations with what is to be fitted.
    std::vector<double> solve(const std::vector<std::size_t>& chosen,
                              const std::vector<double>& wanted) const;
};

// Starts with all terms that earlier ones do not determine, then drops one after the other.
class TermSelection {
public:
    TermSelection(const Correlations& correlations, double weight);

    const std::vector<std::size_t>& chosen() const { return chosen_; }

    // While a standardized coefficient is above 1.5, the term of the largest one goes.
    void drop_collinear();

    // The term of the smallest standardized coefficient goes, as long as that lowers
    // (n - k) * squares / squares of all + 2 k', of k parameters at first and k' now.
    void drop_by_akaike();

    // The term that matters least goes, as long as the error that is expected does not grow.
    void drop_by_error(const std::function<double(double weight, double n_parameters)>& factor);

private:
    void invert();
    void drop(std::size_t place);
    double squares_without(std::size_t place) const;
    double inverse(std::size_t a, std::size_t b) const { return inverse_[a * width_ + b]; }

    const Correlations& correlations_;
    double weight_;
    std::vector<std::size_t> chosen_;
    std::size_t width_ = 0;        // of the rows of the inverse
    std::vector<double> inverse_;  // of the correlations of the chosen terms
    std::vector<double> beta_;     // standardized coefficients
    double squares_ = 1.0;         // share of the target's squares that is left
};

}  // namespace treewright::model_tree
