#include "core/histogram/boosting/column_choice.hpp"

#include <algorithm>
#include <utility>

#include "core/arithmetic/random.hpp"

namespace treewright::histogram {
namespace {

// Leaves a share of the marked columns marked, at least one.
void thin_out(ColumnChoice::Marks& marks, double share, Random random) {
    if (share >= 1) return;
    std::vector<std::size_t> marked;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (marks[i]) marked.push_back(i);
    }
    const auto kept =
        static_cast<std::size_t>(std::max(1.0, share * static_cast<double>(marked.size()) + 1e-9));
    for (std::size_t i = 0; i < marked.size(); ++i) {
        if (i < kept) {
            const auto left = static_cast<std::uint32_t>(marked.size() - i);
            std::swap(marked[i], marked[i + random.below(left)]);
        } else {
            marks[marked[i]] = 0;
        }
    }
}

}  // namespace

ColumnChoice::ColumnChoice(const ColumnSettings& settings, std::size_t n_columns)
    : settings_(settings), n_columns_(n_columns), tree_(settings.first_tree) {
    for (const auto& group : settings_.interactions) {
        Marks& marks = in_group_.emplace_back(n_columns, std::uint8_t{0});
        for (const std::int32_t column : group) marks.at(static_cast<std::size_t>(column)) = 1;
    }
}

bool ColumnChoice::is_free() const {
    return settings_.max_features >= 1 && settings_.max_features_node >= 1 && in_group_.empty();
}

void ColumnChoice::start_tree() {
    seed_of_tree_ = Random::stream(settings_.seed, tree_++).next();
    of_tree_.assign(n_columns_, 1);
    thin_out(of_tree_, settings_.max_features, Random(seed_of_tree_));
}

ColumnChoice::Marks ColumnChoice::groups_with(const Marks& groups, int column) const {
    Marks kept = groups;
    for (std::size_t group = 0; group < kept.size(); ++group) {
        kept[group] &= in_group_[group][static_cast<std::size_t>(column)];
    }
    return kept;
}

ColumnChoice::Marks ColumnChoice::columns_for(const Marks& groups, std::uint64_t path) const {
    Marks marks = of_tree_;
    if (!in_group_.empty()) {
        Marks allowed(n_columns_, 0);
        for (std::size_t group = 0; group < groups.size(); ++group) {
            if (!groups[group]) continue;
            for (std::size_t c = 0; c < n_columns_; ++c) allowed[c] |= in_group_[group][c];
        }
        for (std::size_t c = 0; c < n_columns_; ++c) marks[c] &= allowed[c];
    }
    thin_out(marks, settings_.max_features_node, Random::stream(seed_of_tree_, path));
    return marks;
}

}  // namespace treewright::histogram
