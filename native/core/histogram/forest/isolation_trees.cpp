#include "core/histogram/forest/isolation_trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/arithmetic/portable_math.hpp"
#include "core/arithmetic/random.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

struct IsolationSplit {
    std::size_t column = 0;
    double threshold = 0;                   // numbers
    std::vector<std::int32_t> left, right;  // levels met here
    bool missing_left = false;
};

constexpr std::size_t rows_worth_a_check = 10'000;

class IsolationGrower {
public:
    IsolationGrower(std::span<const ColumnView> columns, std::size_t n_rows,
                    const IsolationSettings& settings)
        : columns_(columns), n_rows_(n_rows), settings_(settings) {}

    GrownTree grow(std::size_t number, const std::function<void()>& check) {
        check();
        random_ = Random::stream(settings_.seed, 2 * number + 1);
        draw(number);
        tree_ = {};
        add_nodes(1);
        std::vector<Node> open{{0, 0, 0, rows_.size()}};
        while (!open.empty()) {
            const Node node = open.back();
            open.pop_back();
            if (node.end - node.begin > rows_worth_a_check) check();
            count(node);
            auto split = draw_split(node);
            if (!split) continue;
            const std::size_t middle = divide(node, *split);
            const std::size_t child = add_nodes(2);
            describe(node.place, *split, child, 2 * (middle - node.begin) >= node.end - node.begin);
            open.push_back({child + 1, node.depth + 1, middle, node.end});
            open.push_back({child, node.depth + 1, node.begin, middle});
        }
        sum_up();
        list_levels();
        return std::move(tree_);
    }

private:
    struct Node {
        std::size_t place;
        std::int64_t depth;
        std::size_t begin, end;
    };

    void draw(std::size_t number) {
        times_ = draw_rows(settings_, number, n_rows_);
        rows_.clear();
        for (std::size_t row = 0; row < n_rows_; ++row) {
            if (times_[row] > 0) rows_.push_back(static_cast<std::uint32_t>(row));
        }
        drawn_columns_.resize(columns_.size());
        std::iota(drawn_columns_.begin(), drawn_columns_.end(), 0U);
        const std::size_t n = std::min(settings_.max_features, columns_.size());
        for (std::size_t i = 0; i < n; ++i) swap_one_in(i, columns_.size());
        drawn_columns_.resize(n);
    }

    void swap_one_in(std::size_t at, std::size_t end) {
        const std::size_t other = at + random_.below(static_cast<std::uint32_t>(end - at));
        std::swap(drawn_columns_[at], drawn_columns_[other]);
    }

    std::size_t add_nodes(std::size_t n) {
        const std::size_t first = tree_.kind.size(), size = first + n;
        tree_.kind.resize(size, static_cast<std::uint8_t>(SplitKind::leaf));
        tree_.feature.resize(size, -1);
        tree_.threshold.resize(size, 0.0);
        tree_.first_child.resize(size, 0);
        tree_.n_children.resize(size, 0);
        tree_.missing_child.resize(size, missing_stops);
        tree_.value.resize(size, 0.0);
        tree_.weight.resize(size, 0.0);
        tree_.n_rows.resize(size, 0);
        tree_.impurity.resize(size, 0.0);
        tree_.gain.resize(size, 0.0);
        tree_.score.resize(size, 0.0);
        tree_.stop_reason.resize(size, static_cast<std::uint8_t>(StopReason::none));
        tree_.split_order.resize(size, -1);
        levels_.resize(size);
        return first;
    }

    void count(const Node& node) {
        double weight = 0;
        for (std::size_t i = node.begin; i < node.end; ++i) weight += times_[rows_[i]];
        tree_.weight[node.place] = weight;
        tree_.n_rows[node.place] = static_cast<std::int64_t>(node.end - node.begin);
        tree_.value[node.place] = static_cast<double>(node.depth) + mean_isolation_depth(weight);
    }

    // Columns in random order until one has two values.
    std::optional<IsolationSplit> draw_split(const Node& node) {
        const auto stop = [&](StopReason reason) {
            tree_.stop_reason[node.place] = static_cast<std::uint8_t>(reason);
            return std::nullopt;
        };
        if (node.end - node.begin < 2) return stop(StopReason::pure);
        if (node.depth >= settings_.max_depth) return stop(StopReason::max_depth);
        for (std::size_t i = 0; i < drawn_columns_.size(); ++i) {
            swap_one_in(i, drawn_columns_.size());
            IsolationSplit split;
            split.column = drawn_columns_[i];
            const bool nominal = columns_[split.column].is_nominal();
            if (nominal ? draw_levels(node, split) : draw_threshold(node, split)) return split;
        }
        return stop(StopReason::no_candidate);
    }

    bool is_missing(const ColumnView& column, std::uint32_t row) const {
        return column.kind == ColumnKind::numeric ? std::isnan(column.number(row))
                                                  : column.code(row) < 0;
    }

    bool draw_threshold(const Node& node, IsolationSplit& split) {
        const ColumnView& column = columns_[split.column];
        double least = std::numeric_limits<double>::infinity(), largest = -least;
        for (std::size_t i = node.begin; i < node.end; ++i) {
            if (is_missing(column, rows_[i])) continue;
            const double value = column.number(rows_[i]);
            least = std::min(least, value);
            largest = std::max(largest, value);
        }
        const double limit = std::numeric_limits<double>::max();
        const double low = std::max(least, -limit), high = std::min(largest, limit);
        if (!(low < largest)) return false;
        const double share = random_.unit();
        split.threshold = low * (1 - share) + high * share;
        if (!(split.threshold >= low && split.threshold < largest)) split.threshold = low;
        return true;
    }

