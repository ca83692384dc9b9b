#include <algorithm>
#include <cmath>
#include <variant>

#include "core/parallel/cancellation.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/shap/masks.hpp"
#include "core/shap/tree_shap.hpp"
#include "core/short_cuts.hpp"

namespace treewright {
namespace {

constexpr std::size_t task_rows = 8;

// Routes of background rows that are stored at a time: at most 64 MB with their masks.
constexpr std::size_t route_limit = std::size_t{1} << 22;

enum class Side : std::uint8_t { open, row, background };

// A row some of whose columns have the values of a background row. Remembers the first column that
// was looked at while it was open which value it has.
struct Mixture {
    const double* row;
    const double* background;
    const Side* sides;
    mutable std::ptrdiff_t open_column = -1;

    double value(std::size_t column) const {
        const double here = row[column], there = background[column];
        if (sides[column] == Side::background) return there;
        const bool is_same = here == there || (std::isnan(here) && std::isnan(there));
        if (sides[column] == Side::open && !is_same && open_column < 0) {
            open_column = static_cast<std::ptrdiff_t>(column);
        }
        return here;
    }
    double number(std::size_t, std::size_t column) const { return value(column); }
    std::int32_t code(std::size_t, std::size_t column) const {
        return static_cast<std::int32_t>(value(column));
    }
};

// A row, and where it goes at each node, if one column decides that.
class RoutedRow {
public:
    static constexpr std::int32_t by_several = -3;

    RoutedRow(const ShapTree& tree, const Rows& rows, std::size_t row)
        : values_(tree.n_columns()), child_(tree.n_nodes(), stop_here) {
        tree.copy_row(rows, row, values_.data());
        for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
            if (tree.is_leaf(node)) continue;
            Counter counter{values_.data()};
            const std::int32_t found = tree.questions().child(tree.question(node), counter, 0);
            const bool is_one = counter.n_reads == 1 && tree.question(node).feature >= 0;
            child_[node] = is_one ? found : by_several;
        }
    }

    const double* values() const { return values_.data(); }
    std::int32_t child(std::size_t node) const { return child_[node]; }

private:
    struct Counter {
        const double* values;
        mutable int n_reads = 0;

        double number(std::size_t, std::size_t column) const {
            ++n_reads;
            return values[column];
        }
        std::int32_t code(std::size_t, std::size_t column) const {
            ++n_reads;
            return static_cast<std::int32_t>(values[column]);
        }
    };

    std::vector<double> values_;
    std::vector<std::int32_t> child_;
};

// Every way that mixtures of two rows take through the tree. A way is taken if some columns come
// from the row (n of them) and some from the background (m); the prediction at its end is
// worth part_of_orders(n, m) to each of the n, and less by part_of_orders(m, n) to each of the m.
class MixtureWalk {
public:
    MixtureWalk(const ShapTree& tree, const OrderTable& parts, Watch& watch)
        : tree_(tree), parts_(parts), watch_(watch), sides_(tree.n_columns(), Side::open) {}

    void run(const RoutedRow& row, const RoutedRow& background, double scale, double* out) {
        row_ = &row;
        background_ = &background;
        out_ = out;
        enter(0, scale, -1);
        while (!stack_.empty()) {
            if (stack_.back().next == n_ways(stack_.back())) {
                leave();
            } else {
                go();
            }
        }
    }

private:
    static constexpr std::int32_t ask = -4;

    struct Visit {
        std::size_t node;
        std::int32_t found;     // stop_here, spread_to_all or ask
        std::int32_t next;      // way
        std::ptrdiff_t column;  // that decides; -1 if none
        std::ptrdiff_t given;   // the column that got its side by the step to here; -1 if none
        double scale;
    };

    std::int32_t n_ways(const Visit& visit) const {
        if (visit.found == ask) return 2;
        return visit.found == spread_to_all ? tree_.question(visit.node).n_children : 0;
    }

