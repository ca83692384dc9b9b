// What nodes ask: from the value of a row to the number of a child.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/arithmetic/as_index.hpp"
#include "core/predict/level_maps.hpp"
#include "core/predict/rows.hpp"
#include "core/predict/tree_view.hpp"

namespace treewright {

// What one node asks, with places in the store of all questions.
struct Question {
    NodeKind kind;
    std::int32_t feature;
    std::int32_t n_levels;  // of the column; -1 for a numeric one
    std::int32_t n_children;
    std::int32_t missing_child;
    std::int32_t heaviest_child;  // where unseen levels go, or not_known
    std::int32_t other_child;     // where levels not listed go, or not_known
    double threshold;
    LevelMaps::Map levels;
    std::size_t side_start, side_end;  // cuts or terms
    std::size_t surrogate_start, surrogate_end;
};

// The questions of a tree: a copy, so the tree's arrays may go. Immutable once all are added.
class Questions {
public:
    explicit Questions(const TreeView& tree);

    // The question of an inner node.
    Question add(const TreeView& tree, std::size_t node);

    // The child a row goes to, or stop_here or spread_to_all.
    template <typename R>
    std::int32_t child(const Question& question, const R& rows, std::size_t row) const {
        std::int32_t found = question.kind == NodeKind::oblique ? by_sum(question, rows, row)
                                                                : by_value(question, rows, row);
        if (found == not_seen) found = question.heaviest_child;
        return found >= 0 ? found : child_of_missing(question, rows, row);
    }

    // The same for a row that is known to miss the value.
    template <typename R>
    std::int32_t child_of_missing(const Question& question, const R& rows, std::size_t row) const {
        for (std::size_t i = question.surrogate_start; i < question.surrogate_end; ++i) {
            const std::int32_t found = by_surrogate(surrogates_[i], rows, row);
            if (found >= 0) return found;
        }
        return question.missing_child;
    }

private:
    // What a value says: the number of a child, or one of these.
    static constexpr std::int32_t not_known = -1;
    static constexpr std::int32_t not_seen = -2;

    struct Surrogate {
        NodeKind kind;
        bool flip;
        std::int32_t feature;
        std::int32_t n_levels;
        double threshold;
        LevelMaps::Map levels;
    };

    void set_levels(const TreeView& tree, std::size_t node, Question& question);
    void add_surrogates(const TreeView& tree, std::size_t node, Question& question);

    static bool is_level(std::int32_t code, std::int32_t n_levels) {
        return code >= 0 && code < n_levels;
    }

    template <typename R>
    std::int32_t by_value(const Question& question, const R& rows, std::size_t row) const {
        double value;
        if (question.n_levels >= 0) {
            const std::int32_t code = rows.code(row, as_index(question.feature));
            if (!is_level(code, question.n_levels)) {
                return code == no_level ? not_known : not_seen;
            }
            if (question.kind == NodeKind::branches || question.kind == NodeKind::subset) {
                const std::int32_t listed = level_maps_.child(question.levels, code);
                return listed != LevelMaps::unlisted ? listed : question.other_child;
            }
            value = code;
        } else {
            value = rows.number(row, as_index(question.feature));
            if (value != value) return not_known;
        }
        if (question.kind == NodeKind::threshold) return value > question.threshold;
        const auto first = cuts_.begin() + static_cast<std::ptrdiff_t>(question.side_start);
        const auto end = cuts_.begin() + static_cast<std::ptrdiff_t>(question.side_end);
        return static_cast<std::int32_t>(std::lower_bound(first, end, value) - first);
    }

    template <typename R>
    std::int32_t by_sum(const Question& question, const R& rows, std::size_t row) const {
        double sum = 0.0;
        for (std::size_t term = question.side_start; term < question.side_end; ++term) {
            const double value = rows.number(row, as_index(term_features_[term]));
            if (value != value) return not_known;
            sum += term_weights_[term] * value;
        }
        return !(sum <= question.threshold);  // infinities may cancel to NaN: the second child
    }

    template <typename R>
    std::int32_t by_surrogate(const Surrogate& surrogate, const R& rows, std::size_t row) const {
        double value;
        if (surrogate.n_levels >= 0) {
            const std::int32_t code = rows.code(row, as_index(surrogate.feature));
            if (!is_level(code, surrogate.n_levels)) return not_known;
            if (surrogate.kind == NodeKind::subset)
                return level_maps_.child(surrogate.levels, code);
            value = code;
        } else {
            value = rows.number(row, as_index(surrogate.feature));
            if (value != value) return not_known;
        }
        return (value > surrogate.threshold) != surrogate.flip;
    }

    std::vector<Surrogate> surrogates_;
    LevelMaps level_maps_;
    std::vector<double> cuts_;
    std::vector<std::int32_t> term_features_;
    std::vector<double> term_weights_;
};

}  // namespace treewright
