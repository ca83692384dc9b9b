#include "core/predict/predict.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "core/arithmetic/as_index.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright {
namespace {

// Rows walked in one go: few enough that their values stay in the first-level cache.
constexpr std::size_t block_rows = 128;
constexpr std::size_t task_rows = 32 * block_rows;

// Rows walked side by side, and steps between two looks at who has arrived. On a Neoverse N1 the
// leaves of 100,000 rows in a tree of 9,000 leaves take 5.7 ms so, and 13.6 ms when every row takes
// one step in turn (walk_by_questions).
constexpr std::size_t n_lanes = 8;
constexpr int steps_at_once = 6;

// The widest table whose blocks are copied into rows, if they are not rows to begin with.
constexpr std::size_t copied_columns = 64;

constexpr std::size_t column_limit = std::size_t{1} << 28;  // what a slot has bits for

}  // namespace

// ---------------------------------------------------------------------------- building

Predictor::Predictor(const TreeView& tree, std::span<const double> predictions,
                     std::size_t n_values)
    : questions_(tree),
      predictions_(predictions),
      n_values_(n_values),
      n_columns_(tree.n_levels.size()) {
    if (n_columns_ > column_limit ||
        tree.n_nodes() > std::numeric_limits<std::int32_t>::max() / 2) {
        throw std::length_error("a tree of this size cannot be arranged for prediction");
    }
    if (tree.feature[0] >= 0) idle_column_ = static_cast<std::uint32_t>(tree.feature[0]);
    std::vector<std::int32_t> slot_of(tree.n_nodes(), 0);
    slots_.resize(1);
    node_of_slot_.resize(1);
    station_of_slot_.resize(1);
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) add_node(tree, node, slot_of);
    set_child_shares(tree, slot_of);
    if (only_numbers_) set_used_columns(tree);
}

// Fills the slot of a node and opens those of its children; parents come first.
void Predictor::add_node(const TreeView& tree, std::size_t node,
                         std::vector<std::int32_t>& slot_of) {
    const auto kind = static_cast<NodeKind>(tree.kind[node]);
    const std::int32_t slot = slot_of[node];
    const auto waiting = [&](std::int32_t own_slot, Step step) {
        return Slot{std::numeric_limits<double>::infinity(), own_slot,
                    static_cast<std::uint32_t>(step) | idle_column_ << 4};
    };
    node_of_slot_[as_index(slot)] = static_cast<std::int32_t>(node);
    slots_[as_index(slot)] = waiting(slot, Step::leaf);
    if (kind == NodeKind::leaf) return;

    const std::int32_t n_children = tree.n_children[node];
    const auto first_child = static_cast<std::int32_t>(slots_.size());
    for (std::int32_t i = 0; i < n_children; ++i) {
        slot_of[as_index(tree.first_child[node] + i)] = first_child + i;
    }
    const bool is_number =
        kind == NodeKind::threshold && tree.n_levels[as_index(tree.feature[node])] < 0;
    const bool has_surrogates = tree.surrogate_start[node] != tree.surrogate_start[node + 1];
    const bool has_trap = is_number && (has_surrogates || tree.missing_child[node] < 0);
    slots_.resize(as_index(first_child + n_children + has_trap));
    node_of_slot_.resize(slots_.size());
    station_of_slot_.resize(slots_.size());

    if (is_number) {
        const std::int32_t missing_child = has_trap ? n_children : tree.missing_child[node];
        slots_[as_index(slot)] = {tree.threshold[node], first_child,
                                  static_cast<std::uint32_t>(Step::number) |
                                      static_cast<std::uint32_t>(missing_child) << 2 |
                                      static_cast<std::uint32_t>(tree.feature[node]) << 4};
    } else {
        only_numbers_ = false;
        slots_[as_index(slot)] = waiting(slot, Step::question);
    }
    if (is_number && !has_trap) return;
    const std::int32_t asking = has_trap ? first_child + n_children : slot;
    if (has_trap) slots_[as_index(asking)] = waiting(asking, Step::trap);
    station_of_slot_[as_index(asking)] = static_cast<std::int32_t>(stations_.size());
    stations_.push_back({questions_.add(tree, node), slot, first_child});
}

void Predictor::set_child_shares(const TreeView& tree, const std::vector<std::int32_t>& slot_of) {
    for (const Station& station : stations_) {
        if (station.question.missing_child != spread_to_all) continue;
        child_share_.resize(slots_.size(), 0.0);
        const std::int32_t node = node_of_slot_[as_index(station.slot)];
        const std::size_t first = as_index(tree.first_child[as_index(node)]);
        const auto weights = tree.weight.subspan(first, as_index(station.question.n_children));
        double total = 0.0;
        for (const double weight : weights) total += weight;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (weights[i] > 0) child_share_[as_index(slot_of[first + i])] = weights[i] / total;
        }
    }
}