    // The child that the mixture goes to, or stop_here, spread_to_all; or ask, if `column` decides.
    std::int32_t find(std::size_t node, std::ptrdiff_t& column) const {
        if (tree_.is_leaf(node)) return stop_here;
        const std::int32_t here = row_->child(node), there = background_->child(node);
        if (here == RoutedRow::by_several || there == RoutedRow::by_several) {
            const Mixture mixture{row_->values(), background_->values(), sides_.data()};
            const std::int32_t found = tree_.questions().child(tree_.question(node), mixture, 0);
            column = mixture.open_column;
            return column < 0 ? found : ask;
        }
        if (here == there) return here;
        column = tree_.question(node).feature;
        const Side side = sides_[static_cast<std::size_t>(column)];
        if (side == Side::open) return ask;
        return side == Side::row ? here : there;
    }

    void enter(std::size_t node, double scale, std::ptrdiff_t given) {
        if ((++n_steps_ & 1023) == 0) watch_.check();
        std::ptrdiff_t column = -1;
        std::int32_t found = find(node, column);
        while (found >= 0) {
            node = tree_.child(node, found);
            found = find(node, column);
        }
        if (found == spread_to_all && tree_.own_share(node) > 0) found = stop_here;
        const std::size_t n_values = tree_.n_values(), depth = stack_.size();
        stack_.push_back({node, found, 0, column, given, scale});
        if (sums_.size() < 2 * (depth + 1) * n_values) sums_.resize(4 * (depth + 1) * n_values);
        double* const from_row = sums(depth);
        double* const from_background = from_row + n_values;
        const double worth = found == stop_here ? scale : 0.0;
        const double gain = worth * parts_(n_row_, n_background_);
        const double loss = worth * parts_(n_background_, n_row_);
        for (std::size_t k = 0; k < n_values; ++k) {
            from_row[k] = gain * tree_.prediction(node)[k];
            from_background[k] = loss * tree_.prediction(node)[k];
        }
    }

    void go() {
        Visit& here = stack_.back();
        const std::int32_t way = here.next++;
        if (here.found == spread_to_all) {
            const std::size_t heir = tree_.child(here.node, way);
            if (tree_.share(heir) > 0) enter(heir, here.scale * tree_.share(heir), -1);
            return;
        }
        sides_[static_cast<std::size_t>(here.column)] = way == 0 ? Side::row : Side::background;
        ++(way == 0 ? n_row_ : n_background_);
        enter(here.node, here.scale, here.column);
    }

    void leave() {
        const Visit visit = stack_.back();
        stack_.pop_back();
        const std::size_t n_values = tree_.n_values(), depth = stack_.size();
        const double* const from_row = sums(depth);
        if (visit.given >= 0) {
            const auto column = static_cast<std::size_t>(visit.given);
            const bool is_row = sides_[column] == Side::row;
            double* const part = out_ + column * n_values;
            for (std::size_t k = 0; k < n_values; ++k) {
                part[k] += is_row ? from_row[k] : -from_row[n_values + k];
            }
            --(is_row ? n_row_ : n_background_);
            sides_[column] = Side::open;
        }
        if (depth == 0) return;
        double* const above = sums(depth - 1);
        for (std::size_t i = 0; i < 2 * n_values; ++i) above[i] += from_row[i];
    }

    // Of the predictions below a visit: what they are worth to the columns of the row, and of the
    // background row.
    double* sums(std::size_t depth) { return sums_.data() + 2 * depth * tree_.n_values(); }

    const ShapTree& tree_;
    const OrderTable& parts_;
    Watch& watch_;
    const RoutedRow* row_ = nullptr;
    const RoutedRow* background_ = nullptr;
    double* out_ = nullptr;
    std::vector<Side> sides_;
    std::size_t n_row_ = 0;
    std::size_t n_background_ = 0;
    std::size_t n_steps_ = 0;
    std::vector<Visit> stack_;
    std::vector<double> sums_;
};

std::size_t n_rows_in(const Rows& rows) {
    return std::visit([](const auto& source) { return source.n_rows; }, rows);
}

// Reads rows one after the other; `read` returns whether masks can say where a row goes.
struct MaskReader {
    MaskReader(const ShapTree& tree, const ShapSteps& steps)
        : tree(tree), steps(steps), values(tree.n_columns()), routes(steps.n_inner()) {}

