// Rows to predict, a block at a time, as the bytes that trees compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/packed/bin_guide.hpp"
#include "core/predict/rows.hpp"

namespace treewright::histogram {

// Rows as they were given, or rows that have been cut into the same bins before.
using BlockSource = std::variant<Rows, const BinnedTable*>;

inline std::size_t n_rows_of(const BlockSource& source) {
    if (const auto* table = std::get_if<const BinnedTable*>(&source)) return (*table)->n_rows;
    return std::visit([](const auto& rows) { return rows.n_rows; }, std::get<Rows>(source));
}

// The bytes of one column in one block are a stream. There are two kinds: missing values are
// above all bins, or below. So a node sends them to a side by the stream that it asks, and compares
// like any other.
struct RowBlock {
    std::size_t n_rows = 0;
    std::size_t stride = 0;           // rows there is room for: a multiple of 64
    std::vector<std::uint8_t> bytes;  // stream by stream
    std::vector<bool> has_missing;    // by stream, of those where missing is above
    std::vector<std::uint32_t> wide;  // bins of columns with more than 255 levels
    std::vector<double> numbers;      // room for one column
    std::vector<float> short_numbers;
    std::vector<std::uint8_t> bins;

    std::uint8_t* stream(std::size_t at) { return bytes.data() + at * stride; }
    const std::uint8_t* stream(std::size_t at) const { return bytes.data() + at * stride; }
};

// Columns in use, and how their values become bytes. Built once; then many threads may fill blocks.
class RowBlocks {
public:
    static constexpr std::uint32_t no_stream = UINT32_MAX;
    // Streams that a tree may fill by itself come before those of the columns.
    static constexpr std::uint32_t n_own_streams = 64;

    explicit RowBlocks(std::span<const BinnedColumn> columns);

    // The number of the stream of a column, or of its wide bins.
    std::uint32_t use(std::size_t column, bool missing_below);
    std::uint32_t use_wide(std::size_t column);

    RowBlock make_block(std::size_t n_rows) const;
    void fill(const BlockSource& source, std::size_t first, std::size_t n_rows,
              RowBlock& block) const;

private:
    struct UsedColumn {
        std::size_t column = 0;
        std::uint32_t above = no_stream, below = no_stream, wide = no_stream;
        // Copies share these:
        std::shared_ptr<const BinGuide<float>> short_guide;
        std::shared_ptr<const BinGuide<double>> guide;
        std::shared_ptr<const std::vector<std::uint32_t>> bin_of_code;  // nominal
    };

    UsedColumn& used(std::size_t column);
    template <class R>
    void fill_from(const R& rows, std::size_t first, RowBlock& block) const;
    void fill_from_table(const BinnedTable& table, std::size_t first, RowBlock& block) const;
    void fill_nominal(const Columns& rows, const UsedColumn& used, std::size_t first,
                      RowBlock& block) const;
    void fill_streams(const UsedColumn& used, const std::uint8_t* bins, RowBlock& block) const;

    std::span<const BinnedColumn> columns_;
    std::vector<std::int32_t> place_;  // among the used ones; -1 for others
    std::vector<UsedColumn> used_;
    std::uint32_t n_streams_ = n_own_streams;
    std::uint32_t n_wide_ = 0;
};

}  // namespace treewright::histogram
