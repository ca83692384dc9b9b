// The rows of one node, renumbered from 0, with every column ready to be scanned.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/arithmetic/as_index.hpp"
#include "core/optimal/problem.hpp"

namespace treewright::optimal {

// Up to this many codes a column is counted by code; beyond it, scanned in sorted order.
inline constexpr std::uint32_t most_counted = 64;

inline bool is_counted(const Column& column) { return column.n_values < most_counted; }

// Where a code stands in the order of a feature.
class Positions {
public:
    Positions(const Problem& problem, const Feature& feature)
        : feature_(feature), missing_(problem.columns[as_index(feature.column)].n_values) {}

    std::uint32_t of(std::uint32_t code) const {
        switch (feature_.kind) {
            case Feature::Kind::missing_last: return code;
            case Feature::Kind::missing_first: return code == missing_ ? 0 : code + 1;
            case Feature::Kind::set: return in_set(code) ? 0 : 1;
            default: return code == missing_ || in_set(code) ? 0 : 1;
        }
    }

private:
    bool in_set(std::uint32_t code) const {
        if (feature_.set.size() == 1) return feature_.set[0] == code;
        return std::ranges::binary_search(feature_.set, code);
    }
    const Feature& feature_;
    std::uint32_t missing_;
};

struct Row {
    Weight weight;
    std::uint32_t label;   // class
    std::uint32_t n_rows;  // of the table
};

struct NodeRows {
    std::vector<Row> rows;
    std::vector<Weight> sure_loss;
    std::vector<std::vector<std::uint32_t>> codes;         // counted columns: by row
    std::vector<std::vector<std::uint32_t>> order;         // the others: rows by rising code
    std::vector<std::vector<std::uint32_t>> sorted_codes;  // and the codes in that order

    std::size_t size() const { return rows.size(); }
    bool is_long() const { return size() >= 4096; }  // so that each column takes a while
    Weight weight() const;
    Weight least_loss() const;  // of any tree on these rows
    std::int64_t n_table_rows() const;
    std::vector<Weight> class_weights(std::uint32_t n_classes) const;
};

// Asked before each column; true to go no further.
using Stops = std::function<bool()>;

// All rows; false if it was stopped, then not all columns are there.
bool take_all(const Problem& problem, const Stops& stops, NodeRows& out);

// Which rows a question sends right: 1, or left: 0.
void part(const Problem& problem, const NodeRows& node, std::int32_t feature, std::uint32_t cut,
          std::vector<std::uint8_t>& side);

// The rows of one side. `new_number` is scratch space.
void take_side(const NodeRows& node, std::span<const std::uint8_t> side, std::uint8_t which,
               std::vector<std::uint32_t>& new_number, NodeRows& out);

}  // namespace treewright::optimal
