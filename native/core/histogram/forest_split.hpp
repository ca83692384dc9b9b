// The best split of a node of a forest's tree, by columns drawn at random.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/histogram/binned_table.hpp"
#include "core/histogram/packed_trees.hpp"
#include "core/histogram/random.hpp"
#include "core/histogram/row_order.hpp"

namespace treewright::histogram {

struct ForestSplit {
    double strength = 0;  // sum of squares over weight, of both children
    int column = -1;
    bool missing_left = false;
    std::uint8_t last_left = 0;  // numbers
    std::vector<std::uint64_t> goes_left, met;  // levels: bits by bin
    bool found() const { return column >= 0; }
};

// Counts the rows of a node by bin and looks for the best cut, column by column.
template <class Target>
class ForestSplitSearch {
public:
    using Word = typename Target::Word;

    ForestSplitSearch(const BinnedTable& table, const Target& target, double min_samples_leaf,
                      bool random_cuts)
        : table_(table),
          target_(target),
          min_rows_(static_cast<std::uint32_t>(min_samples_leaf)),
          random_cuts_(random_cuts),
          tallies_(columns_at_once * n_slots * target.width()),
          counts_(columns_at_once * n_slots),
          left_(target.width()),
          right_(target.width()) {}

    static constexpr std::size_t columns_at_once = 8;

    // Looks at up to columns_at_once columns; returns how many of them have more than one value.
    int search(std::span<const Traveller> rows, const Word* node, std::span<const std::uint32_t> columns,
               Random& random, ForestSplit& best) {
        node_ = node;
        n_rows_ = static_cast<std::uint32_t>(rows.size());
        if (rows.size() <= few_rows) {
            gather(rows, columns);
        } else {
            count_all(rows, columns);
        }
        int n_useful = 0;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (rows.size() <= few_rows) {
                count_few(rows, i);
            } else {
                list_bins(i);
            }
            n_useful += n_entries_ > 1;
            choose(static_cast<int>(columns[i]), random, best);
            clear(i);
        }
        return n_useful;
    }

private:
    // Below this most bins of a column are empty, and only those with rows are looked at.
    static constexpr std::size_t few_rows = 192;

    std::size_t width() const { return target_.width(); }

    Word* tally(std::size_t column, std::size_t bin) {
        return tallies_.data() + (column * n_slots + bin) * width();
    }