    bool read(const Rows& rows, std::size_t row) {
        if (!takes(ShortCut::shapley_masks)) return false;
        if (steps.most_columns() > BackgroundMasks::most_columns) return false;
        tree.copy_row(rows, row, values.data());
        return steps.route(values.data(), routes.data(), 1);
    }

    const ShapTree& tree;
    const ShapSteps& steps;
    std::vector<double> values;
    std::vector<std::int64_t> routes;
};

// Some background rows: counted by their masks, or one by one where there is no other way.
struct Background {
    BackgroundMasks masks;
    std::vector<RoutedRow> without_mask;
    std::vector<RoutedRow> all;  // if there are rows without a mask to compare with
};

class Comparison {
public:
    Comparison(const ShapTree& tree, const Rows& rows, const Rows& background, const ShapWork& work)
        : tree_(tree),
          rows_(rows),
          background_(background),
          work_(work),
          steps_(tree),
          watch_(work.interrupted),
          has_mask_(n_rows_in(rows)) {}

    void run() {
        MaskReader reader(tree_, steps_);
        for (std::size_t row = 0; row < has_mask_.size(); ++row) {
            watch_.check();
            has_mask_[row] = reader.read(rows_, row);
        }
        const std::size_t n = n_rows_in(background_);
        const std::size_t block = std::max<std::size_t>(1, route_limit / tree_.n_nodes());
        for (std::size_t first = 0; first < n; first += block) {
            compare_with(read_background(first, std::min(n, first + block)));
        }
    }

private:
    Background read_background(std::size_t first, std::size_t end) {
        const bool all_have_masks = std::ranges::find(has_mask_, 0) == has_mask_.end();
        Background found{BackgroundMasks(tree_, steps_, parts_), {}, {}};
        MaskReader reader(tree_, steps_);
        BackgroundMasks::Scratch scratch;
        for (std::size_t row = first; row < end; ++row) {
            watch_.check();
            if (reader.read(background_, row)) {
                found.masks.add_background(reader.routes.data(), scratch);
            } else {
                found.without_mask.emplace_back(tree_, background_, row);
            }
            if (!all_have_masks) found.all.emplace_back(tree_, background_, row);
        }
        found.masks.count(scale());
        return found;
    }

    void compare_with(const Background& others) {
        const std::size_t n_rows = has_mask_.size(), per_row = tree_.n_columns() * tree_.n_values();
        const std::size_t n_tasks = (n_rows + task_rows - 1) / task_rows;
        run_tasks(n_tasks, work_.n_threads, [&](std::size_t task, int) {
            MixtureWalk walk(tree_, parts_, watch_);
            MaskReader reader(tree_, steps_);
            BackgroundMasks::Scratch scratch;
            const std::size_t end = std::min(n_rows, (task + 1) * task_rows);
            for (std::size_t row = task * task_rows; row < end; ++row) {
                watch_.check();
                double* const out = work_.out.data() + row * per_row;
                if (has_mask_[row] && reader.read(rows_, row)) {
                    others.masks.add(reader.routes.data(), out, scratch);
                }
                const auto& singles = has_mask_[row] ? others.without_mask : others.all;
                if (singles.empty()) continue;
                const RoutedRow own(tree_, rows_, row);
                for (const RoutedRow& other : singles) walk.run(own, other, scale(), out);
            }
        });
    }

    double scale() const { return 1.0 / static_cast<double>(n_rows_in(background_)); }

    const ShapTree& tree_;
    const Rows& rows_;
    const Rows& background_;
    const ShapWork& work_;
    const OrderTable parts_;
    const ShapSteps steps_;
    Watch watch_;
    std::vector<std::uint8_t> has_mask_;  // of each row
};

}  // namespace

void add_shap_against(const ShapTree& tree, const Rows& rows, const Rows& background,
                      const ShapWork& work) {
    Comparison(tree, rows, background, work).run();
}

}  // namespace treewright
