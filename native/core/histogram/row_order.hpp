// The rows of every node side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/gradients.hpp"

namespace treewright::histogram {

// Kernels prefetch rows so far ahead of their use. Without it, a row that is not in the cache costs
// eight times what counting it does. Every list has room for it at its end.
inline constexpr std::size_t rows_ahead = 16;

// Two copies: a split reads a node's rows in one and writes them, ordered by child, to the same
// places of the other. Inside a node the rows stay ascending.
class RowOrder {
public:
    struct Range {
        std::size_t begin = 0, end = 0;
        int copy = 0;
        std::size_t size() const { return end - begin; }
    };

    // Room for a new tree; the caller fills it.
    Traveler* start(std::size_t n_rows);

    Range all() const { return {0, n_rows_, 0}; }
    std::span<const Traveler> rows(const Range& range) const {
        return {rows_[range.copy].data() + range.begin, range.size()};
    }

    // A split in two steps, each for the part from `begin` to `end` of a node's rows, so that several
    // threads can share it. First each row's side is noted, by goes_left[its bin in the column]: the
    // number of those that go left is returned. Of wide columns, the last of goes_left is for codes
    // beyond, that of missing values among them.
    std::size_t mark(const Range& part, const std::uint8_t* column,
                     std::span<const std::uint8_t> goes_left);
    std::size_t mark(const Range& part, const std::uint32_t* codes,
                     std::span<const std::uint8_t> goes_left);
    // Then rows are sent to the other copy: to the places from `left` and from `right` on.
    void send(const Range& part, std::size_t left, std::size_t right);

private:
    std::size_t n_rows_ = 0;
    LargeVector<Traveler> rows_[2];
    std::vector<std::uint8_t> is_left_;
};

}  // namespace treewright::histogram