void Predictor::set_used_columns(const TreeView& tree) {
    if (n_columns_ > copied_columns) return;
    for (std::size_t column = 0; column < n_columns_; ++column) {
        const auto used = std::ranges::find(tree.feature, static_cast<std::int32_t>(column));
        if (used != tree.feature.end()) used_columns_.push_back(static_cast<std::uint32_t>(column));
    }
}

// ---------------------------------------------------------------------------- one question

template <typename R>
std::int32_t Predictor::child_at(std::int32_t slot, const R& rows, std::size_t row) const {
    const Question& question = station_at(slot).question;
    if (slots_[as_index(slot)].step() == Step::trap) {
        return questions_.child_of_missing(question, rows, row);
    }
    return questions_.child(question, rows, row);
}

template <typename R>
Predictor::Arrival Predictor::leave(std::int32_t slot, const R& rows, std::size_t row) const {
    const Station& station = station_at(slot);
    const std::int32_t child = child_at(slot, rows, row);
    if (child == spread_to_all) return {~station.slot, false};
    if (child == stop_here) return {station.slot, false};
    const std::int32_t next = station.first_child + child;
    return {next, slots_[as_index(next)].step() != Step::leaf};
}

// ---------------------------------------------------------------------------- many rows

template <typename N, typename R>
void Predictor::walk_by_numbers(const N numbers, const R& rows, std::size_t first,
                                std::span<std::int32_t> ends) const {
    std::array<std::uint16_t, block_rows + n_lanes> walking;  // the rows that have not arrived
    for (std::size_t i = 0; i < ends.size(); ++i) {
        ends[i] = 0;
        walking[i] = static_cast<std::uint16_t>(i);
    }
    const Slot* const slots = slots_.data();
    for (std::size_t n_walking = ends.size(), n_left; n_walking > 0; n_walking = n_left) {
        n_left = 0;
        // The last group is filled up with its own last row, which then walks in several lanes.
        std::fill_n(walking.begin() + n_walking, n_lanes - 1, walking[n_walking - 1]);
        for (std::size_t group = 0; group < n_walking; group += n_lanes) {
            std::array<typename N::Place, n_lanes> place;
            std::array<const Slot*, n_lanes> at;
            for (std::size_t lane = 0; lane < n_lanes; ++lane) {
                const std::size_t i = walking[group + lane];
                place[lane] = numbers.place(i);
                at[lane] = slots + ends[i];
            }
            for (int step = 0; step < steps_at_once; ++step) {
                for (std::size_t lane = 0; lane < n_lanes; ++lane) {
                    const double value = numbers.number_at(place[lane], at[lane]->column());
                    at[lane] = slots + at[lane]->next(value);
                }
            }
            const std::size_t n_real = std::min(n_lanes, n_walking - group);
            for (std::size_t lane = 0; lane < n_real; ++lane) {
                const std::uint16_t i = walking[group + lane];
                Arrival arrival{static_cast<std::int32_t>(at[lane] - slots),
                                at[lane]->step() != Step::leaf};
                if (at[lane]->step() == Step::trap) [[unlikely]] {
                    arrival = leave(arrival.slot, rows, first + i);
                }
                ends[i] = arrival.slot;
                walking[n_left] = i;
                n_left += arrival.goes_on;
            }
        }
    }
}

template <typename R>
void Predictor::walk_by_questions(const R& rows, std::size_t first,
                                  std::span<std::int32_t> ends) const {
    std::array<std::uint16_t, block_rows> walking;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        ends[i] = 0;
        walking[i] = static_cast<std::uint16_t>(i);
    }
    for (std::size_t n_walking = ends.size(), n_left; n_walking > 0; n_walking = n_left) {
        n_left = 0;
        for (std::size_t k = 0; k < n_walking; ++k) {
            const std::uint16_t i = walking[k];
            const Slot& slot = slots_[as_index(ends[i])];
            Arrival arrival;
            if (slot.step() == Step::number) {
                arrival.slot = slot.next(rows.number(first + i, slot.column()));
                arrival.goes_on = slots_[as_index(arrival.slot)].step() != Step::leaf;
            } else {
                arrival = leave(ends[i], rows, first + i);
            }
            ends[i] = arrival.slot;
            walking[n_left] = i;
            n_left += arrival.goes_on;
        }
    }
}

template <typename R>
void Predictor::walk_block(const R& rows, std::size_t first, std::span<std::int32_t> ends,
                           Scratch& scratch) const {
    if (slots_.size() == 1) {
        std::ranges::fill(ends, 0);
    } else if (!only_numbers_ || !takes(ShortCut::prediction_lanes)) {
        walk_by_questions(rows, first, ends);
    } else if (R::is_row_major || n_columns_ > copied_columns) {
        walk_by_numbers(rows.from(first), rows, first, ends);
    } else {
        scratch.copy.resize(block_rows * n_columns_);
        for (const std::uint32_t column : used_columns_) {
            for (std::size_t i = 0; i < ends.size(); ++i) {
                scratch.copy[i * n_columns_ + column] = rows.number(first + i, column);
            }
        }
        const auto* const data = reinterpret_cast<const std::byte*>(scratch.copy.data());
        const auto row_stride = static_cast<std::ptrdiff_t>(n_columns_ * sizeof(double));
        walk_by_numbers(RowMajor<double>{data, row_stride, ends.size()}, rows, first, ends);
    }
}

