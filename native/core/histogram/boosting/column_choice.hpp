// Which columns a node may test: those drawn for its tree and for itself, and those that may
// interact with the columns tested above it.
#pragma once

#include <cstdint>
#include <vector>

namespace treewright::histogram {

struct ColumnSettings {
    double max_features = 1;       // the share of columns that a tree may test
    double max_features_node = 1;  // the share of those that a node may test, drawn for each node
    std::vector<std::vector<std::int32_t>>
        interactions;  // columns of a path are all in one of them
    std::uint64_t seed = 0;
    std::uint64_t first_tree = 0;  // the number of the first tree that is grown
};

class ColumnChoice {
public:
    using Marks = std::vector<std::uint8_t>;  // by column, or by group of interactions

    ColumnChoice(const ColumnSettings& settings, std::size_t n_columns);

    void start_tree();
    std::uint64_t seed_of_tree() const { return seed_of_tree_; }
    bool is_free() const;  // every node may test every column

    Marks all_groups() const { return Marks(settings_.interactions.size(), 1); }
    // Groups that hold another column too.
    Marks groups_with(const Marks& groups, int column) const;
    // The columns for a node, given its path and the groups that hold it.
    Marks columns_for(const Marks& groups, std::uint64_t path) const;

private:
    ColumnSettings settings_;
    std::size_t n_columns_;
    std::uint64_t tree_;
    std::uint64_t seed_of_tree_ = 0;
    std::vector<Marks> in_group_;  // by group: its columns
    Marks of_tree_;
};

}  // namespace treewright::histogram
