// Rows by code and class, of all counted columns of a node at once.
//
// The codes of eight columns lie side by side in one word a row, so that one pass over the rows
// counts them all. A table has one line for each code of each column and one for missing values; a
// line holds the rows of each class. Of the two sides of a split the smaller one is counted, and
// the larger one is what that leaves of the table of the node.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/workspace.hpp"
#include "core/parallel/row_shares.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright {

using ClassTable = std::shared_ptr<const std::vector<std::uint32_t>>;

inline constexpr std::size_t least_rows_counted = 8192;  // by one task

// A line costs about as much as a cell.
template <class Index>
bool is_worth_a_table(const Workspace<Index>& workspace, std::size_t n_rows) {
    const auto& blocks = workspace.blocks;
    return blocks.n_lines > 0 &&
           blocks.n_lines * workspace.targets.n_classes <= blocks.n_columns * n_rows;
}

template <class Index>
void make_code_blocks(Workspace<Index>& workspace, int n_threads = 1,
                      const Check& check = never_stop) {
    auto& blocks = workspace.blocks;
    std::vector<WorkColumn<Index>*> columns;
    for (auto& column : workspace.columns) {
        if (!column.counted || column.bundle >= 0) continue;
        columns.push_back(&column);
        ++blocks.n_columns;
        blocks.n_lines += column.n_codes() + 1;
    }
    const std::size_t n_rows = workspace.rows.size();
    if (!is_worth_a_table(workspace, n_rows) || !takes(ShortCut::class_tables)) {
        blocks = {};
        return;
    }
    const auto unused =
        static_cast<std::uint32_t>(blocks.n_lines++);  // of blocks that are not full
    std::uint32_t line = 0;
    for (std::size_t at = 0; at < columns.size(); ++at) {
        if (at % 8 == 0) {
            blocks.words.push_back(vector_in<std::uint64_t>(workspace.folder));
            blocks.words.back().resize(n_rows, 0);
            blocks.first_lines.emplace_back().fill(unused);
        }
        blocks.first_lines.back()[at % 8] = line;
        columns[at]->first_line = static_cast<std::int32_t>(line);
        line += static_cast<std::uint32_t>(columns[at]->n_codes()) + 1;
    }
    const RowShares shares = share_rows(n_rows, n_threads, least_rows_counted);
    const auto fill = [&](std::size_t task, int) {
        const std::size_t block = task / shares.size(), share = task % shares.size();
        auto& words = blocks.words[block];
        for (std::size_t at = 8 * block; at < std::min(8 * block + 8, columns.size()); ++at) {
            for (std::size_t row = shares.begin(share); row < shares.end(share); ++row) {
                words[row] |= static_cast<std::uint64_t>(columns[at]->slot(row)) << (8 * (at % 8));
            }
        }
    };
    run_tasks(blocks.words.size() * shares.size(), n_threads, fill, check);
}

template <class Index>
void count_block(const Workspace<Index>& workspace, std::size_t block, std::span<const Index> rows,
                 std::vector<std::uint32_t>& table) {
    const std::size_t k = workspace.targets.n_classes;
    const auto* const classes = workspace.targets.classes.data();
    const auto* const words = workspace.blocks.words[block].data();
    std::array<std::uint32_t*, 8> lines;
    for (std::size_t j = 0; j < 8; ++j) {
        lines[j] = table.data() + workspace.blocks.first_lines[block][j] * k;
    }
    for (const auto row : rows) {
        const std::size_t cls = classes[row];
        auto word = words[row];
        for (std::size_t j = 0; j < 8; ++j, word >>= 8) ++lines[j][(word & 255) * k + cls];
    }
}

