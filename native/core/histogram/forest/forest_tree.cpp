#include "core/histogram/forest/forest_tree.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <queue>

#include "core/arithmetic/random.hpp"
#include "core/histogram/forest/forest_split.hpp"
#include "core/histogram/forest/forest_targets.hpp"
#include "core/histogram/forest/forest_values.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t rows_worth_a_check = 10'000;

// One thread's grower: its memory serves tree after tree.
template <class Target>
class TreeGrower {
public:
    TreeGrower(const ForestData& data, const Target& target, const ForestSettings& settings)
        : data_(data),
          settings_(settings),
          gain_exponent_(target.gain_exponent()),
          weight_exponent_(target.weight_exponent()),
          search_(data.table, target, limits_of(settings)),
          columns_(data.table.n_columns) {
        double largest = 0;
        for (const double y : data.y) largest = std::max(largest, std::abs(y));
        if (largest > 0x1p900) shrink_ = 0x1p-200;
    }

    PackedTree grow(std::size_t number, const std::function<void()>& check) {
        random_ = Random::stream(settings_.seed, 2 * number + 1);
        std::iota(columns_.begin(), columns_.end(), 0U);
        tree_ = {};
        tree_.add_slots(1);
        draw(number);
        const Node root{0, 0, 0, n_rows_, 0};
        if (settings_.max_leaf_nodes >= n_rows_) {
            grow_depth_first(root, check);
        } else {
            grow_best_first(root, check);
        }
        tree_.shrink();
        return std::move(tree_);
    }

private:
    struct Node {
        std::uint32_t slot;
        std::int64_t depth;
        std::size_t begin, end;
        int copy;  // of the lists: the one that its rows are in
        std::size_t size() const { return end - begin; }
    };
    struct Planned {
        Node node;
        ForestSplit split;
        bool operator<(const Planned& other) const {
            if (split.gain != other.split.gain) return split.gain < other.split.gain;
            return node.slot > other.node.slot;
        }
    };

    static ForestSplitLimits limits_of(const ForestSettings& settings) {
        const double least = settings.weights_are_counts ? 1.0 : settings.min_samples_leaf;
        return {static_cast<std::uint32_t>(std::max(1.0, least)), settings.random_cuts,
                static_cast<std::uint32_t>(settings.min_level_rows)};
    }

    std::span<const ForestRow> rows_of(const Node& node) const {
        return {lists_[node.copy].data() + node.begin, node.size()};
    }

    void grow_depth_first(const Node& root, const std::function<void()>& check) {
        std::vector<Node> open{root};
        while (!open.empty()) {
            const Node node = open.back();
            open.pop_back();
            if (node.size() > rows_worth_a_check) check();
            find_split(node, split_);
            if (!split_.found()) {
                add_leaf(node);
                continue;
            }
            const auto [left, right] = divide(node, split_);
            open.push_back(right);
            open.push_back(left);
        }
    }

    void grow_best_first(const Node& root, const std::function<void()>& check) {
        std::priority_queue<Planned> open;
        const auto offer = [&](const Node& node) {
            check();
            find_split(node, split_);
            if (split_.found()) {
                open.push({node, split_});
            } else {
                add_leaf(node);
            }
        };
        offer(root);
        for (std::size_t n_leaves = 1; !open.empty(); ++n_leaves) {
            const Planned planned = open.top();
            open.pop();
            if (n_leaves >= settings_.max_leaf_nodes) {
                add_leaf(planned.node);
                continue;
            }
            const auto [left, right] = divide(planned.node, planned.split);
            offer(left);
            offer(right);
        }
    }

    void draw(std::size_t number) {
        drawn_ = draw_rows(settings_, number, data_.table.n_rows);
        auto& rows = lists_[0];
        rows.clear();
        for (std::size_t row = 0; row < drawn_.size(); ++row) {
            if (drawn_[row] == 0 || (!data_.weight.empty() && !(data_.weight[row] > 0))) continue;
            const auto cls = data_.n_classes > 0 ? data_.classes[row] : 0;
            rows.push_back(forest_row(row, static_cast<std::uint32_t>(cls), drawn_[row]));
        }
        n_rows_ = rows.size();
        for (auto& list : lists_) list.resize(n_rows_ + rows_ahead);
    }

