// The inner loop: rows are split in two; what is the best single test for each side?
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/optimal/node_rows.hpp"

namespace treewright::optimal {

// What one side can come to; hits are weight that is got right.
struct Side {
    Weight weight = 0;
    std::int64_t n_rows = 0;
    Weight leaf_hits = 0;         // as a leaf
    Weight stump_hits = -1;       // by one question that leaves enough rows on both sides
    Weight free_stump_hits = -1;  // by any one question
};

class SideScan {
public:
    SideScan(const Problem& problem, const LeafLimits& leaf);

    // Both sides of a node whose rows are split by `side`; nothing if it was stopped.
    std::optional<std::array<Side, 2>> operator()(const NodeRows& node,
                                                  std::span<const std::uint8_t> side,
                                                  const Stops& stops);

private:
    struct Parted {  // a row, ready to be added up
        Weight weight;
        std::uint32_t slot;  // side * n_classes + class
        std::uint32_t n_rows;
    };
    struct Stretch {  // rows of a column by rising code
        std::span<const std::uint32_t> rows, codes;
        std::size_t size() const { return rows.size(); }
    };
    struct Tally {  // of the rows left of a cut, on both sides of the node
        std::vector<Weight> by_slot;
        std::array<std::int64_t, 2> n_rows{};
    };

    void begin(const NodeRows& node, std::span<const std::uint8_t> side);
    void scan_sorted(const NodeRows& node, std::int32_t column, bool is_nominal,
                     bool missing_go_left_too);
    void scan_in_order(const Stretch& first, const Stretch& then);
    void scan_two_classes(const Stretch& first, const Stretch& then);
    void scan_groups(const Stretch& known, const Stretch& missing);
    void scan_counted(const NodeRows& node, std::int32_t column, std::size_t first_feature,
                      std::size_t end_feature);
    void count_order(const Feature& feature, std::uint32_t n_values);
    void count_set(const Feature& feature, std::uint32_t n_values);
    void add_code(std::uint32_t code);
    void clear_left();
    void judge(std::size_t which);

    const Problem& problem_;
    LeafLimits leaf_;
    bool counts_rows_;  // no need to, where every leaf is allowed
    std::size_t n_classes_;
    std::vector<Parted> rows_;
    std::array<Side, 2> sides_;
    std::vector<Weight> total_;  // by slot
    Tally left_;
    std::vector<Weight> counted_;  // (codes, slots)
    std::vector<std::array<std::int64_t, 2>> counted_rows_;
};

}  // namespace treewright::optimal
