#include "core/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/parallel.hpp"

namespace treewright {
namespace {

// Rows walked side by side: their loads overlap, and their values stay in the first-level cache.
constexpr std::size_t block_rows = 256;
constexpr std::size_t task_rows = 16 * block_rows;

// The largest column number or question index that fits a packed node.
constexpr std::size_t operand_limit = std::size_t{1} << 28;

template <typename T>
std::span<const T> part(std::span<const T> all, std::span<const std::int64_t> start,
                        std::size_t owner) {
    return all.subspan(start[owner], start[owner + 1] - start[owner]);
}

bool is_level(std::int32_t code, std::int32_t n_levels) { return code >= 0 && code < n_levels; }

}  // namespace

// ---------------------------------------------------------------------------- levels

LevelMaps::Map LevelMaps::add(std::span<const std::int32_t> codes,
                              std::span<const std::int32_t> children) {
    if (codes.empty()) return {};
    const std::int64_t range = std::int64_t{codes.back()} - codes.front() + 1;
    const bool dense = range <= 4 * static_cast<std::int64_t>(codes.size()) + 16;
    const Map map{children_.size(), static_cast<std::int32_t>(dense ? range : codes.size()),
                  codes.front(), dense};
    children_.resize(map.start + map.size, unlisted);
    codes_.resize(children_.size(), 0);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::size_t entry = map.start + (dense ? codes[i] - map.lowest : i);
        children_[entry] = children[i];
        codes_[entry] = codes[i];
    }
    return map;
}

std::int32_t LevelMaps::child(const Map& map, std::int32_t code) const {
    if (map.dense) {
        const std::int64_t entry = std::int64_t{code} - map.lowest;
        return entry >= 0 && entry < map.size ? children_[map.start + entry] : unlisted;
    }
    const auto first = codes_.begin() + static_cast<std::ptrdiff_t>(map.start);
    const auto found = std::lower_bound(first, first + map.size, code);
    if (found == first + map.size || *found != code) return unlisted;
    return children_[static_cast<std::size_t>(found - codes_.begin())];
}

// ---------------------------------------------------------------------------- building

Predictor::Predictor(const TreeView& tree, std::span<const double> answers, std::size_t n_values)
    : answers_(answers), n_values_(n_values) {
    if (tree.n_levels.size() >= operand_limit || tree.n_nodes() >= operand_limit * 4) {
        throw std::length_error("a tree of this size cannot be arranged for prediction");
    }
    cuts_.assign(tree.cut.begin(), tree.cut.end());
    term_features_.assign(tree.term_feature.begin(), tree.term_feature.end());
    term_weights_.assign(tree.term_weight.begin(), tree.term_weight.end());
    nodes_.reserve(tree.n_nodes());
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) nodes_.push_back(pack(tree, node));
    set_child_shares(tree);
}

Predictor::PackedNode Predictor::pack(const TreeView& tree, std::size_t node) {
    const auto kind = static_cast<NodeKind>(tree.kind[node]);
    PackedNode packed{tree.threshold[node], tree.first_child[node], 0};
    if (kind == NodeKind::leaf) return packed;
    const std::int32_t missing_child = tree.missing_child[node];
    const bool has_surrogates = tree.surrogate_start[node] != tree.surrogate_start[node + 1];
    if (kind == NodeKind::threshold && tree.n_levels[tree.feature[node]] < 0 &&
        missing_child >= 0 && !has_surrogates) {
        packed.packed = static_cast<std::uint32_t>(Step::number) |
                        static_cast<std::uint32_t>(missing_child) << 2 |
                        static_cast<std::uint32_t>(tree.feature[node]) << 4;
    } else {
        packed.packed =
            static_cast<std::uint32_t>(Step::general) | add_question(tree, node) << 4;
    }
    return packed;
}

std::uint32_t Predictor::add_question(const TreeView& tree, std::size_t node) {
    Question question{};
    question.kind = static_cast<NodeKind>(tree.kind[node]);
    question.feature = tree.feature[node];
    question.threshold = tree.threshold[node];
    question.missing_child = tree.missing_child[node];
    question.other_child = LevelMaps::unlisted;
    if (question.feature >= 0) question.n_levels = tree.n_levels[question.feature];
    const auto weights = tree.weight.subspan(tree.first_child[node], tree.n_children[node]);
    question.heaviest_child = tree.unseen_to_majority
                                  ? static_cast<std::int32_t>(
                                        std::ranges::max_element(weights) - weights.begin())
                                  : not_known;
    set_levels(tree, node, question);
    const auto& side_start =
        question.kind == NodeKind::oblique ? tree.term_start : tree.cut_start;
    question.side_start = static_cast<std::size_t>(side_start[node]);
    question.side_end = static_cast<std::size_t>(side_start[node + 1]);
    add_surrogates(tree, node, question);
    if (questions_.size() >= operand_limit) throw std::length_error("too many nodes");
    questions_.push_back(question);
    return static_cast<std::uint32_t>(questions_.size() - 1);
}

