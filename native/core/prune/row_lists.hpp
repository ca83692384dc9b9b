// Lists of weighted rows that go down a tree: a list is split into the lists of the children.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/large_vector.hpp"
#include "core/predict/questions.hpp"
#include "core/predict/rows.hpp"
#include "core/predict/tree_view.hpp"

namespace treewright {

struct ListedRow {
    double weight;  // what is left of the row's weight: a row may be spread over several lists
    std::uint32_t row;
    std::int32_t class_code;
};

// A part of the arena that all lists share.
struct RowList {
    std::size_t begin = 0, end = 0;

    std::size_t size() const { return end - begin; }
    bool empty() const { return begin == end; }
};

// Where the rows of a list went.
struct SplitList {
    std::size_t first_group = 0;  // in RowLists::groups(): one list for each child, in order
    std::size_t n_groups = 0;
    RowList stopped;      // rows that go no further
    bool spread = false;  // rows went to several children; their lists are new, above all others
};

// What the nodes of a tree ask. A node that has one branch for each level gives a level that it
// does not list a new leaf, as soon as a row comes with it. Threads may share this as long as each
// splits rows at other nodes.
class TreeQuestions {
public:
    // Tree and rows must outlive this.
    TreeQuestions(const TreeView& tree, const Rows& rows);

    const Rows& rows() const { return rows_; }
    const TreeView& tree() const { return tree_; }
    const Questions& all() const { return questions_; }
    const Question& question(std::int32_t node) const {
        return questions_of_nodes_[static_cast<std::size_t>(node)];
    }

    // The nodes that the groups of a split belong to: children, then leaves of further levels.
    std::int32_t node_of_group(std::int32_t node, std::size_t group) const;
    std::size_t n_groups_of(std::int32_t node) const;

    struct FurtherLevel {
        std::int32_t code;
        std::int32_t leaf;  // a node beyond those of the tree
    };
    const std::vector<FurtherLevel>& further_levels(std::int32_t node) const;
    std::int32_t group_of_further_level(std::int32_t node, std::int32_t code);
    std::size_t n_nodes() const { return n_nodes_; }  // of the tree, and leaves added since
    std::size_t n_nodes_of_tree() const { return tree_.n_nodes(); }

    // The levels that a node lists, with the number of the child of each.
    std::vector<std::pair<std::int32_t, std::int32_t>> listed_levels(std::int32_t node) const;

    // The first level that leads to a group, where there is one branch for each level; groups
    // without a level come last. Elsewhere the number of the group.
    std::int64_t first_level(std::int32_t node, std::size_t group) const;

private:
    struct Further {
        std::vector<FurtherLevel> levels;
        std::unordered_map<std::int32_t, std::int32_t> group_of_code;
    };

    const TreeView& tree_;
    const Rows& rows_;
    Questions questions_;
    std::vector<Question> questions_of_nodes_;
    std::vector<std::unique_ptr<Further>> further_;  // by node; few have any
    std::atomic<std::size_t> n_nodes_;
};

// Lists of rows in one arena. Each thread has its own.
class RowLists {
public:
    // Rows are put into the folder, if there is one.
    RowLists(TreeQuestions& questions, const Folder& folder)
        : questions_(questions),
          arena_(vector_in<ListedRow>(folder)),
          sorted_(vector_in<ListedRow>(folder)) {}

    // A list at the end of the arena, a copy of parts of it.
    RowList copy(std::span<const RowList> parts);
    void reserve(std::size_t n_rows) { arena_.reserve(n_rows); }
    void push(const ListedRow& row) { arena_.push_back(row); }
    std::span<const ListedRow> rows(RowList list) const {
        return std::span(arena_).subspan(list.begin, list.size());
    }
    std::span<ListedRow> rows(RowList list) {
        return std::span(arena_).subspan(list.begin, list.size());
    }

    // Splits a list by the question of a node of the tree. Unless rows are spread, the lists of the
    // children are parts of `list`, which is put in their order.
    SplitList split(std::int32_t node, RowList list);
    const std::vector<RowList>& groups() const { return groups_; }

    // Forget all groups from `n_groups` on, and all rows of the arena from `n_rows` on.
    void shrink(std::size_t n_groups, std::size_t n_rows) {
        groups_.resize(n_groups);
        arena_.resize(n_rows);
    }
    std::size_t n_groups() const { return groups_.size(); }
    std::size_t n_listed() const { return arena_.size(); }

private:
    void find_targets(std::int32_t node, RowList list);
    template <typename R>
    void compare_numbers(const Question& asked, const R& source, std::span<const ListedRow> listed);
    SplitList split_in_place(RowList list, std::size_t n_groups);
    SplitList split_and_spread(std::int32_t node, RowList list, std::size_t n_groups);
    std::vector<double> shares(std::int32_t node, RowList list, std::size_t n_groups) const;

    TreeQuestions& questions_;
    LargeVector<ListedRow> arena_;
    std::vector<RowList> groups_;
    std::vector<std::int32_t> targets_;  // group of each row of the list being split
    std::vector<std::size_t> ends_;
    LargeVector<ListedRow> sorted_;
};

}  // namespace treewright
