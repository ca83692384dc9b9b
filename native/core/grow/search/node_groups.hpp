// One column of one node, read in the order of its values: row by row or group by group.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/grow/search/candidate.hpp"
#include "core/grow/search/code_set.hpp"
#include "core/grow/search/groups.hpp"
#include "core/grow/workspace.hpp"
#include "core/short_cuts.hpp"

namespace treewright {

// Space that one worker uses again and again.
template <class Index>
struct GroupScratch {
    Groups groups;
    std::vector<Element<Index>> elements;
    std::vector<std::uint32_t> class_counts;  // zero between two columns
    std::vector<std::uint32_t> counts;
    std::vector<double> sums;
    std::vector<std::vector<std::uint32_t>> rows_of_group;  // least absolute error only
    std::vector<std::uint32_t> missing_rows;                // the same
    std::vector<std::uint32_t> sorted_rows;                 // bins only
};

template <class Index>
class NodeGroups {
public:
    using Elements = std::span<const Element<Index>>;

    NodeGroups(const Settings& settings, const Workspace<Index>& workspace, const NodeView& node,
               const WorkColumn<Index>& column, GroupScratch<Index>& scratch)
        : settings_(settings),
          workspace_(workspace),
          targets_(workspace.targets),
          node_(node),
          column_(column),
          scratch_(scratch) {}

    // The node's rows in order of the column, missing ones last.
    Elements elements() {
        if (!column_.counted) {
            return Elements(column_.sorted).subspan(node_.begin, node_.size());
        }
        auto& elements = scratch_.elements;
        elements.resize(node_.size());
        if (column_.binned) {
            sort_by_value(elements);
            return elements;
        }
        std::size_t n = 0;
        for (const auto row : rows()) {
            const auto code = column_.codes[row];
            elements[n++] = {row, code == missing_code ? missing_rank<Index> : Index{code}};
        }
        std::ranges::stable_sort(elements, {}, &Element<Index>::rank);
        return elements;
    }

    static std::size_t n_known(Elements elements) {
        if (elements.back().rank != missing_rank<Index>) return elements.size();
        const auto first_missing =
            std::ranges::lower_bound(elements, missing_rank<Index>, {}, &Element<Index>::rank);
        return static_cast<std::size_t>(first_missing - elements.begin());
    }

    // Counting costs one step for each code and class, sorting a few for each row. Classes are
    // counted for the codes that occur alone.
    bool counting_is_cheaper() const {
        if (!column_.counted || column_.binned || absolute()) return false;
        if (!takes(ShortCut::counted_rows)) return has_bit_counts();
        std::size_t n_codes = column_.n_codes();
        if (counts_classes()) n_codes = std::min(n_codes, node_.size());
        return has_bit_counts() || has_table() || n_codes * targets_.n_stats() <= 8 * node_.size();
    }

    // Makes each bin that occurs a group, from the node's table.
    void count_bins() {
        scratch_.groups.clear(targets_.n_stats());
        count_groups();
    }

    // Fills the scratch's groups.
    void build_groups() {
        scratch_.groups.clear(targets_.n_stats());
        if (has_bit_counts()) {
            split_by_bit();
        } else if (counting_is_cheaper()) {
            if (counts_classes()) {
                count_groups();
            } else {
                sum_groups();
            }
        } else {
            group_elements(elements());
        }
    }

    // Adds up the rows whose value is missing.
    void tally_missing(Elements missing) {
        auto& groups = scratch_.groups;
        scratch_.missing_rows.clear();
        for (const auto& element : missing) {
            ++groups.missing_rows;
            groups.missing_weight += targets_.weight_of(element.row);
            targets_.add_row(element.row, groups.missing_stats.data());
            if (absolute()) scratch_.missing_rows.push_back(element.row);
        }
    }

private:
    // The order of the values within bins is not known before.
    void sort_by_value(std::vector<Element<Index>>& elements) {
        auto& origin = scratch_.sorted_rows;
        origin.clear();
        for (const auto row : rows()) origin.push_back(workspace_.origin[row]);
        const auto sorted = sort_some({column_.binned, 1}, origin, never_stop);
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const auto& element = sorted[0][i];
            elements[i] = renamed<Index>(element, rows()[element.row]);
        }
    }

    bool absolute() const { return settings_.measure == Measure::absolute_error; }
    bool counts_classes() const { return targets_.counts_rows() && targets_.is_classification(); }

    std::span<const Index> rows() const {
        return std::span(workspace_.rows).subspan(node_.begin, node_.size());
    }

    bool has_bit_counts() const { return column_.bundle >= 0 && !node_.bit_counts.empty(); }

    void split_by_bit() {
        const std::size_t k = targets_.n_classes;
        const auto* set = node_.bit_counts[static_cast<std::size_t>(column_.bundle)].data() +
                          static_cast<std::size_t>(column_.bit) * k;
        auto& groups = scratch_.groups;
        for (std::uint32_t code = 0; code < 2; ++code) {
            groups.open(code, 0);
            double* stats = groups.of(groups.size() - 1);
            double n = 0.0;
            for (std::size_t c = 0; c < k; ++c) {
                stats[c] = code == column_.bit_code ? set[c] : node_.stats[c] - set[c];
                n += stats[c];
            }
            groups.weight.back() = n;
            groups.rows.back() = static_cast<std::int64_t>(n);
            if (n == 0.0) groups.resize(groups.size() - 1);
        }
    }