    // Draws columns until enough of them have more than one value here. All of them are taken in
    // their order, so that the earlier one wins a tie.
    void find_split(const Node& node, ForestSplit& best) {
        best.column = -1;
        if (node.size() < 2 || node.depth >= settings_.max_depth) return;
        const bool by_weight = settings_.weights_are_counts;
        if (!by_weight && is_too_small(static_cast<double>(node.size()))) return;
        if (!(search_.open(rows_of(node)) > 0)) return;
        if (node.slot == 0) {
            double least = settings_.min_weight_fraction_leaf * search_.weight();
            if (by_weight) {
                least = std::max(least, std::ldexp(settings_.min_samples_leaf, weight_exponent_));
            }
            search_.set_least_weight(least);
        }
        if (by_weight && is_too_small(std::ldexp(search_.weight(), -weight_exponent_))) return;
        const std::size_t wanted = std::min(settings_.max_features, columns_.size());
        std::size_t n_tried = 0;
        for (std::size_t n_useful = 0; n_tried < columns_.size() && n_useful < wanted;) {
            const std::size_t n =
                std::min({wanted - n_useful, columns_.size() - n_tried, search_.columns_at_once()});
            if (wanted < columns_.size()) draw_columns(n_tried, n);
            n_useful += static_cast<std::size_t>(
                search_.search({columns_.data() + n_tried, n}, least_gain(), random_, best));
            n_tried += n;
        }
    }

    bool is_too_small(double n_rows) const {
        return n_rows < settings_.min_samples_split || n_rows < 2 * settings_.min_samples_leaf;
    }

    double least_gain() const {
        if (settings_.min_gain < 0) return -std::numeric_limits<double>::infinity();
        const double weight = std::ldexp(search_.weight(), -weight_exponent_);
        return std::ldexp(settings_.min_gain * weight, gain_exponent_) + search_.tolerance();
    }

    void draw_columns(std::size_t first, std::size_t n) {
        for (std::size_t i = first; i < first + n; ++i) {
            const auto left = static_cast<std::uint32_t>(columns_.size() - i);
            std::swap(columns_[i], columns_[i + random_.below(left)]);
        }
    }

    std::pair<Node, Node> divide(const Node& node, const ForestSplit& split) {
        const BinnedColumn& column = data_.table.columns[static_cast<std::size_t>(split.column)];
        if (column.nominal) tree_.nodes[tree_.add_slots(1)].question = add_set(column, split);
        const std::uint32_t child = tree_.add_slots(2);
        tree_.nodes[node.slot] =
            PackedNode::inner(static_cast<std::uint32_t>(split.column), split.missing_left,
                              column.nominal ? 0 : split.last_left, child);
        tree_.gain[node.slot] = stored_gain(std::ldexp(split.gain, -gain_exponent_));
        const std::size_t middle = column.is_wide() ? send_wide(node, split) : send(node, split);
        const int copy = 1 - node.copy;
        return {{child, node.depth + 1, node.begin, middle, copy},
                {child + 1, node.depth + 1, middle, node.end, copy}};
    }

    std::uint32_t add_set(const BinnedColumn& column, const ForestSplit& split) {
        if (column.is_wide()) return tree_.add_wide_set(split.levels);
        const std::uint32_t set = tree_.add_set(column.n_bins);
        for (const std::uint32_t level : split.levels) {
            tree_.put_in_set(set, column.n_bins, static_cast<int>(level >> 1), level & 1);
        }
        return set;
    }

    std::size_t send(const Node& node, const ForestSplit& split) {
        const auto at = static_cast<std::size_t>(split.column);
        std::array<std::uint8_t, n_slots> goes_left{};
        if (data_.table.columns[at].nominal) {
            goes_left.fill(split.missing_left);
            for (const std::uint32_t level : split.levels) goes_left[level >> 1] = level & 1;
        } else {
            std::fill_n(goes_left.begin(), split.last_left + 1, std::uint8_t{1});
        }
        goes_left[missing_bin] = split.missing_left;
        const std::uint8_t* bins = data_.table.column(at);
        return send_rows(node, bins, [&](std::uint32_t row) { return goes_left[bins[row]]; });
    }

    static constexpr std::uint8_t rare = 2;  // goes where missing values go

    std::size_t send_wide(const Node& node, const ForestSplit& split) {
        const auto at = static_cast<std::size_t>(split.column);
        const auto n_levels = static_cast<std::uint32_t>(data_.table.columns[at].n_bins);
        if (wide_side_.size() < n_levels) wide_side_.resize(n_levels, rare);
        for (const std::uint32_t level : split.levels) wide_side_[level >> 1] = level & 1;
        const std::uint32_t* codes = data_.table.wide[at].data();
        const std::size_t middle = send_rows(node, codes, [&](std::uint32_t row) -> std::uint8_t {
            const std::uint8_t side = codes[row] < n_levels ? wide_side_[codes[row]] : rare;
            return side == rare ? split.missing_left : side;
        });
        for (const std::uint32_t level : split.levels) wide_side_[level >> 1] = rare;
        return middle;
    }

