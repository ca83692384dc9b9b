// Coefficients of linear models as the kernels walk them.
//
// They lie term by term, the outputs of a term side by side: one output is summed in lanes along
// the numbers of a row, several are summed side by side. Numbers are filled up to whole lanes.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/linear/linear_rows.hpp"

namespace treewright::linear {

class Coefficients {
public:
    // All zero, for so many outputs.
    Coefficients(const LinearRows& rows, std::size_t n_outputs)
        : n_numbers_(rows.n_numbers),
          stride_(rows.stride),
          n_slots_(rows.n_slots),
          n_outputs_(n_outputs),
          values_((stride_ + n_slots_) * n_outputs) {}

    std::span<double> values() { return values_; }

    // Whether a place of `values` belongs to an intercept.
    bool is_intercept(std::size_t place) const { return place < n_outputs_; }

    // From and to arrays without filling, (n_outputs, n_terms).
    void read(std::span<const double> plain) {
        for_terms(
            [&](std::size_t place, std::size_t in_plain) { values_[place] = plain[in_plain]; });
    }
    void write(std::span<double> plain) const {
        for_terms(
            [&](std::size_t place, std::size_t in_plain) { plain[in_plain] = values_[place]; });
    }

    void add(const Coefficients& other) {
        for (std::size_t at = 0; at < values_.size(); ++at) values_[at] += other.values_[at];
    }

    // What a row scores, by each output.
    void fill_scores(const LinearRows& rows, std::size_t row, std::span<double> scores) const {
        if (n_outputs_ == 1) {
            scores[0] = score(rows, row);
            return;
        }
        for (double& one : scores) one = 0;
        const double* values = rows.numbers_of(row);
        for (std::size_t at = 0; at < n_numbers_; ++at) {
            add_times(scores.data(), values_.data() + at * n_outputs_, values[at]);
        }
        for (const std::int32_t slot : rows.slots_of(row)) {
            add_times(scores.data(), values_.data() + slot_place(slot), 1.0);
        }
    }

    // Adds the values of a row, times a factor for each output.
    void add_row(const LinearRows& rows, std::size_t row, std::span<const double> factors) {
        const double* values = rows.numbers_of(row);
        if (n_outputs_ == 1) {
            for (std::size_t at = 0; at < stride_; ++at) values_[at] += factors[0] * values[at];
        } else {
            for (std::size_t at = 0; at < n_numbers_; ++at) {
                add_times(values_.data() + at * n_outputs_, factors.data(), values[at]);
            }
        }
        for (const std::int32_t slot : rows.slots_of(row)) {
            add_times(values_.data() + slot_place(slot), factors.data(), 1.0);
        }
    }

private:
    // Adds a multiple of one number for each output; the two arrays do not overlap.
    void add_times(double* __restrict to, const double* __restrict from, double factor) const {
        for (std::size_t k = 0; k < n_outputs_; ++k) to[k] += from[k] * factor;
    }

    std::size_t slot_place(std::int32_t slot) const {
        return (stride_ + static_cast<std::size_t>(slot)) * n_outputs_;
    }

    double score(const LinearRows& rows, std::size_t row) const {
        const double* values = rows.numbers_of(row);
        std::array<double, n_lanes> lanes{};
        for (std::size_t at = 0; at < stride_; at += n_lanes) {
            for (std::size_t lane = 0; lane < n_lanes; ++lane) {
                lanes[lane] += values[at + lane] * values_[at + lane];
            }
        }
        double sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
        for (const std::int32_t slot : rows.slots_of(row)) sum += values_[slot_place(slot)];
        return sum;
    }

    // Calls visit(place here, place in an array without filling) for every coefficient.
    template <class Visit>
    void for_terms(Visit visit) const {
        const std::size_t n_terms = n_numbers_ + n_slots_;
        for (std::size_t term = 0; term < n_terms; ++term) {
            const std::size_t here = term < n_numbers_ ? term : term - n_numbers_ + stride_;
            for (std::size_t k = 0; k < n_outputs_; ++k) {
                visit(here * n_outputs_ + k, k * n_terms + term);
            }
        }
    }

    std::size_t n_numbers_, stride_, n_slots_, n_outputs_;
    std::vector<double> values_;
};

}  // namespace treewright::linear
