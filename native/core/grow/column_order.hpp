// Rows in order of a column: a radix sort whose passes several threads can share.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/grow/columns.hpp"
#include "core/parallel/row_shares.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright {

inline constexpr std::size_t radix_bits = 11;
inline constexpr std::size_t radix_size = std::size_t{1} << radix_bits;

// No finite threshold separates minus infinity from the lowest number: they count as one value.
inline constexpr double lowest_number = std::numeric_limits<double>::lowest();

// Bits that sort as the numbers do; -0.0 and 0.0 are one value.
inline std::uint32_t sort_key(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value + 0.0f);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

inline std::uint64_t sort_key(double value) {
    value = std::max(value, lowest_number);
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return bits & (std::uint64_t{1} << 63) ? ~bits : bits | (std::uint64_t{1} << 63);
}

template <class Key>
struct Keyed {
    Key key;
    std::uint32_t row;
};

// Blocks of rows of one column, each a task of its own.
class SharedColumn {
public:
    SharedColumn(std::size_t n_rows, int n_threads, const Check& check)
        : blocks(share_rows(n_rows, n_threads, least_rows_sorted)),
          n_threads_(n_threads),
          check_(check) {}

    // Calls part(block) for every block.
    template <class Part>
    void run(const Part& part) const {
        run_tasks(
            blocks.size(), n_threads_, [&](std::size_t block, int) { part(block); }, check_);
    }

    // Of a number for each block the sum of those before it; returns the sum of all.
    static std::size_t add_up(std::vector<std::size_t>& of_block) {
        std::size_t sum = 0;
        for (auto& n : of_block) n = std::exchange(sum, sum + n);
        return sum;
    }

    const RowShares blocks;

private:
    static constexpr std::size_t least_rows_sorted = 16384;
    const int n_threads_;
    const Check& check_;
};

// Where the items of each block go that share a digit: after those of smaller digits, and after
// those of earlier blocks. False if all items share one digit.
inline bool start_digits(std::vector<std::array<std::uint32_t, radix_size>>& start,
                         std::size_t n_items) {
    std::uint32_t sum = 0;
    for (std::size_t digit = 0; digit < radix_size; ++digit) {
        const std::uint32_t before = sum;
        for (auto& of_block : start) {
            of_block[digit] = std::exchange(sum, sum + of_block[digit]);
        }
        if (sum - before == n_items) return false;
    }
    return true;
}

// Room for one column, to be used for one after the other.
template <class Key>
struct SortRoom {
    explicit SortRoom(const Folder& folder)
        : items(vector_in<Keyed<Key>>(folder)), other(vector_in<Keyed<Key>>(folder)) {}
    LargeVector<Keyed<Key>> items, other;
};

// Stable sort of the items by key. Digits that all keys share cost nothing.
template <class Key>
void radix_sort(SortRoom<Key>& room, int n_threads, const Check& check) {
    auto& [items, other] = room;
    const auto by_key = [](const Keyed<Key>& a, const Keyed<Key>& b) { return a.key < b.key; };
    if (items.size() < 512 || !takes(ShortCut::radix_sort)) {
        std::ranges::stable_sort(items, by_key);
        return;
    }
    const SharedColumn shared(items.size(), n_threads, check);
    const auto& blocks = shared.blocks;
    other.resize(items.size());
    std::vector<std::array<std::uint32_t, radix_size>> start(blocks.size());
    for (std::size_t shift = 0; shift < 8 * sizeof(Key); shift += radix_bits) {
        const auto digit = [shift](const Keyed<Key>& item) {
            return static_cast<std::size_t>(item.key >> shift) & (radix_size - 1);
        };
        shared.run([&](std::size_t block) {
            start[block].fill(0);
            for (std::size_t i = blocks.begin(block); i < blocks.end(block); ++i) {
                ++start[block][digit(items[i])];
            }
        });
        if (!start_digits(start, items.size())) continue;
        shared.run([&](std::size_t block) {
            for (std::size_t i = blocks.begin(block); i < blocks.end(block); ++i) {
                other[start[block][digit(items[i])]++] = items[i];
            }
        });
        items.swap(other);
    }
}

// How the values of a column are read as keys to sort by.
template <class Number, class KeyType>
struct NumberKeys {
    using Key = KeyType;
    const ColumnView& view;
    Number value(std::size_t row) const { return *reinterpret_cast<const Number*>(view.at(row)); }
    bool is_missing(std::size_t row) const { return std::isnan(value(row)); }
    Key key(std::size_t row) const { return sort_key(value(row)); }
};

struct LevelKeys {
    using Key = std::uint32_t;
    const ColumnView& view;
    bool is_missing(std::size_t row) const { return view.code(row) < 0; }
    Key key(std::size_t row) const { return static_cast<Key>(view.code(row)); }
};

// Rows with equal keys get the same rank, and missing ones come last.
template <class Keys>
LargeVector<Element<std::uint32_t>> sort_rows(const Keys& keys, std::size_t n_rows, int n_threads,
                                              const Check& check,
                                              SortRoom<typename Keys::Key>& room) {
    const SharedColumn shared(n_rows, n_threads, check);
    const auto& blocks = shared.blocks;
    std::vector<std::size_t> first(blocks.size(), 0);
    shared.run([&](std::size_t block) {
        for (std::size_t row = blocks.begin(block); row < blocks.end(block); ++row) {
            first[block] += !keys.is_missing(row);
        }
    });
    const std::size_t n_known = SharedColumn::add_up(first);
    auto& items = room.items;
    items.resize(n_known);
    LargeVector<Element<std::uint32_t>> sorted(n_rows, items.get_allocator());
    shared.run([&](std::size_t block) {
        std::size_t known = first[block];
        std::size_t missing = n_known + blocks.begin(block) - known;
        for (std::size_t at = blocks.begin(block); at < blocks.end(block); ++at) {
            const auto row = static_cast<std::uint32_t>(at);
            if (keys.is_missing(row)) {
                sorted[missing++] = {row, missing_rank<std::uint32_t>};
            } else {
                items[known++] = {keys.key(row), row};
            }
        }
    });
    radix_sort(room, n_threads, check);

    const SharedColumn known(n_known, n_threads, check);
    std::vector<std::size_t> rank(known.blocks.size(), 0);
    const auto is_new = [&](std::size_t i) { return i > 0 && items[i].key != items[i - 1].key; };
    if (rank.size() > 1) {
        known.run([&](std::size_t block) {
            for (std::size_t i = known.blocks.begin(block); i < known.blocks.end(block); ++i) {
                rank[block] += is_new(i);
            }
        });
        SharedColumn::add_up(rank);
    }
    known.run([&](std::size_t block) {
        auto at = static_cast<std::uint32_t>(rank[block]);
        for (std::size_t i = known.blocks.begin(block); i < known.blocks.end(block); ++i) {
            at += is_new(i);
            sorted[i] = {items[i].row, at};
        }
    });
    return sorted;
}

}  // namespace treewright
