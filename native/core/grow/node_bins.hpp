// Looking into the bins of a node: those of the columns that can be its split or a runner-up.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/grow/growth.hpp"
#include "core/grow/search/bin_source.hpp"
#include "core/grow/search/column_search.hpp"
#include "core/parallel/row_shares.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright {

// The gain of the last column that the tree will name, as far as it is known.
template <class Index>
double least_gain_named(const Settings& settings, const OpenNode<Index>& node,
                        const std::vector<BinOutline>& outlines,
                        const std::vector<Candidate>& candidates) {
    std::vector<double> gains;
    for (std::size_t i = 0; i < outlines.size(); ++i) {
        const bool binned = node.workspace->columns[(*node.active)[i]].binned;
        const auto& candidate = candidates[i];
        const double gain = binned ? outlines[i].least : candidate.gain;
        if ((binned || candidate.valid) && std::isfinite(gain)) gains.push_back(gain);
    }
    const auto n_named = static_cast<std::size_t>(settings.n_competitors) + 1;
    if (gains.size() < n_named) return -std::numeric_limits<double>::infinity();
    const auto last = gains.begin() + static_cast<std::ptrdiff_t>(n_named - 1);
    std::ranges::nth_element(gains, last, std::ranges::greater{});
    return *last;
}

// The columns whose rows are read, by the block of words that they are in.
template <class Index>
std::vector<ReadBlock> blocks_to_read(const OpenNode<Index>& node,
                                      const std::vector<std::size_t>& chosen,
                                      std::vector<RowsInBins>& rows) {
    const auto& workspace = *node.workspace;
    std::vector<ReadBlock> blocks;
    for (std::size_t block = 0; block < workspace.blocks.words.size(); ++block) {
        ReadBlock read;
        read.block = block;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const auto place = (*node.active)[chosen[i]];
            const auto line = static_cast<std::uint32_t>(workspace.columns[place].first_line);
            const auto& lines = workspace.blocks.first_lines[block];
            const auto at = std::ranges::find(lines, line);
            if (at == lines.end() || std::ranges::count(rows[i].is_wanted, 1) == 0) continue;
            read.place[read.n] = place;
            read.shift[read.n] = 8 * static_cast<int>(at - lines.begin());
            read.rows[read.n++] = &rows[i];
        }
        if (read.n > 0) blocks.push_back(read);
    }
    return blocks;
}

// Columns that cannot be named keep what is known of them: it is less than that of all others.
template <class Index>
void look_into_bins(const Growth& growth, const OpenNode<Index>& node, const NodeView& view,
                    const std::vector<BinOutline>& outlines, int n_threads,
                    GrowerScratch<Index>& scratch) {
    const auto& workspace = *node.workspace;
    const auto& active = *node.active;
    const double tolerance = view.tolerance() / view.score_weight;
    const double named = least_gain_named(growth.settings, node, outlines, scratch.candidates);
    const double floor = named - 8 * tolerance;
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < active.size(); ++i) {
        if (!workspace.columns[active[i]].binned) continue;
        auto& candidate = scratch.candidates[i] = {};
        candidate.place = active[i];
        candidate.too_small = true;
        const auto& outline = outlines[i];
        const bool is_one_bin = outline.bins.size() < 2;  // which may hold one value
        if (is_one_bin || outline.most >= floor - 4 * tolerance) chosen.push_back(i);
    }
    std::vector<RowsInBins> rows(chosen.size());
    const RowShares shares = share_rows(node.size(), n_threads, rows_worth_a_task);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const auto& outline = outlines[chosen[i]];
        const double bar = std::max(outline.least, floor) - 5 * tolerance;
        for (std::size_t g = 0; g < outline.bins.size(); ++g) {
            const bool is_beside_cut = g - outline.best_group <= 1;
            rows[i].is_wanted[outline.bins[g]] =
                outline.most_in_bin[g] >= bar || (outline.least >= floor && is_beside_cut);
        }
        rows[i].of_share.resize(shares.size());
    }
    const auto blocks = blocks_to_read(node, chosen, rows);
    const auto read = [&](std::size_t task, int) {
        growth.context.check();
        const std::size_t share = task % shares.size(), begin = shares.begin(share);
        const auto of_share = std::span<const Index>(workspace.rows)
                                  .subspan(node.begin + begin, shares.end(share) - begin);
        read_bins(workspace, blocks[task / shares.size()], of_share, share);
    };
    const bool is_large = node.size() * chosen.size() >= cells_worth_sharing;
    run_tasks(blocks.size() * shares.size(), is_large ? n_threads : 1, read, growth.context.check);
    const auto search = [&](std::size_t i, int worker) {
        scratch.candidates[chosen[i]] =
            search_bins(growth.context, workspace, view, active[chosen[i]],
                        scratch.search[static_cast<std::size_t>(worker)], rows[i], floor);
    };
    run_tasks(chosen.size(), is_large ? n_threads : 1, search, growth.context.check);
}

}  // namespace treewright
