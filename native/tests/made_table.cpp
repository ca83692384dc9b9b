#include "tests/made_table.hpp"

#include <limits>
#include <utility>

namespace treewright::testing {
namespace {

template <class T>
ColumnView view_of(ColumnKind kind, ValueType type, const std::vector<T>& values,
                   std::int32_t n_levels) {
    return {kind, type, reinterpret_cast<const char*>(values.data()), sizeof(T), n_levels};
}

template <class T>
GivenColumn given_of(ElementType type, const std::vector<T>& values) {
    return {reinterpret_cast<const std::byte*>(values.data()), sizeof(T), type};
}

}  // namespace

MadeTable::MadeTable(std::size_t n_rows, bool has_missing, std::uint64_t seed)
    : n_levels{-1, -1, 6, 4, 2} {
    Dice dice(seed);
    const auto is_missing = [&] { return dice.below(10) == 0 && has_missing; };
    const double no_number = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t row = 0; row < n_rows; ++row) {
        const double a = dice.number(), b = static_cast<double>(dice.below(5));
        const auto level = static_cast<std::int32_t>(dice.below(6));
        const auto rank = static_cast<std::int32_t>(dice.below(4));
        two.push_back(static_cast<std::int32_t>(dice.below(2)));
        const double target = a + 2 * (level % 3) - rank + (two.back() == 1 ? b : -b);
        const bool is_noise = dice.below(8) == 0;
        classes.push_back(is_noise ? static_cast<std::int32_t>(dice.below(n_classes))
                                   : (target > 3) + (target > -2));
        y.push_back(is_noise ? dice.number() : target);
        counts.push_back(static_cast<double>(dice.below(4)));
        weight.push_back(static_cast<double>(1 + dice.below(8)) / 4);
        fine.push_back(is_missing() ? no_number : a);
        coarse.push_back(is_missing() ? no_number : b);
        levels.push_back(is_missing() ? no_level : level);
        ordered.push_back(is_missing() ? no_level : rank);
    }
    views = {view_of(ColumnKind::numeric, ValueType::float64, fine, 0),
             view_of(ColumnKind::numeric, ValueType::float64, coarse, 0),
             view_of(ColumnKind::nominal, ValueType::int32, levels, 6),
             view_of(ColumnKind::ordered, ValueType::int32, ordered, 4),
             view_of(ColumnKind::nominal, ValueType::int32, two, 2)};
    given = {given_of(ElementType::float64, fine), given_of(ElementType::float64, coarse),
             given_of(ElementType::int32, levels), given_of(ElementType::int32, ordered),
             given_of(ElementType::int32, two)};
}

TrainingData MadeTable::for_classes() const {
    TrainingData data;
    data.columns = views;
    data.n_rows = n_rows();
    data.n_classes = n_classes;
    data.classes = classes;
    return data;
}

TrainingData MadeTable::for_numbers() const {
    TrainingData data;
    data.columns = views;
    data.n_rows = n_rows();
    data.y = y;
    return data;
}

StoredTree::StoredTree(GrownTree tree, const std::vector<std::int32_t>& n_levels)
    : tree_(std::move(tree)), n_levels_(n_levels), term_start_(tree_.kind.size() + 1, 0) {
    for (const auto& surrogate : tree_.surrogates) {
        surrogate_kind_.push_back(static_cast<std::uint8_t>(surrogate.kind));
        surrogate_flip_.push_back(surrogate.flip);
        surrogate_feature_.push_back(surrogate.feature);
        surrogate_threshold_.push_back(surrogate.threshold);
        surrogate_level_code_.insert(surrogate_level_code_.end(), surrogate.level_code.begin(),
                                     surrogate.level_code.end());
        surrogate_level_child_.insert(surrogate_level_child_.end(), surrogate.level_child.begin(),
                                      surrogate.level_child.end());
        surrogate_level_start_.push_back(static_cast<std::int64_t>(surrogate_level_code_.size()));
    }
}

TreeView StoredTree::view() const {
    TreeView view;
    view.kind = tree_.kind;
    view.feature = tree_.feature;
    view.threshold = tree_.threshold;
    view.first_child = tree_.first_child;
    view.n_children = tree_.n_children;
    view.missing_child = tree_.missing_child;
    view.weight = tree_.weight;
    view.level_start = tree_.level_start;
    view.level_code = tree_.level_code;
    view.level_child = tree_.level_child;
    view.cut_start = tree_.cut_start;
    view.cut = tree_.cut;
    view.term_start = term_start_;
    view.surrogate_start = tree_.surrogate_start;
    view.surrogate_kind = surrogate_kind_;
    view.surrogate_feature = surrogate_feature_;
    view.surrogate_threshold = surrogate_threshold_;
    view.surrogate_flip = surrogate_flip_;
    view.surrogate_level_start = surrogate_level_start_;
    view.surrogate_level_code = surrogate_level_code_;
    view.surrogate_level_child = surrogate_level_child_;
    view.n_levels = n_levels_;
    return view;
}

GrownTree grown(const TrainingData& data, const Settings& settings, int n_threads) {
    return grow(data, settings, n_threads, [] { return false; });
}

}  // namespace treewright::testing
