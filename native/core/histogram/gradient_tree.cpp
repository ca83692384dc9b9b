#include "core/histogram/gradient_tree.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/histogram/counting.hpp"
#include "core/histogram/row_order.hpp"
#include "core/parallel.hpp"

namespace treewright::histogram {
namespace {

// A part of the tree that is not settled: a leaf, as long as it is not split.
struct Leaf {
    std::uint32_t slot = 0;
    std::int64_t depth = 0;
    RowOrder::Range range;
    Sum total = 0;
    std::vector<Sum> sums;  // by column and bin; empty where no split is looked for
    GradientSplit split;

    // The best first; of equals, the one that was made first.
    bool operator<(const Leaf& other) const {
        return split.gain != other.split.gain ? split.gain < other.split.gain
                                              : slot > other.slot;
    }
};

// Nodes below this are done by one thread: waking another takes longer.
constexpr std::size_t cells_worth_threads = 30'000;
constexpr std::size_t block_size = 65'536;
constexpr std::uint16_t no_leaf = UINT16_MAX;

}  // namespace

class GradientTreeGrower::Growth {
public:
    Growth(const BinnedTable& table, const GradientTreeSettings& settings, int n_threads)
        : table_(table), settings_(settings), n_threads_(n_threads) {
        n_groups_ = (table.n_columns + columns_at_once - 1) / columns_at_once;
        group_width_ = (table.n_columns + n_groups_ - 1) / n_groups_;
    }

    PackedTree grow(const Gradients& gradients, std::span<const std::uint32_t> rows,
                   std::span<double> scores, const std::function<void()>& check) {
        tree_ = {};
        add_slots(1);
        done_.clear();
        units_ = find_units(gradients, rows, n_threads_);
        pack_rows(gradients, rows, units_, n_threads_, order_.start(rows.size()));
        const SplitSearch search(settings_.limits, units_);
        search_ = &search;

        std::vector<Leaf> open;
        open.push_back(root());
        std::int64_t n_leaves = 1;
        while (!open.empty() && n_leaves < settings_.max_leaf_nodes) {
            check();
            std::pop_heap(open.begin(), open.end());
            Leaf leaf = std::move(open.back());
            open.pop_back();
            if (!leaf.split.found()) {
                open.push_back(std::move(leaf));
                break;
            }
            ++n_leaves;
            auto [left, right] = divide(leaf);
            if (n_leaves < settings_.max_leaf_nodes) search_children(leaf, left, right);
            for (Leaf* child : {&left, &right}) {
                open.push_back(std::move(*child));
                std::push_heap(open.begin(), open.end());
            }
        }
        for (Leaf& leaf : open) done_.push_back(std::move(leaf));
        settle(gradients, scores);
        tree_.shrink();
        return std::move(tree_);
    }

private:
    // The first of n new slots.
    std::uint32_t add_slots(std::size_t n) {
        const std::size_t first = tree_.nodes.size();
        tree_.nodes.resize(first + n);
        tree_.gain.resize(first + n, 0.0F);
        return static_cast<std::uint32_t>(first);
    }

    int threads_for(const Leaf& leaf) const {
        return leaf.range.size() * table_.n_columns < cells_worth_threads ? 1 : n_threads_;
    }

    std::vector<Sum> fresh_sums() {
        if (spare_.empty()) return std::vector<Sum>(table_.n_columns * n_slots);
        std::vector<Sum> sums = std::move(spare_.back());
        spare_.pop_back();
        return sums;
    }

    Leaf root() {
        Leaf leaf;
        leaf.range = order_.all();
        leaf.sums = fresh_sums();
        run_tasks(n_groups_, threads_for(leaf), [&](std::size_t group, int) {
            count(leaf, group);
        });
        for (int bin = 0; bin < n_slots; ++bin) leaf.total += leaf.sums[bin];
        search(leaf);
        return leaf;
    }

    std::size_t first_of(std::size_t group) const { return group * group_width_; }
    std::size_t end_of(std::size_t group) const {
        return std::min(table_.n_columns, first_of(group) + group_width_);
    }

    void count(Leaf& leaf, std::size_t group) {
        const std::size_t first = first_of(group);
        Sum* sums = leaf.sums.data() + first * n_slots;
        std::fill(sums, leaf.sums.data() + end_of(group) * n_slots, 0);
        add_rows(table_, first, end_of(group) - first, order_.rows(leaf.range), sums);
    }

