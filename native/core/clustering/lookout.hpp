// A quick look at which centre is nearest, in single precision, that knows when it cannot tell.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace treewright::clustering {

// The nearest centre and bounds on the distances: to it at most `upper`, to the others at least
// `lower`.
struct Sighting {
    std::int32_t centre = -1;  // -1: too close to tell
    double upper = 0, lower = 0;
    bool is_sure() const { return centre >= 0; }
};

// The distance from a centre is least where |c|^2 / 2 - x . c is, which takes one multiplication and
// one addition a column. Rows and centres are taken relative to the middle of the centres. An answer
// is given only where it is farther from the second than all rounding together, so it is the one that
// double precision gives too, and it does not matter whether the machine fuses the two operations.
class Lookout {
public:
    static constexpr std::size_t at_once = 4;  // rows

    Lookout(std::span<const double> centres, std::size_t n_columns);

    // `room` is for at_once numbers a column.
    void look(const double* const (&rows)[at_once], float* room, Sighting (&out)[at_once]) const;

private:
    static constexpr std::size_t width = 4;  // centres
    struct Best;
    template <std::size_t groups>
    void compare(const float* values, std::size_t begin, Best& best) const;

    std::size_t n_, n_columns_, n_padded_;
    std::vector<double> middle_;
    std::vector<float> turned_;   // by column, then by centre
    std::vector<float> half_squares_;
    double largest_ = 0;          // norm of a centre
};

}  // namespace treewright::clustering
