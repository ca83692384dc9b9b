#include "core/histogram/packed/row_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace treewright::histogram {
namespace {

std::vector<std::uint32_t> bins_of_codes(const BinnedColumn& column) {
    std::vector<std::uint32_t> bins;
    for (std::size_t bin = 0; bin < column.levels.size(); ++bin) {
        const auto code = static_cast<std::size_t>(column.levels[bin]);
        if (code >= bins.size()) bins.resize(code + 1, missing_wide);
        bins[code] = static_cast<std::uint32_t>(bin);
    }
    return bins;
}

template <class R, class T>
void copy_numbers(const R& rows, std::size_t column, std::size_t first, std::size_t n, T* out) {
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = static_cast<T>(rows.number_at(rows.place(first + i), column));
    }
}

template <class R>
inline constexpr bool holds_floats =
    std::is_same_v<R, RowMajor<float>> || std::is_same_v<R, Matrix<float>>;

}  // namespace

RowBlocks::RowBlocks(std::span<const BinnedColumn> columns)
    : columns_(columns), place_(columns.size(), -1) {}

RowBlocks::UsedColumn& RowBlocks::used(std::size_t column) {
    if (place_[column] < 0) {
        place_[column] = static_cast<std::int32_t>(used_.size());
        UsedColumn& fresh = used_.emplace_back();
        fresh.column = column;
        if (columns_[column].nominal) {
            fresh.bin_of_code =
                std::make_shared<const std::vector<std::uint32_t>>(bins_of_codes(columns_[column]));
        } else {
            fresh.short_guide = std::make_shared<const BinGuide<float>>(columns_[column].cuts);
            fresh.guide = std::make_shared<const BinGuide<double>>(columns_[column].cuts);
        }
    }
    return used_[static_cast<std::size_t>(place_[column])];
}

std::uint32_t RowBlocks::use(std::size_t column, bool missing_below) {
    UsedColumn& entry = used(column);
    std::uint32_t& stream = missing_below ? entry.below : entry.above;
    if (stream == no_stream) stream = n_streams_++;
    return stream;
}

std::uint32_t RowBlocks::use_wide(std::size_t column) {
    UsedColumn& entry = used(column);
    if (entry.wide == no_stream) entry.wide = n_wide_++;
    return entry.wide;
}

RowBlock RowBlocks::make_block(std::size_t n_rows) const {
    RowBlock block;
    block.stride = (n_rows + 63) / 64 * 64;
    block.bytes.resize(n_streams_ * block.stride);
    block.has_missing.resize(n_streams_);
    block.wide.resize(n_wide_ * block.stride);
    block.numbers.resize(block.stride);
    block.short_numbers.resize(block.stride);
    block.bins.resize(block.stride);
    return block;
}

void RowBlocks::fill(const BlockSource& source, std::size_t first, std::size_t n_rows,
                     RowBlock& block) const {
    block.n_rows = n_rows;
    if (const auto* table = std::get_if<const BinnedTable*>(&source)) {
        fill_from_table(**table, first, block);
        return;
    }
    std::visit([&](const auto& rows) { fill_from(rows, first, block); }, std::get<Rows>(source));
}

template <class R>
void RowBlocks::fill_from(const R& rows, std::size_t first, RowBlock& block) const {
    const std::size_t n = block.n_rows;
    for (const UsedColumn& used : used_) {
        if constexpr (holds_floats<R>) {
            copy_numbers(rows, used.column, first, n, block.short_numbers.data());
            (*used.short_guide)({block.short_numbers.data(), n}, block.bins.data());
        } else if constexpr (!std::is_same_v<R, Columns>) {
            copy_numbers(rows, used.column, first, n, block.numbers.data());
            (*used.guide)({block.numbers.data(), n}, block.bins.data());
        } else if (columns_[used.column].nominal) {
            fill_nominal(rows, used, first, block);
            if (used.wide != no_stream) continue;
        } else if (rows.columns[used.column].type == ElementType::float32) {
            copy_numbers(rows, used.column, first, n, block.short_numbers.data());
            (*used.short_guide)({block.short_numbers.data(), n}, block.bins.data());
        } else {
            if (rows.columns[used.column].type == ElementType::int32) {
                for (std::size_t i = 0; i < n; ++i) {
                    const std::int32_t code = rows.code(first + i, used.column);
                    block.numbers[i] = code < 0 ? std::numeric_limits<double>::quiet_NaN() : code;
                }
            } else {
                copy_numbers(rows, used.column, first, n, block.numbers.data());
            }
            (*used.guide)({block.numbers.data(), n}, block.bins.data());
        }
        fill_streams(used, block.bins.data(), block);
    }
}

void RowBlocks::fill_nominal(const Columns& rows, const UsedColumn& used, std::size_t first,
                             RowBlock& block) const {
    const std::vector<std::uint32_t>& bin_of_code = *used.bin_of_code;
    for (std::size_t i = 0; i < block.n_rows; ++i) {
        const auto code = static_cast<std::size_t>(rows.code(first + i, used.column));
        const std::uint32_t bin = code < bin_of_code.size() ? bin_of_code[code] : missing_wide;
        if (used.wide != no_stream) {
            block.wide[used.wide * block.stride + i] = bin;
        } else {
            block.bins[i] = static_cast<std::uint8_t>(std::min<std::uint32_t>(bin, missing_bin));
        }
    }
}

void RowBlocks::fill_from_table(const BinnedTable& table, std::size_t first,
                                RowBlock& block) const {
    for (const UsedColumn& used : used_) {
        if (used.wide == no_stream) {
            fill_streams(used, table.column(used.column) + first, block);
        } else {
            std::copy_n(table.wide[used.column].begin() + static_cast<std::ptrdiff_t>(first),
                        block.n_rows,
                        block.wide.begin() + static_cast<std::ptrdiff_t>(used.wide * block.stride));
        }
    }
}

void RowBlocks::fill_streams(const UsedColumn& used, const std::uint8_t* bins,
                             RowBlock& block) const {
    const std::size_t n_rows = block.n_rows;  // a copy: bytes written might alias it
    if (used.above != no_stream) {
        std::copy_n(bins, n_rows, block.stream(used.above));
        std::uint8_t highest = 0;
        for (std::size_t i = 0; i < n_rows; ++i) highest = std::max(highest, bins[i]);
        block.has_missing[used.above] = highest == missing_bin;
    }
    if (used.below == no_stream) return;
    std::uint8_t* const out = block.stream(used.below);
    for (std::size_t i = 0; i < n_rows; ++i) out[i] = bins[i] == missing_bin ? 0 : bins[i];
}

}  // namespace treewright::histogram