    bool draw_levels(const Node& node, IsolationSplit& split) {
        const ColumnView& column = columns_[split.column];
        auto& met = split.right;
        for (std::size_t i = node.begin; i < node.end; ++i) {
            if (!is_missing(column, rows_[i])) met.push_back(column.code(rows_[i]));
        }
        std::ranges::sort(met);
        met.erase(std::unique(met.begin(), met.end()), met.end());
        if (met.size() < 2) return false;
        const auto n = static_cast<std::uint32_t>(met.size());
        std::vector<bool> is_left(n);
        for (std::uint32_t i = 0; i < n; ++i) is_left[i] = random_.below(2) == 0;
        if (std::ranges::count(is_left, is_left[0]) == n) {
            is_left[random_.below(n)] = !is_left[0];
        }
        std::vector<std::int32_t> rest;
        for (std::uint32_t i = 0; i < n; ++i) (is_left[i] ? split.left : rest).push_back(met[i]);
        met = std::move(rest);
        return true;
    }

    // Puts the rows of the left child first; returns where the others begin.
    std::size_t divide(const Node& node, IsolationSplit& split) {
        const ColumnView& column = columns_[split.column];
        const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(node.begin);
        const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(node.end);
        const auto known = [&](std::uint32_t row) { return !is_missing(column, row); };
        const auto is_left = [&](std::uint32_t row) {
            return column.is_nominal() ? std::ranges::binary_search(split.left, column.code(row))
                                       : column.number(row) <= split.threshold;
        };
        const auto missing = std::stable_partition(begin, end, known);
        auto middle = std::stable_partition(begin, missing, is_left);
        if (missing != end) {
            const auto n_known = static_cast<std::uint32_t>(missing - begin);
            const auto n_left = static_cast<std::uint32_t>(middle - begin);
            split.missing_left = random_.below(n_known) < n_left;
            if (split.missing_left) {
                std::rotate(middle, missing, end);
                middle += end - missing;
            }
        }
        has_missing_ = missing != end;
        return static_cast<std::size_t>(middle - rows_.begin());
    }

    void describe(std::size_t node, const IsolationSplit& split, std::size_t child,
                  bool left_is_larger) {
        const bool nominal = columns_[split.column].is_nominal();
        tree_.kind[node] =
            static_cast<std::uint8_t>(nominal ? SplitKind::subset : SplitKind::threshold);
        tree_.feature[node] = static_cast<std::int32_t>(split.column);
        tree_.threshold[node] = split.threshold;
        tree_.first_child[node] = static_cast<std::int32_t>(child);
        tree_.n_children[node] = 2;
        tree_.missing_child[node] = !(has_missing_ ? split.missing_left : left_is_larger);
        tree_.split_order[node] = n_splits_++;
        for (const auto code : split.left) levels_[node].push_back({code, 0});
        for (const auto code : split.right) levels_[node].push_back({code, 1});
        std::ranges::sort(levels_[node]);
    }

    // An inner node predicts the mean of its rows.
    void sum_up() {
        for (std::size_t node = tree_.kind.size(); node-- > 0;) {
            if (tree_.n_children[node] == 0) continue;
            const auto left = static_cast<std::size_t>(tree_.first_child[node]), right = left + 1;
            tree_.value[node] = (tree_.value[left] * tree_.weight[left] +
                                 tree_.value[right] * tree_.weight[right]) /
                                tree_.weight[node];
        }
    }

    void list_levels() {
        tree_.level_start.push_back(0);
        for (const auto& levels : levels_) {
            for (const auto& [code, child] : levels) {
                tree_.level_code.push_back(code);
                tree_.level_child.push_back(child);
            }
            tree_.level_start.push_back(static_cast<std::int64_t>(tree_.level_code.size()));
        }
    }

    std::span<const ColumnView> columns_;
    std::size_t n_rows_;
    const IsolationSettings& settings_;
    Random random_{0};
    std::vector<std::uint8_t> times_;
    std::vector<std::uint32_t> rows_, drawn_columns_;
    std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> levels_;  // by node
    std::int32_t n_splits_ = 0;
    bool has_missing_ = false;
    GrownTree tree_;
};

}  // namespace

double mean_isolation_depth(double n) {
    if (n < 2) return 0;
    if (n == 2) return 1;
    constexpr double eulers_constant = 0.57721566490153286, ln_2 = 0.69314718055994531;
    return 2 * (log2_of(n - 1) * ln_2 + eulers_constant) - 2 * (n - 1) / n;
}

std::vector<GrownTree> grow_isolation_trees(std::span<const ColumnView> columns, std::size_t n_rows,
                                            const IsolationSettings& settings, int n_threads,
                                            const std::function<void()>& check) {
    std::vector<GrownTree> trees(settings.n_trees);
    const auto grow = [&](std::size_t i, int) {
        IsolationGrower grower(columns, n_rows, settings);
        trees[i] = grower.grow(settings.first_tree + i, check);
    };
    run_tasks(settings.n_trees, n_threads, grow, check);
    return trees;
}

}  // namespace treewright::histogram