    // Returns where the rows of the right child begin in the other list.
    template <class Value, class GoesLeft>
    std::size_t send_rows(const Node& node, const Value* values, GoesLeft goes_left) {
        if (spare_.size() < node.size()) spare_.resize(node.size());
        const ForestRow* from = lists_[node.copy].data();
        ForestRow* to = lists_[1 - node.copy].data();
        ForestRow* left = to + node.begin;
        ForestRow* right = spare_.data();
        for (std::size_t i = node.begin; i < node.end; ++i) {
            __builtin_prefetch(values + number_of(from[i + rows_ahead]));
            const std::uint8_t is_left = goes_left(number_of(from[i]));
            *(is_left ? left : right) = from[i];
            left += is_left;
            right += 1 - is_left;
        }
        std::copy(spare_.data(), right, left);
        return static_cast<std::size_t>(left - to);
    }

    // Values are summed in double from what was given, in the order of the rows.
    void add_leaf(const Node& node) {
        tree_.nodes[node.slot].child = static_cast<std::uint32_t>(tree_.n_leaves());
        tree_.n_rows.push_back(static_cast<std::uint32_t>(node.size()));
        const std::size_t n_values = std::max<std::size_t>(1, data_.n_classes);
        tree_.value.resize(tree_.value.size() + n_values, 0.0);
        double* value = tree_.value.data() + tree_.value.size() - n_values;
        double weight = 0;
        for (const ForestRow one : rows_of(node)) {
            const std::uint32_t row = number_of(one);
            const double w = (data_.weight.empty() ? 1.0 : data_.weight[row]) * times_of(one);
            weight += w;
            if (data_.n_classes > 0) {
                value[class_of(one)] += w;
            } else {
                value[0] += w * (data_.y[row] * shrink_);
            }
        }
        if (data_.n_classes == 0) value[0] = value[0] / weight / shrink_;
        tree_.weight.push_back(weight);
    }

    const ForestData& data_;
    ForestSettings settings_;
    int gain_exponent_, weight_exponent_;
    double shrink_ = 1;  // of targets, so that no sum overflows
    ForestSplitSearch<Target> search_;
    Random random_{0};
    std::vector<std::uint32_t> columns_;
    std::vector<std::uint8_t> drawn_, wide_side_;
    std::vector<ForestRow> lists_[2], spare_;
    std::size_t n_rows_ = 0;
    ForestSplit split_;
    PackedTree tree_;
};

template <class Target>
std::vector<PackedTree> grow_all(const ForestData& data, const Target& target,
                                 const ForestSettings& settings, int n_threads,
                                 const std::function<void()>& check) {
    std::vector<PackedTree> trees(settings.n_trees);
    std::vector<std::unique_ptr<TreeGrower<Target>>> growers(
        static_cast<std::size_t>(usable_threads(n_threads)));
    const auto grow = [&](std::size_t i, int worker) {
        auto& grower = growers[static_cast<std::size_t>(worker)];
        if (!grower) grower = std::make_unique<TreeGrower<Target>>(data, target, settings);
        check();
        trees[i] = grower->grow(settings.first_tree + i, check);
    };
    run_tasks(settings.n_trees, n_threads, grow, check);
    return trees;
}

}  // namespace

std::vector<PackedTree> grow_forest(const ForestData& data, const ForestSettings& settings,
                                    int n_threads, const std::function<void()>& check) {
    const ScaledValues values = scaled_values(data, settings);
    const ForestMeasure measure = measure_of(data, settings);
    const auto grow = [&](const auto& target) {
        return grow_all(data, target, settings, n_threads, check);
    };
    if (data.n_classes > 2) {
        if (data.weight.empty()) {
            return grow(ClassTarget<std::uint32_t>(values, measure, data.n_classes));
        }
        return grow(ClassTarget<std::uint64_t>(values, measure, data.n_classes));
    }
    if (!data.weight.empty()) return grow(SumTarget<WeightTally>(values, measure));
    if (data.n_classes > 0 && data.n_draws(settings) <= CountTally::mask) {
        return grow(SumTarget<CountTally>(values, measure));
    }
    return grow(SumTarget<DrawTally>(values, measure));
}

}  // namespace treewright::histogram
