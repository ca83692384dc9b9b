// A table as bytes: what the histogram growers read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/grow/columns.hpp"
#include "core/histogram/cut_search.hpp"
#include "core/large_vector.hpp"

namespace treewright::histogram {

// A column has at most 255 bins; the last byte means that the value is missing. Nominal columns of
// more levels are wide: their bins are the codes themselves, stored apart, and their bytes say
// nothing.
inline constexpr int max_bins = 255;
inline constexpr int n_slots = 256;
inline constexpr std::uint8_t missing_bin = 255;
inline constexpr std::uint32_t missing_wide = UINT32_MAX;

// How a column became bytes.
struct BinnedColumn {
    bool coded = false;  // given as codes of levels: nominal, or ordered
    bool nominal = false;
    bool has_missing = false;
    int n_bins = 0;                    // without that of missing values
    std::vector<double> cuts;          // numbers: bin b holds values <= cuts[b], the last the rest
    std::vector<std::int32_t> levels;  // levels: the code of each bin

    bool is_wide() const { return nominal && n_bins > max_bins; }  // too many levels for a byte
};

// Whether the same value has the same bin in both.
inline bool same_bins(const BinnedColumn& a, const BinnedColumn& b) {
    return a.coded == b.coded && a.nominal == b.nominal && a.n_bins == b.n_bins &&
           a.cuts == b.cuts && a.levels == b.levels;
}

// Bytes that it owns, or bytes of a file that is mapped into memory, which the caller keeps.
class TableBytes {
public:
    TableBytes() = default;
    explicit TableBytes(std::size_t n) : own_(n), bytes_(own_) {}
    explicit TableBytes(std::span<std::uint8_t> others) : bytes_(others) {}
    TableBytes(TableBytes&&) = default;  // what a vector holds stays where it is
    TableBytes& operator=(TableBytes&&) = default;

    std::uint8_t* data() { return bytes_.data(); }
    const std::uint8_t* data() const { return bytes_.data(); }
    std::size_t size() const { return bytes_.size(); }

private:
    LargeVector<std::uint8_t> own_;
    std::span<std::uint8_t> bytes_;
};

// Bytes twice over: row by row for counting all columns of a row, column by column for sending
// rows left and right by one of them.
struct BinnedTable {
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    std::size_t stride = 0;  // of a row
    std::vector<BinnedColumn> columns;
    TableBytes by_row;
    TableBytes by_column;
    std::vector<LargeVector<std::uint32_t>> wide;  // by column: codes by row; empty unless wide

    const std::uint8_t* row(std::size_t at) const { return by_row.data() + at * stride; }
    const std::uint8_t* column(std::size_t at) const { return by_column.data() + at * n_rows; }
    std::size_t n_bytes() const;
};

// How columns become bytes. Numbers become bins of about equal weight, one for each value where at
// most `n_bins` are different, and so do ordered levels beyond 255; other levels become their own
// bins. Rows of weight 0 are ignored; `weight` may be empty. `check` may throw to cancel.
std::vector<BinnedColumn> plan_columns(std::span<const ColumnView> views, std::size_t n_rows,
                                       std::span<const double> weight, int n_bins, int n_threads,
                                       const std::function<void()>& check);

// The same for rows that come in blocks. Numbers are sampled in rows of the same types.
class ColumnPlan {
public:
    // `views` are columns of `n_sampled` rows, with the levels of all.
    ColumnPlan(std::span<const ColumnView> views, std::size_t n_sampled, CutSearch::Size size,
               const std::function<void()>& check);

    void read(std::span<const ColumnView> views, std::size_t n_rows, const RowWeights& weights,
              const std::function<void()>& check);
    // As in CutSearch: what this plan read, for another one.
    std::vector<Collection> take_out() { return search_.take_out(); }
    void add(std::vector<Collection> others) { search_.add(std::move(others)); }
    std::vector<CutSearch::Asked> asked() const { return search_.asked(); }
    void ask(std::vector<CutSearch::Asked> all) { search_.ask(std::move(all)); }
    bool end_pass(const std::function<void()>& check);  // whether the plan is complete
    const std::vector<BinnedColumn>& columns() const { return columns_; }

private:
    std::vector<std::size_t> cut_;  // the columns that are cut
    std::vector<BinnedColumn> columns_;
    CutSearch search_;
};

// How many bytes a table takes by row, and by column.
std::array<std::size_t, 2> bytes_of_table(std::size_t n_rows, std::size_t n_columns);

// A table without rows yet, whose bytes are here: of its own, or of as many as above.
BinnedTable start_table(std::size_t n_rows, std::vector<BinnedColumn> columns, TableBytes by_row,
                        TableBytes by_column);

// Puts a block into rows `first` and after. Blocks may come in any order.
void bin_rows(std::span<const ColumnView> views, std::size_t n_rows, BinnedTable& table,
              std::size_t first, int n_threads, const std::function<void()>& check);

// A number that depends on every cell and the number of its row, where row 0 has number `first_row`.
// Those of parts of a table add up, modulo 2^64, to that of all.
std::uint64_t digest_of_cells(const BinnedTable& table, std::size_t first_row,
                              const std::function<void()>& check);

// After the last block: which columns have missing values.
void finish_table(BinnedTable& table, int n_threads);

// The bytes, by a plan that may be that of another table with the same kinds of columns.
BinnedTable bin_table(std::span<const ColumnView> views, std::size_t n_rows,
                      std::vector<BinnedColumn> columns, int n_threads,
                      const std::function<void()>& check);

}  // namespace treewright::histogram
