// The rows of a tree, or of one subtree, and what the search stores about them.
//
// A node is a range [begin, end) of `rows` and of every sorted column alike:
//
//     rows          | node A          | node B     | ...
//     column 0      | A, by value     | B, by value| ...     missing values come last
//
// Splitting partitions each range stably, so nothing is ever sorted again.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/grow/columns.hpp"
#include "core/grow/search/criterion.hpp"

namespace treewright {

// Counted columns side by side: see class_tables.hpp.
struct CodeBlocks {
    std::size_t n_columns = 0, n_lines = 0;
    std::vector<LargeVector<std::uint64_t>> words;          // by row: the codes of a block
    std::vector<std::array<std::uint32_t, 8>> first_lines;  // of the block's columns
};

template <class Index>
struct Workspace {
    explicit Workspace(const Folder& given = {})
        : folder(given),
          rows(vector_in<Index>(folder)),
          origin(vector_in<std::uint32_t>(folder)),
          new_row(vector_in<std::uint32_t>(folder)) {}

    Folder folder;  // of what is as large as its columns
    LargeVector<Index> rows;
    std::vector<WorkColumn<Index>> columns;
    LargeVector<std::uint32_t> origin;  // the training row of each row
    Targets targets;
    std::vector<std::vector<std::uint64_t>> bundles;  // by row: see bit_bundles.hpp
    CodeBlocks blocks;
    bool has_bins = false;               // among its columns
    LargeVector<std::uint32_t> new_row;  // scratch of extract()
};

inline constexpr std::uint32_t not_a_member = UINT32_MAX;

// Bytes of a column renumbered to the codes that still occur.
template <class To, class From>
void extract_counted(const WorkColumn<From>& from, std::span<const From> members,
                     WorkColumn<To>& to) {
    std::array<std::uint8_t, 256> present{};
    for (const auto row : members) present[from.codes[row]] = 1;
    std::array<std::uint8_t, 256> renumbered;
    renumbered[missing_code] = missing_code;
    std::uint8_t next = 0;
    for (std::size_t code = 0; code < from.n_codes(); ++code) {
        if (!present[code]) continue;
        renumbered[code] = next++;
        if (from.values.empty()) {
            to.levels.push_back(from.levels[code]);
        } else {
            to.values.push_back(from.values[code]);
        }
    }
    to.counted = true;
    to.codes.resize(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        to.codes[i] = renumbered[from.codes[members[i]]];
    }
}

template <class To, class From>
void extract_sorted(std::span<const Element<From>> from, std::span<const std::uint32_t> new_row,
                    std::size_t n_members, WorkColumn<To>& to) {
    to.sorted.resize(n_members);
    std::size_t n = 0;
    To rank = 0;
    From last = 0;
    for (const auto& element : from) {
        const auto row = new_row[element.row];
        if (row == not_a_member) continue;
        if (element.rank == missing_rank<From>) {
            to.sorted[n++] = {static_cast<To>(row), missing_rank<To>};
            continue;
        }
        if (n > 0 && element.rank != last) ++rank;
        last = element.rank;
        to.sorted[n++] = {static_cast<To>(row), rank};
    }
}

template <class Index>
bool is_constant(const WorkColumn<Index>& column) {
    if (column.binned) return false;  // values may differ within a bin
    if (column.counted) {
        return column.n_codes() <= 1 &&
               (column.n_codes() == 0 ||
                std::ranges::find(column.codes, missing_code) == column.codes.end());
    }
    return column.sorted.front().rank == column.sorted.back().rank;
}

// An element of another workspace or of a table, by its row here.
template <class To>
Element<To> renamed(const Element<std::uint32_t>& element, std::size_t row) {
    const bool is_missing = element.rank == missing_rank<std::uint32_t>;
    return {static_cast<To>(row), is_missing ? missing_rank<To> : static_cast<To>(element.rank)};
}

// The rows of columns of bins in order, which was not known before.
template <class From>
std::vector<LargeVector<Element<std::uint32_t>>> sort_bins(
    const Workspace<From>& from, std::span<const std::uint32_t> active,
    std::span<const std::uint32_t> origin, const Check& check) {
    std::vector<ColumnView> views;
    for (const auto place : active) {
        if (from.columns[place].binned) views.push_back(*from.columns[place].binned);
    }
    return sort_some(views, origin, check);
}

// A workspace of its own for some rows of the range [begin, end) of another one. `share`, if any,
// multiplies the weight of each member. Columns that have become constant are left out. Bins stay
// bins only if `keeps_bins`; otherwise the rows are sorted.
template <class To, class From>
std::shared_ptr<Workspace<To>> extract(Workspace<From>& from, std::size_t begin, std::size_t end,
                                       std::span<const From> members, std::span<const double> share,
                                       std::span<const std::uint32_t> active,
                                       bool keeps_bins = false,
                                       const Check& check = never_stop) {
    auto to = std::make_shared<Workspace<To>>(from.folder);
    const std::size_t n = members.size();
    to->rows.resize(n);
    to->origin.resize(n);
    if (n < end - begin) {
        for (std::size_t i = begin; i < end; ++i) from.new_row[from.rows[i]] = not_a_member;
    }
    for (std::size_t i = 0; i < n; ++i) {
        from.new_row[members[i]] = static_cast<std::uint32_t>(i);
        to->rows[i] = static_cast<To>(i);
        to->origin[i] = from.origin[members[i]];
    }

    const auto gather = [&](const auto& source, auto& target) {
        if (source.empty()) return;
        target.resize(n);
        for (std::size_t i = 0; i < n; ++i) target[i] = source[members[i]];
    };
    to->targets.n_classes = from.targets.n_classes;
    gather(from.targets.classes, to->targets.classes);
    gather(from.targets.y, to->targets.y);
    gather(from.targets.weight, to->targets.weight);
    gather(from.targets.score_weight, to->targets.score_weight);
    if (!share.empty()) {
        if (to->targets.weight.empty()) to->targets.weight.assign(n, 1.0);
        for (std::size_t i = 0; i < n; ++i) to->targets.weight[i] *= share[i];
        for (std::size_t i = 0; i < to->targets.score_weight.size(); ++i) {
            to->targets.score_weight[i] *= share[i];
        }
    }

    if (to->targets.counts_rows()) {
        to->bundles.resize(from.bundles.size());
        for (std::size_t b = 0; b < from.bundles.size(); ++b) {
            gather(from.bundles[b], to->bundles[b]);
        }
    }
    std::vector<LargeVector<Element<std::uint32_t>>> sorted;
    if (from.has_bins && !keeps_bins) sorted = sort_bins(from, active, to->origin, check);
    std::size_t n_sorted = 0;
    for (const auto place : active) {
        const auto& column = from.columns[place];
        WorkColumn<To> extracted;
        extracted.sorted = vector_in<Element<To>>(to->folder);
        extracted.codes = vector_in<std::uint8_t>(to->folder);
        extracted.column = column.column;
        extracted.bundle = column.bundle;
        extracted.bit = column.bit;
        extracted.bit_code = column.bit_code;
        if (column.binned && !keeps_bins) {
            extracted.sorted.reserve(n);
            for (const auto& element : sorted[n_sorted++]) {
                extracted.sorted.push_back(renamed<To>(element, element.row));
            }
        } else if (column.counted) {
            extract_counted<To, From>(column, members, extracted);
            extracted.binned = column.binned;
            to->has_bins |= column.binned != nullptr;
        } else {
            const std::span range(column.sorted.data() + begin, end - begin);
            extract_sorted<To, From>(range, from.new_row, n, extracted);
        }
        if (!is_constant(extracted)) {
            to->columns.push_back(std::move(extracted));
        }
    }
    to->new_row.resize(n);
    return to;
}

// Moves the items of each child together, in order of the children and stably within a child.
// child_of(item) may be n_children for items that go nowhere: they end up last. `ends[c]` is where
// child c ends. What child_of reads is prefetched: in tables beyond the cache, that is seven times as
// fast.
template <class Item, class Scratch, class ChildOf, class Prefetch>
void partition(std::span<Item> items, std::size_t n_children, std::span<const std::size_t> ends,
               Scratch& scratch, const ChildOf& child_of, const Prefetch& prefetch) {
    constexpr std::size_t items_ahead = 32;
    if (items.empty()) return;
    const std::size_t last = items.size() - 1;
    scratch.resize(items.size());
    if (n_children == 2 && ends[1] == items.size()) {
        // Two ways: the left stay in place, the right pass through the scratch. No branch to guess.
        std::size_t n_left = 0, n_right = 0;
        for (std::size_t i = 0; i <= last; ++i) {
            prefetch(items[std::min(i + items_ahead, last)]);
            const Item item = items[i];
            const std::size_t goes_right = child_of(item);
            items[n_left] = item;
            scratch[n_right] = item;
            n_left += 1 - goes_right;
            n_right += goes_right;
        }
        std::copy_n(scratch.begin(), n_right, items.begin() + static_cast<std::ptrdiff_t>(n_left));
        return;
    }
    std::vector<std::size_t> next(n_children + 1, 0);
    for (std::size_t c = 0; c < n_children; ++c) next[c + 1] = ends[c];
    for (std::size_t i = 0; i <= last; ++i) {
        prefetch(items[std::min(i + items_ahead, last)]);
        scratch[next[child_of(items[i])]++] = items[i];
    }
    std::ranges::copy(scratch, items.begin());
}

}  // namespace treewright