void Predictor::set_levels(const TreeView& tree, std::size_t node, Question& question) {
    const auto children = part(tree.level_child, tree.level_start, node);
    if (children.empty()) return;
    question.levels = level_maps_.add(part(tree.level_code, tree.level_start, node), children);
    if (question.kind != NodeKind::branches) return;
    // Children in order: those with levels, the one of all further levels, the one of missing.
    const std::int32_t n_own = *std::ranges::max_element(children) + 1;
    const std::int32_t n_further =
        tree.n_children[node] - n_own - (question.missing_child >= n_own ? 1 : 0);
    if (n_further > 0) question.other_child = n_own;
}

void Predictor::add_surrogates(const TreeView& tree, std::size_t node, Question& question) {
    question.surrogate_start = surrogates_.size();
    for (auto i = static_cast<std::size_t>(tree.surrogate_start[node]);
         i < static_cast<std::size_t>(tree.surrogate_start[node + 1]); ++i) {
        const std::int32_t feature = tree.surrogate_feature[i];
        surrogates_.push_back(
            {static_cast<NodeKind>(tree.surrogate_kind[i]), tree.surrogate_flip[i] != 0, feature,
             tree.n_levels[feature], tree.surrogate_threshold[i],
             level_maps_.add(part(tree.surrogate_level_code, tree.surrogate_level_start, i),
                             part(tree.surrogate_level_child, tree.surrogate_level_start, i))});
    }
    question.surrogate_end = surrogates_.size();
}

void Predictor::set_child_shares(const TreeView& tree) {
    const bool spreads = std::ranges::any_of(questions_, [](const Question& question) {
        return question.missing_child == spread_to_all;
    });
    if (!spreads) return;
    n_children_.assign(tree.n_children.begin(), tree.n_children.end());
    child_share_.assign(tree.n_nodes(), 0.0);
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        const auto first = static_cast<std::size_t>(tree.first_child[node]);
        const auto end = first + static_cast<std::size_t>(tree.n_children[node]);
        double total = 0.0;
        for (std::size_t child = first; child < end; ++child) total += tree.weight[child];
        for (std::size_t child = first; child < end; ++child) {
            if (tree.weight[child] > 0) child_share_[child] = tree.weight[child] / total;
        }
    }
}

// ---------------------------------------------------------------------------- one question

template <typename R>
std::int32_t Predictor::ask(const Question& question, const R& rows, std::size_t row) const {
    std::int32_t child;
    if (question.kind == NodeKind::threshold && question.n_levels < 0) {  // C4.5's usual node
        const double value = rows.number(row, question.feature);
        child = value == value ? value > question.threshold : not_known;
    } else if (question.kind == NodeKind::oblique) {
        child = child_by_sum(question, rows, row);
    } else {
        child = child_by_value(question, rows, row);
    }
    if (child >= 0) return child;
    if (child == not_seen && question.heaviest_child >= 0) return question.heaviest_child;
    return without_value(question, rows, row);
}

template <typename R>
std::int32_t Predictor::child_by_value(const Question& question, const R& rows,
                                       std::size_t row) const {
    double value;
    if (question.n_levels >= 0) {
        const std::int32_t code = rows.code(row, question.feature);
        if (!is_level(code, question.n_levels)) return code == missing_code ? not_known : not_seen;
        if (question.kind == NodeKind::branches || question.kind == NodeKind::subset) {
            const std::int32_t child = level_maps_.child(question.levels, code);
            if (child != LevelMaps::unlisted) return child;
            return question.other_child >= 0 ? question.other_child : not_known;
        }
        value = code;
    } else {
        value = rows.number(row, question.feature);
        if (value != value) return not_known;
    }
    if (question.kind == NodeKind::threshold) return value > question.threshold;
    const auto first = cuts_.begin() + static_cast<std::ptrdiff_t>(question.side_start);
    const auto end = cuts_.begin() + static_cast<std::ptrdiff_t>(question.side_end);
    return static_cast<std::int32_t>(std::lower_bound(first, end, value) - first);
}

template <typename R>
std::int32_t Predictor::child_by_sum(const Question& question, const R& rows,
                                     std::size_t row) const {
    double sum = 0.0;
    for (std::size_t term = question.side_start; term < question.side_end; ++term) {
        const double value = rows.number(row, term_features_[term]);
        if (value != value) return not_known;
        sum += term_weights_[term] * value;
    }
    return !(sum <= question.threshold);  // infinities may cancel to NaN: the second child
}

template <typename R>
std::int32_t Predictor::child_by_surrogate(const Surrogate& surrogate, const R& rows,
                                           std::size_t row) const {
    double value;
    if (surrogate.n_levels >= 0) {
        const std::int32_t code = rows.code(row, surrogate.feature);
        if (!is_level(code, surrogate.n_levels)) return not_known;
        if (surrogate.kind == NodeKind::subset) return level_maps_.child(surrogate.levels, code);
        value = code;
    } else {
        value = rows.number(row, surrogate.feature);
        if (value != value) return not_known;
    }
    return (value > surrogate.threshold) != surrogate.flip;
}