template <typename R, typename Give>
void Predictor::spread(const R& rows, std::size_t row, std::int32_t slot, Scratch& scratch,
                       Give give) const {
    auto& stack = scratch.stack;
    stack.assign(1, {slot, 1.0});
    while (!stack.empty()) {
        const Share here = stack.back();
        stack.pop_back();
        const Slot& at = slots_[as_index(here.slot)];
        if (at.step() == Step::leaf) {
            give(node_of_slot_[as_index(here.slot)], here.share);
            continue;
        }
        if (at.step() == Step::number) {
            stack.push_back({at.next(rows.number(row, at.column())), here.share});
            continue;
        }
        const Station& station = station_at(here.slot);
        const std::int32_t child = child_at(here.slot, rows, row);
        const std::size_t n_waiting = stack.size();
        if (child >= 0) stack.push_back({station.first_child + child, here.share});
        if (child == spread_to_all) {
            for (std::int32_t i = station.question.n_children; i-- > 0;) {  // the first ends on top
                const std::int32_t heir = station.first_child + i;
                const double share = child_share_[as_index(heir)];
                if (share > 0) stack.push_back({heir, here.share * share});
            }
        }
        if (stack.size() == n_waiting) give(node_of_slot_[as_index(station.slot)], here.share);
    }
}

template <typename R, typename Finish>
void Predictor::for_each_row(const R& rows, int n_threads, const Check& check,
                             Finish finish) const {
    const std::size_t n_tasks = (rows.n_rows + task_rows - 1) / task_rows;
    const auto walk = [&](std::size_t task, int) {
        std::array<std::int32_t, block_rows> ends;
        Scratch scratch;
        const std::size_t task_end = std::min(rows.n_rows, (task + 1) * task_rows);
        for (std::size_t first = task * task_rows; first < task_end; first += block_rows) {
            check();
            const std::size_t n = std::min(block_rows, task_end - first);
            walk_block(rows, first, std::span(ends).first(n), scratch);
            for (std::size_t i = 0; i < n; ++i) finish(first + i, ends[i], scratch);
        }
    };
    run_tasks(n_tasks, n_threads, walk, check);
}

void Predictor::values(const Rows& rows, int n_threads, std::span<double> out,
                       const Check& check) const {
    const auto finish = [&](const auto& source, std::size_t row, std::int32_t end,
                            Scratch& scratch) {
        double* const target = out.data() + row * n_values_;
        if (end >= 0) {
            const double* const prediction =
                predictions_.data() + as_index(node_of_slot_[as_index(end)]) * n_values_;
            for (std::size_t k = 0; k < n_values_; ++k) target[k] = prediction[k];
            return;
        }
        std::fill_n(target, n_values_, 0.0);
        spread(source, row, ~end, scratch, [&](std::int32_t node, double share) {
            const double* const prediction =
                predictions_.data() + static_cast<std::size_t>(node) * n_values_;
            for (std::size_t k = 0; k < n_values_; ++k) target[k] += share * prediction[k];
        });
    };
    const auto run = [&](const auto& source) {
        for_each_row(source, n_threads, check,
                     [&](std::size_t row, std::int32_t end, Scratch& scratch) {
                         finish(source, row, end, scratch);
                     });
    };
    std::visit(run, rows);
}

void Predictor::leaves(const Rows& rows, int n_threads, std::span<std::int32_t> out,
                       const Check& check) const {
    const auto run = [&](const auto& source) {
        const auto finish = [&](std::size_t row, std::int32_t end, Scratch& scratch) {
            if (end >= 0) {
                out[row] = node_of_slot_[as_index(end)];
                return;
            }
            double largest = -1.0;
            spread(source, row, ~end, scratch, [&](std::int32_t node, double share) {
                if (share <= largest) return;
                largest = share;
                out[row] = node;
            });
        };
        for_each_row(source, n_threads, check, finish);
    };
    std::visit(run, rows);
}

RowParts Predictor::parts(const Rows& rows, const Check& check) const {
    RowParts parts;
    const auto add = [&](std::size_t row, std::int32_t node, double share) {
        parts.row.push_back(static_cast<std::int64_t>(row));
        parts.node.push_back(node);
        parts.share.push_back(share);
    };
    const auto run = [&](const auto& source) {
        for_each_row(source, 1, check, [&](std::size_t row, std::int32_t end, Scratch& scratch) {
            if (end >= 0) {
                add(row, node_of_slot_[as_index(end)], 1.0);
                return;
            }
            spread(source, row, ~end, scratch,
                   [&](std::int32_t node, double share) { add(row, node, share); });
        });
    };
    std::visit(run, rows);
    return parts;
}

}  // namespace treewright
