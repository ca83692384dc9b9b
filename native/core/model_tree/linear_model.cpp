#include "core/model_tree/linear_model.hpp"

#include <algorithm>
#include <cmath>

#include "core/model_tree/correlations.hpp"
#include "core/parallel/work_meter.hpp"

namespace treewright::model_tree {

namespace {

constexpr double no_width = 0x1p-500;  // a column that varies less, by its unit, is constant

// What the terms and the target are in one node: means, scales, and how they go together.
class NodeTerms {
public:
    NodeTerms(const TrainingRows& rows, std::span<const std::uint32_t> members,
              std::span<const Term> terms, const std::function<void()>& check)
        : rows_(rows), members_(members), check_(check), terms_(terms.begin(), terms.end()) {
        find_means();
        drop_constant_terms();
        correlate();
    }

    const Correlations& correlations() const { return correlations_; }
    double weight() const { return weight_; }

    // The model of the terms at `chosen`, with coefficients in the units of the columns.
    LinearModel model_of(const std::vector<std::size_t>& chosen) const {
        std::vector<double> beta = correlations_.solve(chosen, correlations_.with_target);
        // What is left after rounding is fitted once more: as good as working on the rows.
        const std::vector<double> left = residual_correlations(chosen, beta);
        const std::vector<double> step = correlations_.solve(chosen, left);
        for (std::size_t i = 0; i < beta.size(); ++i) beta[i] += step[i];
        return in_units(chosen, beta);
    }

private:
    double value(const Term& term, std::uint32_t row) const {
        const Column& column = rows_.columns[static_cast<std::size_t>(term.column)];
        const double value = column.values[row];
        return term.cut > 0 ? static_cast<double>(value >= term.cut) : value * column.unit;
    }

    // The value of a term less its mean, by how far its values lie apart here: squares stay large.
    double centered(std::size_t a, std::uint32_t row) const {
        return (value(terms_[a], row) - mean_[a]) / width_[a];
    }

    void find_means() {
        const std::size_t k = terms_.size();
        mean_.assign(k, 0.0);
        least_.assign(k, INFINITY);
        most_.assign(k, -INFINITY);
        for (const std::uint32_t row : members_) {
            const double mass = rows_.weight(row);
            weight_ += mass;
            target_mean_ += mass * rows_.target[row];
            for (std::size_t a = 0; a < k; ++a) {
                const double x = value(terms_[a], row);
                mean_[a] += mass * x;
                least_[a] = std::min(least_[a], x);
                most_[a] = std::max(most_[a], x);
            }
        }
        for (double& mean : mean_) mean /= weight_;
        target_mean_ /= weight_;
    }

    void drop_constant_terms() {
        std::size_t kept = 0;
        for (std::size_t a = 0; a < terms_.size(); ++a) {
            if (!(most_[a] - least_[a] >= no_width)) continue;
            terms_[kept] = terms_[a];
            width_.push_back(most_[a] - least_[a]);
            mean_[kept++] = mean_[a];
        }
        terms_.resize(kept);
        mean_.resize(kept);
    }

    void correlate() {
        const std::size_t k = terms_.size();
        std::vector<double> products(k * k, 0.0), x(k);
        std::vector<double> with_target(k, 0.0);
        double squares = 0.0;
        WorkMeter meter(check_);
        for (std::size_t i = 0; i < members_.size(); ++i) {
            meter.add(k * k + 1);
            const std::uint32_t row = members_[i];
            const double mass = rows_.weight(row), y = rows_.target[row] - target_mean_;
            squares += mass * y * y;
            for (std::size_t a = 0; a < k; ++a) {
                x[a] = centered(a, row);
                const double share = mass * x[a];
                with_target[a] += share * y;
                for (std::size_t b = 0; b <= a; ++b) products[a * k + b] += share * x[b];
            }
        }
        target_scale_ = std::sqrt(squares);
        scale_.resize(k);
        for (std::size_t a = 0; a < k; ++a) scale_[a] = std::sqrt(products[a * k + a]);
        correlations_.n_terms = k;
        correlations_.among_terms.assign(k * k, 1.0);
        correlations_.with_target.assign(k, 0.0);
        for (std::size_t a = 0; a < k; ++a) {
            if (target_scale_ > 0.0) {
                correlations_.with_target[a] = with_target[a] / scale_[a] / target_scale_;
            }
            for (std::size_t b = 0; b < a; ++b) {
                const double r = products[a * k + b] / scale_[a] / scale_[b];
                correlations_.among_terms[a * k + b] = correlations_.among_terms[b * k + a] = r;
            }
        }
    }

    double residual(const std::vector<std::size_t>& chosen, const std::vector<double>& beta,
                    std::uint32_t row) const {
        double left = (rows_.target[row] - target_mean_) / target_scale_;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const std::size_t a = chosen[i];
            left -= beta[i] * (centered(a, row) / scale_[a]);
        }
        return left;
    }

    std::vector<double> residual_correlations(const std::vector<std::size_t>& chosen,
                                              const std::vector<double>& beta) const {
        std::vector<double> sums(terms_.size(), 0.0);
        if (target_scale_ == 0.0 || chosen.empty()) return sums;
        for (const std::uint32_t row : members_) {
            const double left = rows_.weight(row) * residual(chosen, beta, row);
            for (const std::size_t a : chosen) {
                sums[a] += left * (centered(a, row) / scale_[a]);
            }
        }
        return sums;
    }

    LinearModel in_units(const std::vector<std::size_t>& chosen,
                         const std::vector<double>& beta) const {
        LinearModel model;
        model.intercept = target_mean_;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const std::size_t a = chosen[i];
            const double slope = beta[i] * (target_scale_ / scale_[a]) / width_[a];
            model.terms.push_back(terms_[a]);
            model.intercept -= slope * mean_[a];
            const Column& column = rows_.columns[static_cast<std::size_t>(terms_[a].column)];
            model.coefficients.push_back(terms_[a].cut > 0 ? slope : slope * column.unit);
        }
        if (target_scale_ == 0.0) return model;
        for (const std::uint32_t row : members_) {
            const double left = residual(chosen, beta, row) * target_scale_;
            model.squares += rows_.weight(row) * left * left;
        }
        return model;
    }

    const TrainingRows& rows_;
    std::span<const std::uint32_t> members_;
    const std::function<void()>& check_;
    std::vector<Term> terms_;
    std::vector<double> mean_, least_, most_, width_, scale_;
    double weight_ = 0.0, target_mean_ = 0.0, target_scale_ = 0.0;
    Correlations correlations_;
};

}  // namespace

double error_factor(double weight, double n_parameters, double penalty) {
    constexpr double too_few_rows = 10.0;
    if (weight <= n_parameters) return too_few_rows;
    return (weight + penalty * n_parameters) / (weight - n_parameters);
}

LinearModel fit_linear_model(const TrainingRows& rows, std::span<const std::uint32_t> members,
                             std::span<const Term> terms, const ModelTreeSettings& settings,
                             const std::function<void()>& check) {
    const NodeTerms node(rows, members, terms, check);
    TermSelection selection(node.correlations(), node.weight());
    if (settings.terms == TermRule::akaike) {
        selection.drop_collinear();
        selection.drop_by_akaike();
    } else if (settings.terms == TermRule::adjusted_error) {
        selection.drop_by_error([&](double weight, double n_parameters) {
            return error_factor(weight, n_parameters, settings.penalty);
        });
    }
    return node.model_of(selection.chosen());
}

}  // namespace treewright::model_tree
