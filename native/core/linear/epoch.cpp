#include "core/linear/epoch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/linear/coefficients.hpp"
#include "core/parallel/work_meter.hpp"

namespace treewright::linear {
namespace {

struct Descent {
    const LinearRows& rows;
    LinearLoss loss;
    std::span<const double> target;
    const EpochSettings& settings;
    Coefficients coefficients, velocity, gradient;
    std::vector<double> of_row;

    Descent(const LinearRows& given, LinearLoss of, std::span<const double> y,
            const EpochSettings& by, std::size_t n_outputs)
        : rows(given),
          loss(of),
          target(y),
          settings(by),
          coefficients(given, n_outputs),
          velocity(given, n_outputs),
          gradient(given, n_outputs),
          of_row(n_outputs) {}

    void step(std::span<const std::int64_t> batch, WorkMeter& meter) {
        std::ranges::fill(gradient.values(), 0.0);
        const double one_row =
            static_cast<double>(rows.n_rows()) / static_cast<double>(batch.size());
        for (const std::int64_t at : batch) {
            meter.add(gradient.values().size());
            const auto row = static_cast<std::size_t>(at);
            coefficients.fill_scores(rows, row, of_row);
            cost_and_slopes(loss, target[row], of_row);
            for (double& slope : of_row) slope *= one_row * rows.shares[row];
            gradient.add_row(rows, row, of_row);
        }
        move();
    }

    // The gradient was taken at a point ahead of the last step by momentum; see epoch.hpp.
    void move() {
        const auto to = coefficients.values();
        const auto speed = velocity.values();
        const auto slope = gradient.values();
        for (std::size_t at = 0; at < to.size(); ++at) {
            const bool is_intercept = coefficients.is_intercept(at);
            const double l1 = is_intercept ? 0.0 : settings.l1;
            const double l2 = is_intercept ? 0.0 : settings.l2;
            const double before = to[at] - settings.momentum * speed[at];
            double after = to[at] - settings.rate * (slope[at] + l2 * to[at]);
            if (l1 > 0) {
                const double left = std::abs(after) - settings.rate * l1;
                after = std::copysign(std::max(left, 0.0), after);
            }
            speed[at] = after - before;
            to[at] = after + settings.momentum * speed[at];
        }
    }
};

}  // namespace

void descend_epoch(const LinearRows& rows, LinearLoss loss, std::span<const double> target,
                   std::span<const std::int64_t> order, const EpochSettings& settings,
                   std::span<double> coefficients, std::span<double> velocity,
                   const std::function<void()>& check) {
    Descent descent(rows, loss, target, settings, coefficients.size() / rows.n_terms());
    descent.coefficients.read(coefficients);
    descent.velocity.read(velocity);
    WorkMeter meter(check);
    for (std::size_t begin = 0; begin < order.size(); begin += settings.batch_size) {
        const std::size_t size = std::min(settings.batch_size, order.size() - begin);
        descent.step(order.subspan(begin, size), meter);
    }
    descent.coefficients.write(coefficients);
    descent.velocity.write(velocity);
}

}  // namespace treewright::linear
