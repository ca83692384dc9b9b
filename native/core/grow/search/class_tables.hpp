// Rows by code and class, of all counted columns of a node at once.
//
// The codes of eight columns lie side by side in one word a row, so that one pass over the rows
// counts them all. A table has one line for each code of each column and one for missing values; a
// line holds the rows of each class. Of the two sides of a split the smaller one is counted, and
// the larger one is what that leaves of the table of the node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/workspace.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright {

using ClassTable = std::shared_ptr<const std::vector<std::uint32_t>>;

// A line costs about as much as a cell.
template <class Index>
bool is_worth_a_table(const Workspace<Index>& workspace, std::size_t n_rows) {
    const auto& blocks = workspace.blocks;
    return blocks.n_lines > 0 &&
           blocks.n_lines * workspace.targets.n_classes <= blocks.n_columns * n_rows;
}

template <class Index>
void make_code_blocks(Workspace<Index>& workspace) {
    auto& blocks = workspace.blocks;
    for (const auto& column : workspace.columns) {
        if (!column.counted || column.bundle >= 0) continue;
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
    std::size_t at = 0;
    for (auto& column : workspace.columns) {
        if (!column.counted || column.bundle >= 0) continue;
        if (at % 8 == 0) {
            blocks.words.emplace_back(n_rows, 0);
            blocks.first_lines.emplace_back().fill(unused);
        }
        blocks.first_lines.back()[at % 8] = line;
        column.first_line = static_cast<std::int32_t>(line);
        auto& words = blocks.words.back();
        for (std::size_t row = 0; row < n_rows; ++row) {
            words[row] |= static_cast<std::uint64_t>(column.slot(row)) << (8 * (at % 8));
        }
        line += static_cast<std::uint32_t>(column.n_codes()) + 1;
        ++at;
    }
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

template <class Index>
ClassTable count_table(const Workspace<Index>& workspace, std::span<const Index> rows,
                       int n_threads, const Check& check) {
    auto table = std::make_shared<std::vector<std::uint32_t>>(workspace.blocks.n_lines *
                                                              workspace.targets.n_classes);
    const auto count = [&](std::size_t block, int) {
        check();
        count_block(workspace, block, rows, *table);
    };
    run_tasks(workspace.blocks.words.size(), n_threads, count, check);
    return table;
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
                                      const std::vector<std::uint32_t>& child,
                                      std::vector<Index>& scratch, int n_threads,
                                      const Check& check) {
    std::array<std::size_t, 3> n{};
    for (const auto row : rows) ++n[child[row]];
    if (n[2] > 0 || !takes(ShortCut::smaller_side)) return {};
    const std::uint32_t smaller = n[0] <= n[1] ? 0 : 1;
    scratch.resize(rows.size());
    std::size_t n_members = 0;
    for (const auto row : rows) {
        scratch[n_members] = row;
        n_members += child[row] == smaller;
    }
    std::array<ClassTable, 2> tables;
    const auto members = std::span<const Index>(scratch).first(n_members);
    tables[smaller] = count_table(workspace, members, n_threads, check);
    tables[1 - smaller] = rest_of_table(whole, tables[smaller]);
    return tables;
}

}  // namespace treewright
