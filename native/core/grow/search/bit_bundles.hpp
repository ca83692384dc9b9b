// Two-valued columns, 64 in one word a row, so that a node counts them all in one pass.
//
// Only the rarer value of a column is counted, row by row over the bits that are set; the other one
// is the node's total less that. Indicator columns have few bits set: on Covertype (44 of 54
// columns two-valued, two bits a row) growth as a whole takes a tenth less time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/grow/search/candidate.hpp"
#include "core/grow/workspace.hpp"
#include "core/short_cuts.hpp"

namespace treewright {

// Fewer columns than this are counted one by one.
inline constexpr std::size_t min_columns_bundled = 4;

template <class Index>
void bundle_two_valued(Workspace<Index>& workspace) {
    std::vector<WorkColumn<Index>*> columns;
    for (auto& column : workspace.columns) {
        if (column.counted && !column.binned && column.n_codes() == 2 &&
            std::ranges::find(column.codes, missing_code) == column.codes.end()) {
            columns.push_back(&column);
        }
    }
    if (columns.size() < min_columns_bundled || !takes(ShortCut::bit_bundles)) return;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto& column = *columns[i];
        if (i % 64 == 0) workspace.bundles.emplace_back(workspace.rows.size(), 0);
        auto& words = workspace.bundles.back();
        column.bundle = static_cast<int>(workspace.bundles.size()) - 1;
        column.bit = static_cast<int>(i % 64);
        const auto ones = static_cast<std::size_t>(std::ranges::count(column.codes, 1));
        column.bit_code = 2 * ones > column.codes.size() ? 0 : 1;
        for (std::size_t row = 0; row < words.size(); ++row) {
            words[row] |= std::uint64_t{column.codes[row] == column.bit_code} << column.bit;
        }
    }
}

// Rows of the node by bit and class, for the bits that are set.
template <class Index>
void count_bits(const Workspace<Index>& workspace, std::size_t bundle, NodeView& node) {
    const std::size_t k = workspace.targets.n_classes;
    auto& counts = node.bit_counts[bundle];
    counts.assign(64 * k, 0);
    const auto& words = workspace.bundles[bundle];
    const auto* classes = workspace.targets.classes.data();
    for (std::size_t i = node.begin; i < node.end; ++i) {
        const auto row = workspace.rows[i];
        for (auto word = words[row]; word != 0; word &= word - 1) {
            ++counts[static_cast<std::size_t>(std::countr_zero(word)) * k + classes[row]];
        }
    }
}

}  // namespace treewright