    bool has_table() const { return column_.first_line >= 0 && node_.class_table != nullptr; }

    void count_groups() {
        const std::size_t k = targets_.n_classes, n_slots = column_.n_codes() + 1;
        auto& counts = scratch_.class_counts;
        if (counts.size() < 2 * n_slots * k) counts.resize(2 * n_slots * k, 0);
        scratch_.groups.resize(std::min(n_slots, node_.size()));
        std::size_t n_groups = 0;
        const auto take = [&](std::size_t code) {
            take_counts(code, counts.data() + code * k, n_groups);
            std::fill_n(counts.data() + code * k, k, 0u);
        };
        if (has_table()) {
            const auto* lines =
                node_.class_table + static_cast<std::size_t>(column_.first_line) * k;
            for (std::size_t code = 0; code < n_slots; ++code) {
                take_counts(code, lines + code * k, n_groups);
            }
        } else if (n_slots <= node_.size()) {
            count_in_turn(n_slots * k);
            for (std::size_t code = 0; code < n_slots; ++code) take(code);
        } else {
            CodeSet present;
            const auto* classes = targets_.classes.data();
            for (const auto row : rows()) {
                const std::size_t code = column_.slot(row);
                present.add(code);
                ++counts[code * k + classes[row]];
            }
            present.each(take);
        }
        scratch_.groups.resize(n_groups);
    }

    // Two tables in turn, so that a row need not wait until the row before it is counted.
    void count_in_turn(std::size_t table_size) {
        const std::size_t k = targets_.n_classes, n = node_.size();
        std::uint32_t* const even = scratch_.class_counts.data();
        std::uint32_t* const odd = even + table_size;
        const auto* classes = targets_.classes.data();
        const auto rows = this->rows();
        for (std::size_t i = 0; i + 1 < n; i += 2) {
            ++even[column_.slot(rows[i]) * k + classes[rows[i]]];
            ++odd[column_.slot(rows[i + 1]) * k + classes[rows[i + 1]]];
        }
        if (n % 2 == 1) ++even[column_.slot(rows[n - 1]) * k + classes[rows[n - 1]]];
        for (std::size_t i = 0; i < table_size; ++i) even[i] += odd[i];
        std::fill_n(odd, table_size, 0u);
    }

    // Makes the rows of a code, if any, the next group.
    void take_counts(std::size_t code, const std::uint32_t* of_code, std::size_t& n_groups) {
        const std::size_t k = targets_.n_classes;
        const auto n = std::accumulate(of_code, of_code + k, std::int64_t{0});
        if (n == 0) return;
        auto& groups = scratch_.groups;
        if (code == column_.n_codes()) {
            groups.missing_rows = n;
            groups.missing_weight = static_cast<double>(n);
            std::copy_n(of_code, k, groups.missing_stats.begin());
            return;
        }
        groups.codes[n_groups] = static_cast<std::uint32_t>(code);
        groups.rows[n_groups] = n;
        groups.weight[n_groups] = static_cast<double>(n);
        std::copy_n(of_code, k, groups.of(n_groups));
        ++n_groups;
    }

    void sum_groups() {
        const std::size_t k = targets_.n_stats(), n_codes = column_.n_codes();
        auto& counts = scratch_.counts;
        auto& sums = scratch_.sums;  // statistics and raw weight of each code
        counts.assign(n_codes + 1, 0);
        sums.assign((n_codes + 1) * (k + 1), 0.0);
        for (const auto row : rows()) {
            const std::size_t at = column_.slot(row);
            double* of_code = sums.data() + at * (k + 1);
            ++counts[at];
            targets_.add_row(row, of_code);
            of_code[k] += targets_.weight_of(row);
        }
        auto& groups = scratch_.groups;
        for (std::size_t code = 0; code < n_codes; ++code) {
            if (counts[code] == 0) continue;
            groups.open(static_cast<std::uint32_t>(code), 0);
            groups.rows.back() = counts[code];
            groups.weight.back() = sums[code * (k + 1) + k];
            std::copy_n(sums.data() + code * (k + 1), k, groups.of(groups.size() - 1));
        }
        groups.missing_rows = counts[n_codes];
        groups.missing_weight = sums[n_codes * (k + 1) + k];
        std::copy_n(sums.data() + n_codes * (k + 1), k, groups.missing_stats.begin());
    }

    void group_elements(Elements elements) {
        auto& groups = scratch_.groups;
        const std::size_t known = n_known(elements);
        scratch_.rows_of_group.clear();
        for (std::size_t i = 0; i < known; ++i) {
            const auto row = elements[i].row;
            if (i == 0 || elements[i].rank != elements[i - 1].rank) {
                groups.open(elements[i].rank, row);
                if (absolute()) scratch_.rows_of_group.emplace_back();
            }
            ++groups.rows.back();
            groups.weight.back() += targets_.weight_of(row);
            targets_.add_row(row, groups.of(groups.size() - 1));
            if (absolute()) scratch_.rows_of_group.back().push_back(row);
        }
        tally_missing(elements.subspan(known));
    }

    const Settings& settings_;
    const Workspace<Index>& workspace_;
    const Targets& targets_;
    const NodeView& node_;
    const WorkColumn<Index>& column_;
    GroupScratch<Index>& scratch_;
};

}  // namespace treewright
