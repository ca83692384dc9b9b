// The cuts of columns with many rows, from all of them and without sorting them.
//
// The values of a column are divided into a few thousand ranges, by what a sample looks like. One
// pass counts the rows of each range; cuts can only lie in about one range in ten, so a second pass
// collects the values of these alone. The ranges decide how long this takes, and never what is
// found: the cuts are those of sorting all values (find_cuts in bins.hpp).
//
// Each step is a function of blocks of rows, whose results add up in any order. So the cuts depend
// neither on the order of the rows nor on where blocks begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/histogram/bins.hpp"
#include "core/histogram/range_guide.hpp"
#include "core/large_vector.hpp"

namespace treewright::histogram {

// Some rows of a column, one after the other, and the number of the first in the table.
struct RowsOfColumn {
    const ColumnView& column;
    std::size_t first, n_rows;
};

// Step 1: how many rows each range has, or their weights. Counts of blocks are merged.
class RangeCounts {
public:
    void count(const RowsOfColumn& rows, const RowWeights& weights, const RangeGuide& guide);
    void merge(const RangeCounts& other);
    void add(std::span<const WeightSum> weights);  // of every range
    WeightSum operator[](std::size_t range) const {
        WeightSum sum = weights_.empty() ? 0 : weights_[range];
        if (!few_.empty()) sum += WeightSum{rows_[range]} + few_[range];
        return sum;
    }

private:
    void move_few();

    // Two bytes for each range stay in the cache, as long as they are enough.
    std::vector<std::uint16_t> few_;
    std::size_t n_few_ = 0;
    std::vector<std::uint32_t> rows_;
    std::vector<WeightSum> weights_;  // of rows with weights, and of rows that others counted
};

// A part of a column's values: one value, or a range of which only the weight is known.
struct Piece {
    WeightSum weight;
    double value;        // if it is one
    std::int32_t range;  // its number, or -1
};

LargeVector<Piece> pieces_of(const RangeGuide& guide, const RangeCounts& counts);

// Step 2: the cuts, or else the ranges whose values have to be known to find them. Ranges within
// `margin` of where a cut is expected are asked for as well. `row` is the usual weight of a row.
struct Narrowed {
    std::vector<double> cuts;
    std::vector<std::uint8_t> is_wanted;  // by range; empty if the cuts are final
};
Narrowed narrow(std::span<const Piece> pieces, int n_bins, WeightSum margin, WeightSum row);

// Step 3: the values of some rows that lie in wanted ranges. Collections of blocks are joined.
struct Collection {
    std::vector<double> values;
    std::vector<WeightSum> weights;  // empty if rows have none

    void collect(const RowsOfColumn& rows, const RowWeights& weights_of, const RangeGuide& guide,
                 std::span<const std::uint8_t> is_wanted);
    void join(const Collection& other);
    void clear();
};

// Step 4: puts the collected values in the place of the wanted ranges; then step 2 again.
LargeVector<Piece> refined(std::span<const Piece> pieces, std::span<const std::uint8_t> is_wanted,
                           Collection found);

// These steps for several columns, whose rows come in blocks: in as many passes over all of them as
// are needed, each in any order. `check` may throw to cancel.
//
//     CutSearch search(samples, types, {n_rows, n_bins, n_threads}, check);
//     do {
//         for (each block) search.read(block, ...);
//     } while (!search.end_pass(check));
//
// Blocks may be read by several searches of the same samples: in each pass, one of them adds what
// the others took out. A search that takes part in one pass alone goes through the counting passes
// again, whose results are small, and is then told what is asked for.
class CutSearch {
public:
    struct Size {
        std::size_t n_rows;  // of all blocks
        int n_bins, n_threads;
        // Values that one pass collects, if it is more than one column's. With more, there is a
        // second pass that counts, in narrower ranges; then columns take turns.
        std::size_t most_values = std::numeric_limits<std::size_t>::max();
    };
    // A sample of each column, which decides how long the search takes, and not what it finds.
    CutSearch(std::vector<std::vector<double>> samples, std::span<const ValueType> types, Size size,
              const std::function<void()>& check);

    // Columns of the same types; `weights` are those of these rows.
    void read(std::span<const ColumnView> columns, std::size_t n_rows, const RowWeights& weights,
              const std::function<void()>& check);
    // What was read in this pass of each open column, in no order: how much weight each range has,
    // or the values in wanted ranges. It is no longer here.
    std::vector<Collection> take_out();
    void add(std::vector<Collection> others);  // as many, or std::invalid_argument
    // What this pass collects; nothing in passes that count.
    struct Asked {
        std::size_t column;
        std::vector<std::uint8_t> is_wanted;  // by range
    };
    std::vector<Asked> asked() const;
    void ask(std::vector<Asked> all);  // or std::invalid_argument
    // Whether all cuts are known.
    bool end_pass(const std::function<void()>& check);
    std::vector<std::vector<double>> take_cuts() { return std::move(cuts_); }

private:
    // One column on the way to its cuts.
    struct Column {
        std::shared_ptr<const RangeGuide> guide;
        RangeCounts counts;
        LargeVector<Piece> pieces;
        Narrowed found;
        WeightSum n_wanted = 0;  // weight of the rows in ranges that are wanted
        WeightSum row_weight = 1;  // about
        Collection collected;
    };
    struct Worker {
        GatheredRows gathered;
        std::vector<RangeCounts> counts;  // by open column, in passes that count
        std::vector<Collection> collected;  // and in later ones
    };

    void join_blocks(std::size_t i);
    void join_workers(std::size_t i);
    std::size_t n_values(std::size_t c) const;
    bool narrow_ranges(const std::function<void()>& check);
    void open_next();

    Size size_;
    bool is_counting_ = true;  // in the first pass, and perhaps in the second
    bool has_narrowed_ = false;
    WeightSum margin_ = 16;  // rows; more whenever so many were not enough
    std::vector<Column> columns_;
    std::vector<std::size_t> open_;   // columns of this pass
    std::vector<std::size_t> later_;  // those of later passes
    std::vector<Worker> workers_;
    std::vector<std::vector<double>> cuts_;
};

// The cuts of each column, by these steps if there are many rows. `check` may throw to cancel.
std::vector<std::vector<double>> find_all_cuts(std::span<const ColumnView> columns,
                                               std::size_t n_rows, const RowWeights& weights,
                                               int n_bins, int n_threads,
                                               const std::function<void()>& check);

}  // namespace treewright::histogram