// Tasks are blocks of columns and shares of the rows. Each share counts into a table of its own,
// and in the end these are added up.
template <class Index>
ClassTable count_table(const Workspace<Index>& workspace, std::span<const Index> rows,
                       int n_threads, const Check& check) {
    const auto& blocks = workspace.blocks;
    const std::size_t table_size = blocks.n_lines * workspace.targets.n_classes;
    // A share costs the time to add up its table. Blocks are tasks too, so few shares will do.
    const int n_sharing = (n_threads - 1) / static_cast<int>(blocks.words.size()) + 1;
    const RowShares shares =
        share_rows(rows.size(), n_sharing, std::max(least_rows_counted, blocks.n_lines));
    std::vector<std::shared_ptr<std::vector<std::uint32_t>>> tables(shares.size());
    for (auto& table : tables) table = std::make_shared<std::vector<std::uint32_t>>(table_size);
    const auto count = [&](std::size_t task, int) {
        check();
        const std::size_t share = task % shares.size();
        const std::size_t begin = shares.begin(share);
        count_block(workspace, task / shares.size(),
                    rows.subspan(begin, shares.end(share) - begin), *tables[share]);
    };
    run_tasks(blocks.words.size() * shares.size(), n_threads, count, check);
    if (shares.size() > 1) {
        const RowShares parts = share_rows(table_size, n_threads, 2048);
        const auto add_up = [&](std::size_t part, int) {
            for (std::size_t share = 1; share < shares.size(); ++share) {
                for (std::size_t i = parts.begin(part); i < parts.end(part); ++i) {
                    (*tables[0])[i] += (*tables[share])[i];
                }
            }
        };
        run_tasks(parts.size(), n_threads, add_up, check);
    }
    return tables[0];
}

inline ClassTable rest_of_table(const ClassTable& whole, const ClassTable& part) {
    auto rest = std::make_shared<std::vector<std::uint32_t>>(*whole);
    for (std::size_t i = 0; i < rest->size(); ++i) (*rest)[i] -= (*part)[i];
    return rest;
}

// The tables of the two sides of a node; none if some rows are on neither side.
template <class Index>
std::array<ClassTable, 2> split_table(const Workspace<Index>& workspace, const ClassTable& whole,
                                      std::span<const Index> rows,
                                      std::span<const std::uint32_t> child,
                                      LargeVector<Index>& scratch, int n_threads,
                                      const Check& check) {
    const RowShares shares = share_rows(rows.size(), n_threads, least_rows_counted);
    ShareCounts n(shares.size(), 3);
    const auto count = [&](std::size_t share, int) {
        auto* const of_share = n.of(share);
        for (std::size_t i = shares.begin(share); i < shares.end(share); ++i) {
            ++of_share[child[rows[i]]];
        }
    };
    run_tasks(shares.size(), n_threads, count, check);
    std::array<std::size_t, 3> sum{};
    for (std::size_t share = 0; share < shares.size(); ++share) {
        for (std::size_t c = 0; c < 3; ++c) {
            auto& of_share = n.of(share)[c];
            of_share = std::exchange(sum[c], sum[c] + of_share);
        }
    }
    if (sum[2] > 0 || !takes(ShortCut::smaller_side)) return {};
    const std::uint32_t smaller = sum[0] <= sum[1] ? 0 : 1;
    scratch.resize(std::max(scratch.size(), rows.size()));
    const auto gather = [&](std::size_t share, int) {
        std::size_t at = n.of(share)[smaller];
        const bool is_last = share + 1 == shares.size();
        const std::size_t last = is_last ? sum[smaller] : n.of(share + 1)[smaller];
        for (std::size_t i = shares.begin(share); at < last; ++i) {
            scratch[at] = rows[i];
            at += child[rows[i]] == smaller;
        }
    };
    run_tasks(shares.size(), n_threads, gather, check);
    std::array<ClassTable, 2> tables;
    const auto members = std::span<const Index>(scratch).first(sum[smaller]);
    tables[smaller] = count_table(workspace, members, n_threads, check);
    tables[1 - smaller] = rest_of_table(whole, tables[smaller]);
    return tables;
}

}  // namespace treewright
