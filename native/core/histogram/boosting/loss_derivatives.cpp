#include "core/histogram/boosting/loss_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/arithmetic/exponential.hpp"
#include "core/parallel/row_shares.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t least_rows = 4'096;  // that are worth a task

struct Derivatives {
    double first, second;
};

// One row of each loss: target y, score s.
struct SquaredError {
    Derivatives operator()(double y, double s) const { return {s - y, 1}; }
};

struct AbsoluteError {
    Derivatives operator()(double y, double s) const {
        return {static_cast<double>(s > y) - static_cast<double>(s < y), 1};
    }
};

struct Huber {
    double delta;
    Derivatives operator()(double y, double s) const {
        return {std::min(std::max(s - y, -delta), delta), 1};
    }
};

struct Quantile {
    double share;
    Derivatives operator()(double y, double s) const {
        return {static_cast<double>(s >= y) - share, 1};
    }
};

struct Poisson {
    Derivatives operator()(double y, double s) const {
        const double mean = fast_exp(s);
        return {mean - y, mean};
    }
};

struct Gamma {
    Derivatives operator()(double y, double s) const {
        const double ratio = y * fast_exp(-s);
        return {1 - ratio, ratio};
    }
};

struct Tweedie {
    double power;
    Derivatives operator()(double y, double s) const {
        const double a = y * fast_exp((1 - power) * s), b = fast_exp((2 - power) * s);
        return {b - a, (2 - power) * b - (1 - power) * a};
    }
};

struct Logistic {
    Derivatives operator()(double y, double s) const {
        const double p = 1 / (1 + fast_exp(-s));
        return {p - y, p * (1 - p)};
    }
};

template <class RowLoss, class Target>
void fill(const RowLoss& loss, const Target* __restrict target, const LossRows& rows,
          std::size_t begin, std::size_t end, std::span<double> first, std::span<double> second) {
    const double* __restrict scores = rows.scores.data();
    double* __restrict out = first.data();
    double* __restrict out_second = second.data();
    if (second.empty()) {
        for (std::size_t row = begin; row < end; ++row)
            out[row] = loss(target[row], scores[row]).first;
    } else {
        for (std::size_t row = begin; row < end; ++row) {
            const Derivatives both = loss(target[row], scores[row]);
            out[row] = both.first;
            out_second[row] = both.second;
        }
    }
    if (rows.weight.empty()) return;
    for (std::size_t row = begin; row < end; ++row) out[row] *= rows.weight[row];
    if (second.empty()) return;
    for (std::size_t row = begin; row < end; ++row) out_second[row] *= rows.weight[row];
}

// Shares of classes from their scores, and how far they are from the true class. The second
// derivative is Friedman's: that of one class against the rest, times k / (k - 1).
template <class Target>
void fill_multinomial(const Target* target, const LossRows& rows, std::size_t begin,
                      std::size_t end, std::span<double> first, std::span<double> second) {
    const std::size_t n_rows = rows.n_rows(), n_classes = rows.scores.size() / n_rows;
    const double factor = static_cast<double>(n_classes) / static_cast<double>(n_classes - 1);
    for (std::size_t row = begin; row < end; ++row) {
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        for (std::size_t at = row; at < rows.scores.size(); at += n_rows) {
            largest = std::max(largest, rows.scores[at]);
        }
        for (std::size_t at = row; at < rows.scores.size(); at += n_rows) {
            sum += first[at] = fast_exp(rows.scores[at] - largest);
        }
        const double weight = rows.weight.empty() ? 1.0 : rows.weight[row];
        for (std::size_t c = 0; c < n_classes; ++c) {
            const std::size_t at = c * n_rows + row;
            const double p = first[at] / sum;
            first[at] = weight * (p - static_cast<double>(target[row] == static_cast<Target>(c)));
            second[at] = weight * factor * p * (1 - p);
        }
    }
}

}  // namespace

void loss_gradients(Loss loss, double parameter, const LossRows& rows, std::span<double> first,
                    std::span<double> second, int n_threads, const Check& check) {
    const std::size_t n_rows = rows.n_rows();
    RowShares shares = share_rows(n_rows, n_threads, least_rows);
    // Small enough for the caches, since some rows are read twice, and for Ctrl-C.
    shares.n_blocks = std::max(shares.n_blocks, n_rows / (4 * least_rows));
    const auto fill_share = [&](std::size_t share, int) {
        check();
        const std::size_t begin = shares.begin(share), end = shares.end(share);
        note_bytes(static_cast<double>((end - begin) * 3 * sizeof(double)));
        const auto with = [&](const auto& row_loss) {
            fill(row_loss, rows.target.data(), rows, begin, end, first, second);
        };
        const auto with_classes = [&](const auto* target) {
            if (loss == Loss::logistic) {
                fill(Logistic{}, target, rows, begin, end, first, second);
            } else {
                fill_multinomial(target, rows, begin, end, first, second);
            }
        };
        switch (loss) {
            case Loss::squared_error: return with(SquaredError{});
            case Loss::absolute_error: return with(AbsoluteError{});
            case Loss::huber: return with(Huber{parameter});
            case Loss::quantile: return with(Quantile{parameter});
            case Loss::poisson: return with(Poisson{});
            case Loss::gamma: return with(Gamma{});
            case Loss::tweedie: return with(Tweedie{parameter});
            case Loss::logistic:
            case Loss::multinomial:
                return rows.codes.empty() ? with_classes(rows.target.data())
                                          : with_classes(rows.codes.data());
        }
    };
    run_tasks(shares.size(), n_threads, fill_share, check);
}

}  // namespace treewright::histogram