template <typename R>
std::int32_t Predictor::without_value(const Question& question, const R& rows,
                                      std::size_t row) const {
    for (std::size_t i = question.surrogate_start; i < question.surrogate_end; ++i) {
        const std::int32_t child = child_by_surrogate(surrogates_[i], rows, row);
        if (child >= 0) return child;
    }
    return question.missing_child;
}

// ---------------------------------------------------------------------------- many rows

template <typename R>
void Predictor::walk_block(const R& rows, std::size_t first,
                           std::span<std::int32_t> ends) const {
    std::array<std::uint16_t, block_rows> walking;
    std::size_t n_walking = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        ends[i] = 0;
        walking[i] = static_cast<std::uint16_t>(i);
    }
    if (nodes_[0].step() != Step::leaf) n_walking = ends.size();

    // All rows take one step, then those at leaves drop out: neighbouring steps do not depend on
    // each other, so the processor overlaps them, and no branch depends on the data.
    while (n_walking > 0) {
        std::size_t n_left = 0;
        for (std::size_t k = 0; k < n_walking; ++k) {
            const std::uint16_t i = walking[k];
            const PackedNode node = nodes_[ends[i]];
            std::int32_t next = node.first_child;
            if (node.step() == Step::number) [[likely]] {
                const double value = rows.number(first + i, node.operand());
                next += static_cast<std::int32_t>((value > node.threshold) +
                                                  (value != value) * node.missing_child());
            } else {
                const std::int32_t child = ask(questions_[node.operand()], rows, first + i);
                if (child < 0) {
                    if (child == spread_to_all) ends[i] = ~ends[i];
                    continue;
                }
                next += child;
            }
            ends[i] = next;
            walking[n_left] = i;
            n_left += nodes_[next].step() != Step::leaf;
        }
        n_walking = n_left;
    }
}

template <typename R, typename Give>
void Predictor::spread(const R& rows, std::size_t row, std::int32_t node, Stack& stack,
                       Give give) const {
    stack.assign(1, {node, 1.0});
    while (!stack.empty()) {
        const Share here = stack.back();
        stack.pop_back();
        const PackedNode& at = nodes_[here.node];
        std::int32_t child = stop_here;
        if (at.step() == Step::number) {
            const double value = rows.number(row, at.operand());
            child = value == value ? value > at.threshold
                                   : static_cast<std::int32_t>(at.missing_child());
        } else if (at.step() == Step::general) {
            child = ask(questions_[at.operand()], rows, row);
        }
        if (child >= 0) {
            stack.push_back({at.first_child + child, here.share});
            continue;
        }
        const std::size_t n_waiting = stack.size();
        if (child == spread_to_all) {
            for (std::int32_t i = n_children_[here.node]; i-- > 0;) {  // the first ends on top
                const std::int32_t heir = at.first_child + i;
                if (child_share_[heir] > 0) stack.push_back({heir, here.share * child_share_[heir]});
            }
        }
        if (stack.size() == n_waiting) give(here.node, here.share);
    }
}

template <typename R, typename Finish>
void Predictor::for_each_block(const R& rows, int n_threads, Finish finish) const {
    const std::size_t n_tasks = (rows.n_rows + task_rows - 1) / task_rows;
    run_tasks(n_tasks, n_threads, [&](std::size_t task, int) {
        std::array<std::int32_t, block_rows> ends;
        Stack stack;
        const std::size_t task_end = std::min(rows.n_rows, (task + 1) * task_rows);
        for (std::size_t first = task * task_rows; first < task_end; first += block_rows) {
            const std::size_t n = std::min(block_rows, task_end - first);
            walk_block(rows, first, std::span(ends).first(n));
            for (std::size_t i = 0; i < n; ++i) finish(first + i, ends[i], stack);
        }
    });
}

void Predictor::values(const Rows& rows, int n_threads, std::span<double> out) const {
    std::visit(
        [&](const auto& source) {
            for_each_block(source, n_threads, [&](std::size_t row, std::int32_t end, Stack& stack) {
                double* const target = out.data() + row * n_values_;
                if (end >= 0) {
                    const double* const answer = answers_.data() + end * n_values_;
                    for (std::size_t k = 0; k < n_values_; ++k) target[k] = answer[k];
                    return;
                }
                std::fill_n(target, n_values_, 0.0);
                spread(source, row, ~end, stack, [&](std::int32_t node, double share) {
                    const double* const answer = answers_.data() + node * n_values_;
                    for (std::size_t k = 0; k < n_values_; ++k) target[k] += share * answer[k];
                });
            });
        },
        rows);
}

void Predictor::leaves(const Rows& rows, int n_threads, std::span<std::int32_t> out) const {
    std::visit(
        [&](const auto& source) {
            for_each_block(source, n_threads, [&](std::size_t row, std::int32_t end, Stack& stack) {
                out[row] = end;
                if (end >= 0) return;
                double largest = -1.0;
                spread(source, row, ~end, stack, [&](std::int32_t node, double share) {
                    if (share <= largest) return;
                    largest = share;
                    out[row] = node;
                });
            });
        },
        rows);
}

}  // namespace treewright
