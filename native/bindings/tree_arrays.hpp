// The arrays of a Tree of Python, as the core sees them.
#pragma once

#include <cstdint>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/predict/tree_view.hpp"

namespace treewright::bindings {

// A view of a tree; the arrays are held for as long as this lives.
class BorrowedTree {
public:
    // `n_levels` of each column, -1 for a numeric one.
    BorrowedTree(nb::handle tree, nb::handle n_levels, bool unseen_to_majority) : tree_(tree) {
        using std::int32_t, std::int64_t, std::uint8_t;
        buffers_.reserve(32);
        view_ = {.kind = array<uint8_t>("kind"),
                 .feature = array<int32_t>("feature"),
                 .threshold = array<double>("threshold"),
                 .first_child = array<int32_t>("first_child"),
                 .n_children = array<int32_t>("n_children"),
                 .missing_child = array<int32_t>("missing_child"),
                 .weight = array<double>("weight"),
                 .level_start = array<int64_t>("level_start"),
                 .level_code = array<int32_t>("level_code"),
                 .level_child = array<int32_t>("level_child"),
                 .cut_start = array<int64_t>("cut_start"),
                 .cut = array<double>("cut"),
                 .term_start = array<int64_t>("term_start"),
                 .term_feature = array<int32_t>("term_feature"),
                 .term_weight = array<double>("term_weight"),
                 .surrogate_start = array<int64_t>("surrogate_start"),
                 .surrogate_kind = array<uint8_t>("surrogate_kind"),
                 .surrogate_feature = array<int32_t>("surrogate_feature"),
                 .surrogate_threshold = array<double>("surrogate_threshold"),
                 .surrogate_flip = array<uint8_t>("surrogate_flip"),
                 .surrogate_level_start = array<int64_t>("surrogate_level_start"),
                 .surrogate_level_code = array<int32_t>("surrogate_level_code"),
                 .surrogate_level_child = array<int32_t>("surrogate_level_child"),
                 .n_levels = buffers_.emplace_back(n_levels, "n_levels").elements<int32_t>(),
                 .unseen_to_majority = unseen_to_majority};
    }

    const TreeView& view() const { return view_; }

private:
    template <typename T>
    std::span<const T> array(const char* name) {
        return buffers_.emplace_back(tree_.attr(name), name).template elements<T>();
    }

    nb::handle tree_;
    std::vector<Buffer> buffers_;
    TreeView view_;
};

}  // namespace treewright::bindings
