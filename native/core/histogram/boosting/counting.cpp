#include "core/histogram/boosting/counting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "core/histogram/row_order.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t rows_of_tile = 2'048;  // whose bins stay in the cache for all columns

std::uint64_t word_at(const std::uint8_t* bytes) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
}

// The bins of a row, eight to a word.
template <std::size_t Columns>
struct RowBins {
    static constexpr std::size_t n_words = (Columns + 7) / 8;
    std::uint64_t words[n_words];

    explicit RowBins(const std::uint8_t* bins) {
        for (std::size_t i = 0; i < n_words; ++i) {
            words[i] = word_at(bins + 8 * i);
            asm volatile("" : "+r"(words[i]));  // read now, not where it is used
        }
    }
    std::size_t operator[](std::size_t column) const {
        return words[column / 8] >> (column % 8 * 8) & 0xFF;
    }
};

// The bins of a row are read while those of the row before it are counted: that saves a fifth.
template <std::size_t Columns, class Add>
void for_all_bins(const std::uint8_t* bins, std::size_t stride, std::span<const Traveler> rows,
                  const Add& add) {
    const Traveler* row = rows.data();
    const Traveler* const last = row + rows.size() - 1;
    RowBins<Columns> bins_of_row(bins + row_of(*row) * stride);
    for (; row < last; ++row) {
        __builtin_prefetch(bins + row_of(*std::min(row + rows_ahead, last)) * stride);
        const RowBins<Columns> bins_of_next(bins + row_of(row[1]) * stride);
        add(sum_of(*row), bins_of_row);
        bins_of_row = bins_of_next;
    }
    add(sum_of(*row), bins_of_row);
}

template <std::size_t Columns>
void add_all(const std::uint8_t* bins, std::size_t stride, std::span<const Traveler> rows,
             Sum* __restrict sums, std::uint32_t* __restrict n_rows) {
    if (n_rows == nullptr) {
        for_all_bins<Columns>(bins, stride, rows, [&](Sum sum, const RowBins<Columns>& own) {
            for (std::size_t c = 0; c < Columns; ++c) sums[c * n_slots + own[c]] += sum;
        });
        return;
    }
    for_all_bins<Columns>(bins, stride, rows, [&](Sum sum, const RowBins<Columns>& own) {
        for (std::size_t c = 0; c < Columns; ++c) {
            sums[c * n_slots + own[c]] += sum;
            ++n_rows[c * n_slots + own[c]];
        }
    });
}

using Adder = void (*)(const std::uint8_t*, std::size_t, std::span<const Traveler>, Sum*,
                       std::uint32_t*);

template <std::size_t... Columns>
constexpr auto adders(std::index_sequence<Columns...>) {
    return std::array<Adder, sizeof...(Columns)>{add_all<Columns + 1>...};
}

}  // namespace

void add_rows(const BinnedTable& table, std::size_t first_column, std::size_t n_columns,
              std::span<const Traveler> rows, Sum* sums) {
    add_rows(table, first_column, n_columns, rows, sums, nullptr);
}

void add_rows(const BinnedTable& table, std::size_t first_column, std::size_t n_columns,
              std::span<const Traveler> rows, Sum* sums, std::uint32_t* n_rows) {
    static constexpr auto by_width = adders(std::make_index_sequence<columns_at_once>{});
    const std::size_t width = n_rows == nullptr ? columns_at_once : columns_at_once / 2;
    const std::uint8_t* const bins = table.by_row.data() + first_column;
    for (std::size_t begin = 0; begin < rows.size(); begin += rows_of_tile) {
        const auto tile = rows.subspan(begin, std::min(rows_of_tile, rows.size() - begin));
        for (std::size_t c = 0; c < n_columns; c += width) {
            by_width[std::min(width, n_columns - c) - 1](
                bins + c, table.stride, tile, sums + c * n_slots,
                n_rows == nullptr ? nullptr : n_rows + c * n_slots);
        }
    }
}

WideSums add_wide_rows(std::span<const std::uint32_t> codes, std::size_t n_levels,
                       std::span<const Traveler> rows, WideScratch& scratch) {
    scratch.sum.resize(std::max(scratch.sum.size(), n_levels), 0);
    scratch.n_rows.resize(scratch.sum.size(), 0);
    WideSums sums;
    for (const Traveler row : rows) {
        const std::uint32_t code = codes[row_of(row)];
        if (code == missing_wide) {
            sums.missing += sum_of(row);
            ++sums.n_missing;
            continue;
        }
        if (scratch.n_rows[code] == 0) sums.level.push_back(code);
        scratch.sum[code] += sum_of(row);
        ++scratch.n_rows[code];
    }
    std::ranges::sort(sums.level);
    for (const std::uint32_t level : sums.level) {
        sums.sum.push_back(std::exchange(scratch.sum[level], 0));
        sums.n_rows.push_back(std::exchange(scratch.n_rows[level], 0));
    }
    return sums;
}

}  // namespace treewright::histogram
