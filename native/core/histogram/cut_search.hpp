// The cuts of columns with many rows, from all of them and without sorting them.
//
// A few thousand borders, taken from a sample, divide the values of a column into ranges. One pass
// counts the rows of each range; cuts can only lie in about one range in ten, so a second pass
// collects the values of these alone. The borders decide how long this takes, and never what is
// found: the cuts are those of sorting all values (find_cuts in bins.hpp).
//
// Each step is a function of blocks of rows, whose results add up in any order. So the cuts depend
// neither on the order of the rows nor on where blocks begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/histogram/bins.hpp"
#include "core/histogram/packed/bin_guide.hpp"

namespace treewright::histogram {

// Ascending borders between ranges of about equal weight, fewer than BinGuide can have. A frequent
// value has a range of its own.
std::vector<double> borders_of(std::vector<double> sample);

// Finds ranges: range r holds values <= borders[r], the last one the rest.
class RangeGuide {
public:
    using Range = std::uint16_t;
    static constexpr std::size_t most_ranges = BinGuide<double, Range>::most_bins + 1;
    static constexpr Range missing = BinGuide<double, Range>::missing;
    static constexpr std::size_t rows_at_once = 2048;

    RangeGuide(std::span<const double> borders, ValueType type);

    // Calls use(first, values, ranges) for the rows from `first` to `end`, a few at a time.
    template <class Use>
    void find(const ColumnView& column, std::size_t first, std::size_t end, const Use& use) const;

private:
    std::unique_ptr<const BinGuide<float, Range>> of_floats_;    // one of them is there
    std::unique_ptr<const BinGuide<double, Range>> of_doubles_;  // also for codes
};

// Step 1: how many rows of some blocks each range has, or their weights. Counts are merged by
// addition.
class RangeCounts {
public:
    void count(const ColumnView& column, std::size_t first, std::size_t end,
               const RowWeights& weights, const RangeGuide& guide);
    void add_to(std::span<WeightSum> sums) const;  // `most_ranges` of them

private:
    std::vector<std::uint32_t> rows_;
    std::vector<WeightSum> weights_;  // one of both is empty
};

// A part of a column's values: one value, or a range of which only the weight is known.
struct Piece {
    WeightSum weight;
    double value;        // if it is one
    std::int32_t range;  // its number, or -1
};

std::vector<Piece> pieces_of(std::span<const double> borders, std::span<const WeightSum> sums);

// Step 2: the cuts, or else the ranges whose values have to be known to find them. Ranges within
// `margin` of where a cut is expected are asked for as well. `row` is the usual weight of a row.
struct Narrowed {
    std::vector<double> cuts;
    std::vector<std::int32_t> wanted;  // empty if the cuts are final
};
Narrowed narrow(std::span<const Piece> pieces, int n_bins, WeightSum margin, WeightSum row);

// Step 3: the values of some rows that lie in wanted ranges. Collections of blocks are joined.
struct Collection {
    std::vector<double> values;
    std::vector<WeightSum> weights;  // empty if rows have none
    void join(const Collection& other);
};
class WantedGuide {
public:
    WantedGuide(std::span<const double> borders, std::span<const std::int32_t> wanted,
                ValueType type);
    void collect(const ColumnView& column, std::size_t first, std::size_t end,
                 const RowWeights& weights, Collection& found) const;

private:
    std::vector<double> edges_;
    std::vector<std::uint8_t> is_wanted_;
    RangeGuide guide_;
};

// Step 4: puts the collected values in the place of the ranges that they come from; then again
// step 2.
std::vector<Piece> refined(std::span<const Piece> pieces, std::span<const double> borders,
                           std::span<const std::int32_t> wanted, Collection found);

// The cuts of each column, by these steps if there are many rows. `check` may throw to cancel.
std::vector<std::vector<double>> find_all_cuts(std::span<const ColumnView> columns,
                                               std::size_t n_rows, const RowWeights& weights,
                                               int n_bins, int n_threads,
                                               const std::function<void()>& check);

}  // namespace treewright::histogram
