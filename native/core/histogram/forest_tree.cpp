#include "core/histogram/forest_tree.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "core/histogram/forest_split.hpp"
#include "core/histogram/forest_targets.hpp"
#include "core/histogram/random.hpp"
#include "core/parallel.hpp"

namespace treewright::histogram {
namespace {

// The rows of a forest with weight and target as small integers.
struct Payload {
    std::uint32_t of_row;  // 16 bits above: the target, below: the weight
};

template <class Target>
class TreeGrower {
public:
    using Word = typename Target::Word;

    TreeGrower(const ForestData& data, std::span<const std::uint32_t> payload, const Target& target,
               const ForestSettings& settings)
        : data_(data),
          payload_(payload),
          target_(target),
          settings_(settings),
          search_(data.table, target, settings.min_samples_leaf, settings.random_cuts),
          columns_(data.table.n_columns) {}

    PackedTree grow(std::size_t number, const std::function<void()>& check) {
        Random random = Random::stream(settings_.seed, 2 * number + 1);
        std::iota(columns_.begin(), columns_.end(), 0U);
        tree_ = {};
        tree_.nodes.emplace_back();
        tree_.gain.push_back(0);
        start(number);
        std::vector<Task> tasks{{0, 0, 0, n_rows_, 0}};
        while (!tasks.empty()) {
            const Task task = tasks.back();
            tasks.pop_back();
            if (task.end - task.begin > 10'000) check();
            const std::span rows{lists_[task.copy].data() + task.begin, task.end - task.begin};
            const ForestSplit split = best_split(rows, task.depth, random);
            if (!split.found()) {
                add_leaf(task.slot, rows);
                continue;
            }
            const std::uint32_t child = add_split(task.slot, split);
            const std::size_t middle = divide(task, split);
            const int copy = 1 - task.copy;
            tasks.push_back({child + 1, task.depth + 1, middle, task.end, copy});
            tasks.push_back({child, task.depth + 1, task.begin, middle, copy});
        }
        tree_.shrink();
        return std::move(tree_);
    }

private:
    struct Task {
        std::uint32_t slot;
        std::int64_t depth;
        std::size_t begin, end;
        int copy;
    };

    void start(std::size_t number) {
        drawn_ = draw_rows(settings_, number, data_.table.n_rows);
        auto& rows = lists_[0];
        rows.clear();
        for (std::size_t row = 0; row < drawn_.size(); ++row) {
            if (drawn_[row] == 0 || payload_[row] % 65536 == 0) continue;
            rows.push_back(Traveller{row} << 32 | times(payload_[row], drawn_[row]));
        }
        n_rows_ = rows.size();
        for (auto& list : lists_) list.resize(n_rows_ + 2 * rows_ahead);
    }

    static std::uint32_t times(std::uint32_t payload, std::uint32_t n) {
        if constexpr (std::is_same_v<Target, ClassesTarget>) {
            return (payload & 0xFFFF0000) | (payload & 0xFFFF) * n;
        } else {
            const auto first = static_cast<std::int32_t>(static_cast<std::int16_t>(payload >> 16));
            const auto scaled = static_cast<std::uint16_t>(first * static_cast<std::int32_t>(n));
            return std::uint32_t{scaled} << 16 | (payload & 0xFFFF) * n;
        }
    }

    // Draws columns until enough of them have more than one value here.
    ForestSplit best_split(std::span<const Traveller> rows, std::int64_t depth, Random& random) {
        ForestSplit best;
        const auto n_rows = static_cast<double>(rows.size());
        if (depth >= settings_.max_depth || n_rows < settings_.min_samples_split ||
            n_rows < 2 * settings_.min_samples_leaf) {
            return best;
        }
        node_.assign(target_.width(), Word{});
        for (const Traveller row : rows) target_.add(node_.data(), row);
        const double weight = target_.weight(node_.data());
        const double strength = target_.squares(node_.data()) / weight;
        if (is_pure(strength, weight)) return best;
        best.strength = strength + std::max(settings_.min_gain * weight, strength * 1e-12);
        std::size_t n_drawn = 0;
        int n_useful = 0;
        const int wanted = static_cast<int>(settings_.max_features);
        while (n_drawn < columns_.size() && n_useful < wanted) {
            const std::size_t n = std::min({static_cast<std::size_t>(wanted - n_useful),
                                            columns_.size() - n_drawn, search_.columns_at_once});
            for (std::size_t i = n_drawn; i < n_drawn + n; ++i) {
                const auto left = static_cast<std::uint32_t>(columns_.size() - i);
                std::swap(columns_[i], columns_[i + random.below(left)]);
            }
            n_useful += search_.search(rows, node_.data(), {columns_.data() + n_drawn, n}, random, best);
            n_drawn += n;
        }
        if (best.found()) gain_ = static_cast<float>(best.strength - strength);
        return best;
    }

    // Classes: all in one. Numbers differ as a rule, and then some split is found or not.
    bool is_pure(double strength, double weight) const {
        return data_.n_classes > 0 && strength >= weight;
    }

    std::uint32_t add_split(std::uint32_t slot, const ForestSplit& split) {
        auto& nodes = tree_.nodes;
        const bool nominal = data_.table.columns[split.column].nominal;
        if (nominal) {
            auto& words = tree_.set_words;
            nodes.push_back({static_cast<std::uint32_t>(words.size()), 0});
            words.insert(words.end(), split.goes_left.begin(), split.goes_left.end());
            words.insert(words.end(), split.met.begin(), split.met.end());
        }
        const auto child = static_cast<std::uint32_t>(nodes.size());
        nodes[slot] = PackedNode::inner(static_cast<std::uint32_t>(split.column), split.missing_left,
                                        nominal ? 0 : split.last_left, child);
        nodes.resize(child + 2);
        tree_.gain.resize(child + 2, 0);
        tree_.gain[slot] = gain_;
        return child;
    }

    void add_leaf(std::uint32_t slot, std::span<const Traveller> rows) {
        tree_.nodes[slot].child = static_cast<std::uint32_t>(tree_.n_leaves());
        tree_.n_rows.push_back(static_cast<std::uint32_t>(rows.size()));
        const std::size_t n_values = std::max<std::size_t>(1, data_.n_classes);
        tree_.value.resize(tree_.value.size() + n_values, 0.0);
        double* value = tree_.value.data() + tree_.value.size() - n_values;
        double weight = 0;
        for (const Traveller traveller : rows) {
            const std::uint32_t row = row_of(traveller);
            const double w = (data_.weight.empty() ? 1.0 : data_.weight[row]) * drawn_[row];
            weight += w;
            if (data_.n_classes > 0) {
                value[data_.classes[row]] += w;
            } else {
                value[0] += w * data_.y[row];
            }
        }
        if (data_.n_classes == 0) value[0] /= weight;
        tree_.weight.push_back(weight);
    }

    std::size_t divide(const Task& task, const ForestSplit& split) {
        std::array<std::uint8_t, n_slots> goes_left{};
        const bool nominal = data_.table.columns[split.column].nominal;
        for (unsigned bin = 0; bin < n_slots; ++bin) {
            goes_left[bin] =
                nominal ? bin / 64 < split.goes_left.size() && has_bit(split.goes_left.data(), bin)
                        : bin <= split.last_left;
        }
        goes_left[missing_bin] = split.missing_left;
        const std::uint8_t* bins = data_.table.column(split.column);
        const Traveller* from = lists_[task.copy].data();
        Traveller* to = lists_[1 - task.copy].data();
        Traveller* left = to + task.begin;
        Traveller* right = spare(task.end - task.begin);
        Traveller* const first_right = right;
        for (std::size_t i = task.begin; i < task.end; ++i) {
            __builtin_prefetch(bins + row_of(from[i + rows_ahead]));
            const std::uint8_t is_left = goes_left[bins[row_of(from[i])]];
            *(is_left ? left : right) = from[i];
            left += is_left;
            right += 1 - is_left;
        }
        std::copy(first_right, right, left);
        return static_cast<std::size_t>(left - to);
    }

    Traveller* spare(std::size_t n) {
        if (spare_.size() < n) spare_.resize(n);
        return spare_.data();
    }

    const ForestData& data_;
    std::span<const std::uint32_t> payload_;
    Target target_;
    ForestSettings settings_;
    ForestSplitSearch<Target> search_;
    std::vector<std::uint32_t> columns_;
    std::vector<std::uint8_t> drawn_;
    std::vector<Traveller> lists_[2], spare_;
    std::vector<Word> node_;
    PackedTree tree_;
    std::size_t n_rows_ = 0;
    float gain_ = 0;
};

// Targets and weights of all rows, 16 bits each, small enough to be drawn several times.
std::vector<std::uint32_t> packed_targets(const ForestData& data) {
    const std::size_t n = data.table.n_rows;
    std::vector<double> first(n), second(data.weight.begin(), data.weight.end());
    second.resize(n, 1.0);
    for (std::size_t row = 0; row < n; ++row) {
        first[row] = data.n_classes > 0 ? data.classes[row] : data.y[row];
    }
    if (data.n_classes == 0) {
        const double mean = std::accumulate(first.begin(), first.end(), 0.0) / static_cast<double>(n);
        for (double& value : first) value -= mean;
    }
    const auto unit = [](const std::vector<double>& values, double most) {
        double largest = 0, sum = 0;
        for (const double value : values) {
            largest = std::max(largest, std::abs(value));
            sum += std::abs(value);
        }
        if (!(largest > 0)) return 1.0;
        const double exact = std::min(most / largest, 0x1p30 / sum / 2) / most_often;
        return exact >= 1 && largest == std::floor(largest) ? 1.0 : exact;
    };
    const bool whole = data.weight.empty();
    const double weight_unit = whole ? 1.0 : unit(second, 65'535);
    std::vector<std::uint32_t> packed(n);
    if (data.n_classes == 0) {
        for (std::size_t row = 0; row < n; ++row) first[row] *= second[row];
    }
    const double first_unit = data.n_classes > 0 ? 1.0 : unit(first, 32'767);
    for (std::size_t row = 0; row < n; ++row) {
        const auto w = static_cast<std::uint32_t>(std::lround(second[row] * weight_unit));
        const double t = data.n_classes == 2 ? first[row] * w : first[row] * first_unit;
        packed[row] = std::uint32_t{static_cast<std::uint16_t>(std::lround(t))} << 16 | w;
    }
    return packed;
}

template <class Target>
std::vector<PackedTree> grow_all(const ForestData& data, const Target& target,
                                 const ForestSettings& settings, int n_threads,
                                 const std::function<void()>& check) {
    const std::vector<std::uint32_t> payload = packed_targets(data);
    std::vector<PackedTree> trees(settings.n_trees);
    std::vector<std::unique_ptr<TreeGrower<Target>>> growers(usable_threads(n_threads));
    run_tasks(settings.n_trees, n_threads, [&](std::size_t i, int worker) {
        auto& grower = growers[worker];
        if (!grower) grower = std::make_unique<TreeGrower<Target>>(data, payload, target, settings);
        check();
        trees[i] = grower->grow(settings.first_tree + i, check);
    });
    return trees;
}

}  // namespace

std::vector<PackedTree> grow_forest(const ForestData& data, const ForestSettings& settings,
                                    int n_threads, const std::function<void()>& check) {
    if (data.n_classes > 2) {
        return grow_all(data, ClassesTarget(data.n_classes), settings, n_threads, check);
    }
    return grow_all(data, SumTarget(), settings, n_threads, check);
}

}  // namespace treewright::histogram