    GradientSplit best_of(const Leaf& leaf, std::size_t group) const {
        GradientSplit best;
        if (!may_split(leaf)) return best;
        const CountRows count_rows = [&](int column, std::span<std::uint32_t, n_slots> counts) {
            const std::uint8_t* bins = table_.column(column);
            for (const Traveller row : order_.rows(leaf.range)) ++counts[bins[row_of(row)]];
        };
        for (std::size_t c = first_of(group); c < end_of(group); ++c) {
            search_->search(table_.columns[c], static_cast<int>(c), leaf.sums.data() + c * n_slots,
                            leaf.total, count_rows, best);
        }
        return best;
    }

    bool may_split(const Leaf& leaf) const {
        return leaf.depth < settings_.max_depth &&
               static_cast<double>(leaf.range.size()) >= 2 * settings_.limits.min_samples_leaf;
    }

    void search(Leaf& leaf) {
        std::vector<GradientSplit> found(n_groups_);
        run_tasks(n_groups_, threads_for(leaf),
                  [&](std::size_t group, int) { found[group] = best_of(leaf, group); });
        take_best(leaf, found);
    }

    static void take_best(Leaf& leaf, const std::vector<GradientSplit>& found) {
        for (const GradientSplit& split : found) {
            if (split.gain > leaf.split.gain) leaf.split = split;
        }
    }

    // Counts the smaller child; the other is what is left of the parent.
    void search_children(Leaf& parent, Leaf& left, Leaf& right) {
        const bool left_is_small = left.range.size() <= right.range.size();
        Leaf& small = left_is_small ? left : right;
        Leaf& large = left_is_small ? right : left;
        if (!may_split(large)) {
            spare_.push_back(std::move(parent.sums));
            return;
        }
        small.sums = fresh_sums();
        large.sums = std::move(parent.sums);
        std::vector<GradientSplit> of_small(n_groups_), of_large(n_groups_);
        run_tasks(n_groups_, threads_for(small), [&](std::size_t group, int) {
            count(small, group);
            const Sum* taken = small.sums.data();
            Sum* rest = large.sums.data();
            const std::size_t end = end_of(group) * n_slots;
            for (std::size_t i = first_of(group) * n_slots; i < end; ++i) rest[i] -= taken[i];
            of_small[group] = best_of(small, group);
            of_large[group] = best_of(large, group);
        });
        take_best(small, of_small);
        take_best(large, of_large);
        if (!small.split.found()) spare_.push_back(std::move(small.sums));
        if (!large.split.found()) spare_.push_back(std::move(large.sums));
    }

    std::pair<Leaf, Leaf> divide(Leaf& leaf) {
        const GradientSplit& split = leaf.split;
        const std::size_t n_left = order_.split(leaf.range, table_.column(split.column),
                                                split.goes_left, threads_for(leaf));
        Leaf left, right;
        left.depth = right.depth = leaf.depth + 1;
        const std::size_t middle = leaf.range.begin + n_left;
        left.range = {leaf.range.begin, middle, 1 - leaf.range.copy};
        right.range = {middle, leaf.range.end, 1 - leaf.range.copy};
        left.total = split.left;
        right.total = leaf.total - split.left;
        left.slot = add_split(leaf, left.range.size() > right.range.size());
        right.slot = left.slot + 1;
        return {std::move(left), std::move(right)};
    }

    // Returns the slot of the left child. Where no value is missing, the larger child would take it.
    std::uint32_t add_split(const Leaf& leaf, bool left_is_larger) {
        const GradientSplit& split = leaf.split;
        const BinnedColumn& column = table_.columns[split.column];
        const Sum* sums = leaf.sums.data() + split.column * n_slots;
        if (column.nominal) {
            const std::uint32_t slot = add_slots(1);
            const std::uint32_t set = tree_.add_set(column.n_bins);
            tree_.nodes[slot] = {set, 0};
            for (int bin = 0; bin < column.n_bins; ++bin) {
                if (sums[bin] != 0) {
                    tree_.put_in_set(set, column.n_bins, bin, split.goes_left[bin]);
                }
            }
        }
        const bool missing_left =
            sums[missing_bin] != 0 ? split.goes_left[missing_bin] : left_is_larger;
        const std::uint32_t child = add_slots(2);
        tree_.nodes[leaf.slot] =
            PackedNode::inner(static_cast<std::uint32_t>(split.column), missing_left,
                              column.nominal ? 0 : static_cast<unsigned>(split.last_bin), child);
        tree_.gain[leaf.slot] = static_cast<float>(split.gain);
        return child;
    }

