// Rows as linear models see them: numbers, and for each nominal column the place of a level.
//
// A model is a row of coefficients for each output: first those of the numbers, then one for each
// slot. A slot is a level of a nominal column, so nothing is as long as rows times levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright::linear {

// Numbers of a row lie side by side, filled up with zeros to whole groups of so many: sums over
// a row then run in as many lanes, in the same order on every machine.
constexpr std::size_t n_lanes = 4;

struct LinearRows {
    std::span<const double> numbers;      // (n_rows, stride)
    std::span<const std::int32_t> slots;  // (n_rows, n_nominal), each below n_slots
    std::span<const double> shares;       // (n_rows,) of all weight
    std::size_t n_numbers;                // of a row, without the filling
    std::size_t stride;                   // with it
    std::size_t n_nominal;
    std::size_t n_slots;

    std::size_t n_rows() const { return shares.size(); }
    std::size_t n_terms() const { return n_numbers + n_slots; }
    const double* numbers_of(std::size_t row) const { return numbers.data() + row * stride; }
    std::span<const std::int32_t> slots_of(std::size_t row) const {
        return slots.subspan(row * n_nominal, n_nominal);
    }
};

}  // namespace treewright::linear
