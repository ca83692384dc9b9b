// A quick search for the nearest center, in single precision, that reports when it is not sure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::clustering {

// The nearest center and bounds on the distances: to it at most `upper`, to the others at least
// `lower`.
struct NearestCenter {
    std::int32_t center = -1;  // -1: too close to tell
    double upper = 0, lower = 0;
    bool is_sure() const { return center >= 0; }
};

// The distance from a center is least where |c|^2 / 2 - x . c is, which takes one multiplication
// and one addition a column. Rows and centers are taken relative to the middle of the centers. A
// center is reported only if it beats the second one by more than all rounding together. So double
// precision gives the same center, and it does not matter whether the machine fuses the two
// operations.
class QuickCenters {
public:
    static constexpr std::size_t at_once = 8;  // rows

    QuickCenters(std::span<const double> centers, std::size_t n_columns);

    // Numbers that `find` needs room for.
    static std::size_t room_for(std::size_t n_columns) { return at_once * (n_columns + 3); }

    void find(const double* const (&rows)[at_once], float* room,
              NearestCenter (&out)[at_once]) const;

private:
    static constexpr std::size_t most_in_tile = 6;  // centers compared at once
    struct Best;
    void turn(const double* const (&rows)[at_once], float* values) const;
    template <std::size_t n>
    void compare(const float* values, std::size_t tile, Best& best) const;
    void compare_all(const float* values, Best& best) const;

    std::size_t n_columns_, n_tiles_, in_tile_;
    std::vector<double> middle_;
    std::vector<float> turned_;        // minus the centers: by tile, by column, by center
    std::vector<float> half_squares_;  // infinite for those that only fill up a tile
    double largest_ = 0;               // squared norm of a center
};

}  // namespace treewright::clustering