    // Answers of leaves from gradients as they were before rounding. Rows are told their leaf, then
    // all is done row by row: that is several times faster than going from leaf to leaf.
    void settle(const Gradients& gradients, std::span<double> scores) {
        leaf_of_row_.assign(table_.n_rows, no_leaf);
        run_tasks(done_.size(), n_threads_, [&](std::size_t leaf, int) {
            for (const Traveller row : order_.rows(done_[leaf].range)) {
                leaf_of_row_[row_of(row)] = static_cast<std::uint16_t>(leaf);
            }
        });
        tree_.value = leaf_values(gradients);
        const double* values = tree_.value.data();
        const std::size_t n_blocks = (table_.n_rows + block_size - 1) / block_size;
        run_tasks(n_blocks, n_threads_, [&](std::size_t block, int) {
            const std::size_t end = std::min(table_.n_rows, (block + 1) * block_size);
            for (std::size_t row = block * block_size; row < end; ++row) {
                scores[row] += values[leaf_of_row_[row]];
            }
        });
        for (std::size_t leaf = 0; leaf < done_.size(); ++leaf) {
            tree_.nodes[done_[leaf].slot].child = static_cast<std::uint32_t>(leaf);
            tree_.n_rows.push_back(static_cast<std::uint32_t>(done_[leaf].range.size()));
            tree_.weight.push_back(static_cast<double>(done_[leaf].range.size()));
            if (!done_[leaf].sums.empty()) spare_.push_back(std::move(done_[leaf].sums));
        }
    }

    // Blocks of rows are summed apart and then in their order, so threads change nothing.
    std::vector<double> leaf_values(const Gradients& gradients) {
        struct Pair {
            double gradient = 0, hessian = 0;
        };
        const std::size_t n_leaves = done_.size();
        const std::size_t n_blocks = (table_.n_rows + block_size - 1) / block_size;
        std::vector<Pair> sums(n_blocks * n_leaves);
        run_tasks(n_blocks, n_threads_, [&](std::size_t block, int) {
            Pair* of_leaf = sums.data() + block * n_leaves;
            const std::size_t end = std::min(table_.n_rows, (block + 1) * block_size);
            for (std::size_t row = block * block_size; row < end; ++row) {
                if (leaf_of_row_[row] == no_leaf) continue;
                Pair& pair = of_leaf[leaf_of_row_[row]];
                pair.gradient += gradients.first[row];
                pair.hessian += gradients.hessian(row);
            }
        });
        std::vector<double> values(n_leaves);
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            Pair all;
            for (std::size_t i = leaf; i < sums.size(); i += n_leaves) {
                all.gradient += sums[i].gradient;
                all.hessian += sums[i].hessian;
            }
            values[leaf] = settings_.learning_rate * exact_value(all.gradient, all.hessian);
        }
        return values;
    }

    double exact_value(double gradient, double hessian) const {
        const double shrunk = std::max(std::abs(gradient) - settings_.limits.l1, 0.0);
        const double below = hessian + settings_.limits.l2;
        return below > 0 ? -std::copysign(shrunk, gradient) / below : 0.0;
    }

    const BinnedTable& table_;
    GradientTreeSettings settings_;
    int n_threads_;
    std::size_t n_groups_, group_width_;
    Units units_;
    RowOrder order_;
    PackedTree tree_;
    std::vector<Leaf> done_;
    std::vector<std::uint16_t> leaf_of_row_;
    std::vector<std::vector<Sum>> spare_;
    const SplitSearch* search_ = nullptr;
};

GradientTreeGrower::GradientTreeGrower(const BinnedTable& table,
                                       const GradientTreeSettings& settings, int n_threads)
    : growth_(std::make_unique<Growth>(table, settings, n_threads)) {}

GradientTreeGrower::~GradientTreeGrower() = default;

PackedTree GradientTreeGrower::grow(const Gradients& gradients, std::span<const std::uint32_t> rows,
                                   std::span<double> scores, const std::function<void()>& check) {
    return growth_->grow(gradients, rows, scores, check);
}

}  // namespace treewright::histogram