    void gather(std::span<const Traveller> rows, std::span<const std::uint32_t> columns) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint8_t* bins = table_.row(row_of(rows[i]));
            for (std::size_t c = 0; c < columns.size(); ++c) bins_[c][i] = bins[columns[c]];
        }
    }

    void count_few(std::span<const Traveller> rows, std::size_t column) {
        std::array<std::uint64_t, 4> met{};
        std::uint32_t* counts = counts_.data() + column * n_slots;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const unsigned bin = bins_[column][i];
            met[bin / 64] |= std::uint64_t{1} << (bin % 64);
            target_.add(tally(column, bin), rows[i]);
            ++counts[bin];
        }
        n_entries_ = 0;
        for (unsigned part = 0; part < 4; ++part) {
            for (std::uint64_t bits = met[part]; bits != 0; bits &= bits - 1) {
                add_entry(column, part * 64 + static_cast<unsigned>(std::countr_zero(bits)));
            }
        }
    }

    template <std::size_t Columns>
    void count_columns(std::span<const Traveller> rows, const std::uint32_t* columns) {
        const Traveller* row = rows.data();
        for (const Traveller* end = row + rows.size(); row < end; ++row) {
            __builtin_prefetch(table_.row(row_of(row[rows_ahead])));
            const std::uint8_t* bins = table_.row(row_of(*row));
            for (std::size_t c = 0; c < Columns; ++c) {
                const unsigned bin = bins[columns[c]];
                target_.add(tally(c, bin), *row);
                ++counts_[c * n_slots + bin];
            }
        }
    }

    void count_all(std::span<const Traveller> rows, std::span<const std::uint32_t> columns) {
        using Count = void (ForestSplitSearch::*)(std::span<const Traveller>, const std::uint32_t*);
        static constexpr auto by_number = []<std::size_t... N>(std::index_sequence<N...>) {
            return std::array<Count, sizeof...(N)>{&ForestSplitSearch::template count_columns<N + 1>...};
        }(std::make_index_sequence<columns_at_once>{});
        std::array<std::uint32_t, columns_at_once> kept;
        std::ranges::copy(columns, kept.begin());
        (this->*by_number[columns.size() - 1])(rows, kept.data());
    }

    void list_bins(std::size_t column) {
        n_entries_ = 0;
        for (unsigned bin = 0; bin < n_slots; ++bin) {
            if (counts_[column * n_slots + bin] != 0) add_entry(column, bin);
        }
    }

    void add_entry(std::size_t column, unsigned bin) {
        entries_[n_entries_++] = {static_cast<std::uint8_t>(bin), counts_[column * n_slots + bin],
                                  tally(column, bin)};
    }

    void clear(std::size_t column) {
        for (int i = 0; i < n_entries_; ++i) {
            std::fill_n(entries_[i].tally, width(), Word{});
            counts_[column * n_slots + entries_[i].bin] = 0;
        }
    }

    // Missing values are the last bin: set apart, then tried on both sides.
    void choose(int column, Random& random, ForestSplit& best) {
        if (n_entries_ < 2) return;
        const BinnedColumn& described = table_.columns[column];
        const bool has_missing = entries_[n_entries_ - 1].bin == missing_bin;
        const int n_known = n_entries_ - has_missing;
        if (described.nominal) sort_levels(n_known);
        int only = -1;
        if (random_cuts_ && n_known > 1) only = static_cast<int>(random.below(n_known - 1));
        scan(column, n_known, only, has_missing, false, best);
        if (has_missing) scan(column, n_known, only, has_missing, true, best);
    }

    void sort_levels(int n_known) {
        std::array<double, n_slots> mean;
        for (int i = 0; i < n_known; ++i) {
            mean[entries_[i].bin] = target_.mean(entries_[i].tally, node_);
        }
        std::stable_sort(entries_.begin(), entries_.begin() + n_known,
                         [&](const Entry& a, const Entry& b) { return mean[a.bin] < mean[b.bin]; });
    }

    // Compares without dividing: a / b + c / d > bar is a d + c b > bar b d.
    void scan(int column, int n_known, int only, bool has_missing, bool missing_left,
              ForestSplit& best) {
        const int n_cuts = n_known - (has_missing && !missing_left ? 0 : 1);
        std::ranges::fill(left_, Word{});
        std::uint32_t rows_left = 0;
        if (missing_left) take(entries_[n_entries_ - 1], rows_left);
        for (int i = 0; i < n_cuts; ++i) {
            take(entries_[i], rows_left);
            if (only >= 0 && i != only) continue;
            if (rows_left < min_rows_ || n_rows_ - rows_left < min_rows_) continue;
            for (std::size_t w = 0; w < width(); ++w) right_[w] = node_[w] - left_[w];
            const double a = target_.weight(left_.data()), b = target_.weight(right_.data());
            const double above =
                target_.squares(left_.data()) * b + target_.squares(right_.data()) * a;
            if (above > best.strength * (a * b)) {
                best.strength = above / (a * b);
                remember(column, i, n_known, missing_left, best);
            }
        }
    }

    struct Entry;
    void take(const Entry& entry, std::uint32_t& rows_left) {
        for (std::size_t w = 0; w < width(); ++w) left_[w] += entry.tally[w];
        rows_left += entry.n_rows;
    }

    void remember(int column, int last, int n_known, bool missing_left, ForestSplit& best) const {
        best.column = column;
        best.missing_left = missing_left;
        best.last_left = entries_[last].bin;
        if (!table_.columns[column].nominal) return;
        const std::size_t n = n_words(table_.columns[column].n_bins);
        best.goes_left.assign(n, 0);
        best.met.assign(n, 0);
        for (int i = 0; i < n_known; ++i) {
            const std::size_t bin = entries_[i].bin;
            best.goes_left[bin / 64] |= std::uint64_t{i <= last} << (bin % 64);
            best.met[bin / 64] |= std::uint64_t{1} << (bin % 64);
        }
    }

    struct Entry {
        std::uint8_t bin;
        std::uint32_t n_rows;
        Word* tally;
    };

    const BinnedTable& table_;
    Target target_;
    std::uint32_t min_rows_;
    bool random_cuts_;
    std::vector<Word> tallies_;
    std::vector<std::uint32_t> counts_;
    std::vector<Word> left_, right_;
    std::array<Entry, n_slots> entries_;
    int n_entries_ = 0;
    const Word* node_ = nullptr;
    std::uint32_t n_rows_ = 0;
    std::uint8_t bins_[columns_at_once][few_rows];
};

}  // namespace treewright::histogram
