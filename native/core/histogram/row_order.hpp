// The rows of every node side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/gradients.hpp"
#include "core/large_vector.hpp"

namespace treewright::histogram {

// Kernels prefetch rows so far ahead of their use. Without it, a row that is not in the cache costs
// eight times what counting it does.
inline constexpr std::size_t rows_ahead = 16;

// Two copies or more: a split reads a node's rows in one and writes them, ordered by child, to the
// same places of the next. Inside a node the rows stay ascending. The rows of a node are intact as
// long as there are fewer generations below it than copies.
class RowOrder {
public:
    static constexpr int most_copies = 3;

    struct Range {
        std::size_t begin = 0, end = 0;
        int copy = 0;
        std::size_t size() const { return end - begin; }
    };

    // With a folder, the rows are in its files.
    explicit RowOrder(const Folder& folder = {})
        : rows_{vector_in<Traveler>(folder), vector_in<Traveler>(folder),
                vector_in<Traveler>(folder)} {}

    // Room for a new tree; the caller fills it.
    Traveler* start(std::size_t n_rows, int n_copies);
    int n_copies() const { return n_copies_; }
    int after(int copy) const { return copy + 1 < n_copies_ ? copy + 1 : 0; }

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
    // Then rows are sent to the next copy: to the places from `left` and from `right` on.
    void send(const Range& part, std::size_t left, std::size_t right);

private:
    std::size_t n_rows_ = 0;
    int n_copies_ = 2;
    LargeVector<Traveler> rows_[most_copies];
    std::vector<std::uint8_t> is_left_;
};

}  // namespace treewright::histogram
