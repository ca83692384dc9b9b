// The rows of a node, summed by bin.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/binned_table.hpp"
#include "core/histogram/forest/forest_targets.hpp"
#include "core/histogram/row_order.hpp"
#include "core/short_cuts.hpp"

namespace treewright::histogram {

// Bins of a node that hold rows, ascending; missing values are the last.
template <class Word>
struct FilledBins {
    struct Entry {
        std::uint32_t bin;
        Word* tally;
    };
    std::span<Entry> entries;
    bool has_missing = false;

    std::size_t size() const { return entries.size(); }
    std::size_t n_known() const { return entries.size() - has_missing; }
};

template <class Target>
class ForestCounts {
public:
    using Word = typename Target::Word;
    using Entry = typename FilledBins<Word>::Entry;

    ForestCounts(const BinnedTable& table, const Target& target)
        : table_(table),
          columns_at_once_(
              std::clamp(most_words / (n_slots * target.width()), std::size_t{1}, most_columns)),
          tallies_(columns_at_once_ * n_slots * target.width(), Word{}),
          entries_(n_slots) {
        std::size_t most_levels = 0;
        for (const BinnedColumn& column : table.columns) {
            if (column.is_wide()) most_levels = std::max(most_levels, as_index(column.n_bins));
        }
        if (most_levels == 0) return;
        wide_.resize((most_levels + 1) * target.width(), Word{});
        entries_.resize(most_levels + 1);
    }

    std::size_t columns_at_once() const { return columns_at_once_; }

    // Counts up to columns_at_once() columns, none of them wide, then hands over the bins of each:
    // each(i, bins).
    template <class Each>
    void count(const Target& target, std::span<const ForestRow> rows,
               std::span<const std::uint32_t> columns, Each each) {
        const bool few = rows.size() <= few_rows && takes(ShortCut::few_rows_listed);
        if (few) {
            gather(target, rows, columns);
        } else {
            count_all(target, rows, columns);
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (few) {
                count_few(target, rows.size(), i);
            } else {
                list_bins(target, i);
            }
            bins_.has_missing = bins_.entries.back().bin == missing_bin;
            each(i, bins_);
            clear(target);
        }
    }

    // The same for one column of more than 255 levels.
    template <class Each>
    void count_wide(const Target& target, std::span<const ForestRow> rows, std::uint32_t column,
                    Each each) {
        const auto n_levels = static_cast<std::uint32_t>(table_.columns[column].n_bins);
        const std::uint32_t* codes = table_.wide[column].data();
        Entry* end = entries_.data();
        for (const ForestRow row : rows) {
            const std::uint32_t code = std::min(codes[number_of(row)], n_levels);
            Word* sums = wide_.data() + code * target.width();
            if (target.n_rows(sums) == 0) *end++ = {code, sums};
            target.add(sums, target.addend(row));
        }
        bins_.entries = {entries_.data(), end};
        std::ranges::sort(bins_.entries, {}, &Entry::bin);
        bins_.has_missing = bins_.entries.back().bin == n_levels;
        each(bins_);
        clear(target);
    }

private:
    // Below this most bins of a column are empty, and only those with rows are looked at.
    static constexpr std::size_t few_rows = 192;
    static constexpr std::size_t most_columns = 8;
    static constexpr std::size_t most_words = std::size_t{1} << 22;  // with thousands of classes

    void clear(const Target& target) {
        for (const Entry& entry : bins_.entries) {
            for (std::size_t w = 0; w < target.width(); ++w) entry.tally[w] = Word{};
        }
    }

    Word* tally(const Target& target, std::size_t column, std::size_t bin) {
        return tallies_.data() + (column * n_slots + bin) * target.width();
    }

    void gather(const Target& target, std::span<const ForestRow> rows,
                std::span<const std::uint32_t> columns) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            addends_[i] = target.addend(rows[i]);
            const std::uint8_t* bins = table_.row(number_of(rows[i]));
            for (std::size_t c = 0; c < columns.size(); ++c) gathered_[c][i] = bins[columns[c]];
        }
    }

    void count_few(const Target& target, std::size_t n_rows, std::size_t column) {
        std::array<std::uint64_t, 4> met{};
        Word* sums = tally(target, column, 0);
        for (std::size_t i = 0; i < n_rows; ++i) {
            const unsigned bin = gathered_[column][i];
            met[bin / 64] |= std::uint64_t{1} << (bin % 64);
            target.add(sums + bin * target.width(), addends_[i]);
        }
        Entry* end = entries_.data();
        for (unsigned part = 0; part < 4; ++part) {
            for (std::uint64_t bits = met[part]; bits != 0; bits &= bits - 1) {
                const unsigned bin = part * 64 + static_cast<unsigned>(std::countr_zero(bits));
                *end++ = {bin, sums + bin * target.width()};
            }
        }
        bins_.entries = {entries_.data(), end};
    }

    template <std::size_t Columns>
    void count_columns(const Target& target, std::span<const ForestRow> rows,
                       const std::uint32_t* columns) {
        const ForestRow* row = rows.data();
        for (const ForestRow* end = row + rows.size(); row < end; ++row) {
            __builtin_prefetch(table_.row(number_of(row[rows_ahead])));
            const std::uint8_t* bins = table_.row(number_of(*row));
            const auto addend = target.addend(*row);
            for (std::size_t c = 0; c < Columns; ++c) {
                target.add(tally(target, c, bins[columns[c]]), addend);
            }
        }
    }

    void count_all(const Target& target, std::span<const ForestRow> rows,
                   std::span<const std::uint32_t> columns) {
        using Count =
            void (ForestCounts::*)(const Target&, std::span<const ForestRow>, const std::uint32_t*);
        static constexpr auto by_number = []<std::size_t... N>(std::index_sequence<N...>) {
            return std::array<Count, sizeof...(N)>{&ForestCounts::template count_columns<N + 1>...};
        }(std::make_index_sequence<most_columns>{});
        std::array<std::uint32_t, most_columns> kept;
        std::ranges::copy(columns, kept.begin());
        (this->*by_number[columns.size() - 1])(target, rows, kept.data());
    }

    void list_bins(const Target& target, std::size_t column) {
        Entry* end = entries_.data();
        for (unsigned bin = 0; bin < n_slots; ++bin) {
            Word* sums = tally(target, column, bin);
            if (target.n_rows(sums) != 0) *end++ = {bin, sums};
        }
        bins_.entries = {entries_.data(), end};
    }

    const BinnedTable& table_;
    std::size_t columns_at_once_;
    LargeVector<Word> tallies_;
    LargeVector<Word> wide_;  // by level, then of missing values
    std::vector<Entry> entries_;
    FilledBins<Word> bins_;
    std::array<typename Target::Addend, few_rows> addends_;
    std::uint8_t gathered_[most_columns][few_rows];
};

}  // namespace treewright::histogram
