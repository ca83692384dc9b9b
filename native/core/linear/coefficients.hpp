// Coefficients of linear models as the kernels walk them: numbers filled up to whole lanes.
#pragma once

#include <algorithm>
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

    double* numbers(std::size_t output) { return values_.data() + output * (stride_ + n_slots_); }
    double* slots(std::size_t output) { return numbers(output) + stride_; }
    const double* numbers(std::size_t output) const {
        return values_.data() + output * (stride_ + n_slots_);
    }
    const double* slots(std::size_t output) const { return numbers(output) + stride_; }
    std::size_t n_outputs() const { return n_outputs_; }
    std::span<double> values() { return values_; }

    // From and to arrays without filling, (n_outputs, n_terms).
    void read(std::span<const double> plain) {
        const std::size_t n_terms = n_numbers_ + n_slots_;
        for (std::size_t output = 0; output < n_outputs_; ++output) {
            const double* from = plain.data() + output * n_terms;
            std::copy_n(from, n_numbers_, numbers(output));
            std::copy_n(from + n_numbers_, n_slots_, slots(output));
        }
    }
    void write(std::span<double> plain) const {
        const std::size_t n_terms = n_numbers_ + n_slots_;
        for (std::size_t output = 0; output < n_outputs_; ++output) {
            double* to = plain.data() + output * n_terms;
            std::copy_n(numbers(output), n_numbers_, to);
            std::copy_n(slots(output), n_slots_, to + n_numbers_);
        }
    }
    void add(const Coefficients& other) {
        for (std::size_t at = 0; at < values_.size(); ++at) values_[at] += other.values_[at];
    }
    // Adds the values of a row, times a factor, to one output.
    void add_row(const LinearRows& rows, std::size_t row, std::size_t output, double factor) {
        const double* from = rows.numbers_of(row);
        double* to = numbers(output);
        for (std::size_t at = 0; at < stride_; ++at) to[at] += factor * from[at];
        double* of_slots = slots(output);
        for (const std::int32_t slot : rows.slots_of(row)) of_slots[slot] += factor;
    }

private:
    std::size_t n_numbers_, stride_, n_slots_, n_outputs_;
    std::vector<double> values_;
};

}  // namespace treewright::linear
