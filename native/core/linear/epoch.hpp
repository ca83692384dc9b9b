// Descent row by row, or by a few rows at a time: one epoch goes through all rows once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/linear/linear_rows.hpp"
#include "core/linear/row_loss.hpp"

namespace treewright::linear {

struct EpochSettings {
    std::size_t batch_size;
    double rate;
    double momentum;
    double l1, l2;  // of every coefficient but the first of an output, the intercept
};

// Takes the rows in the order given. With each batch, from the point p with the gradient g,
//   d' = p - rate x g, then nearer to zero by rate x l1;  velocity = d' - d
//   p' = d' + momentum x velocity
// A row counts as often as its weight says compared to the mean weight. Coefficients (the point p)
// and velocity are (n_outputs, n_terms).
void descend_epoch(const LinearRows& rows, LinearLoss loss, std::span<const double> target,
                   std::span<const std::int64_t> order, const EpochSettings& settings,
                   std::span<double> coefficients, std::span<double> velocity,
                   const std::function<void()>& check);

}  // namespace treewright::linear
