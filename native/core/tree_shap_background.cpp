#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "core/parallel.hpp"
#include "core/tree_shap.hpp"
#include "core/watch.hpp"

namespace treewright {
namespace {

constexpr std::size_t task_rows = 4;

// Routes of background rows that are kept at a time: 16 MB.
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

// (n - 1)! m! / (n + m)!: the part of the orders of n + m columns in which a given one of the n
// comes after all others of them and before all of the m.
double part_of_orders(std::size_t n, std::size_t m) {
    double part = 1.0 / static_cast<double>(n + m);
    const std::size_t fewer = std::min(n - 1, m), rest = n + m - 1;
    for (std::size_t i = 1; i <= fewer; ++i) {
        part *= static_cast<double>(i) / static_cast<double>(rest - fewer + i);
    }
    return part;
}

// The same for few columns, looked up.
class OrderTable {
public:
    OrderTable() {
        for (std::size_t n = 1; n < size; ++n) {
            for (std::size_t m = 0; m < size; ++m) part_[n][m] = part_of_orders(n, m);
        }
    }
    double operator()(std::size_t n, std::size_t m) const {
        if (n == 0) return 0.0;
        return n < size && m < size ? part_[n][m] : part_of_orders(n, m);
    }

private:
    static constexpr std::size_t size = 24;
    std::array<std::array<double, size>, size> part_{};
};

// Every way that mixtures of two rows take through the tree. A way is taken if some columns come
// from the row (n of them) and some from the background (m); the answer at its end is worth
// part_of_orders(n, m) to each of the n, and less by part_of_orders(m, n) to each of the m.
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
        std::int32_t found;          // stop_here, spread_to_all or ask
        std::int32_t next;           // way
        std::ptrdiff_t column;       // that decides; -1 if none
        std::ptrdiff_t given;        // the column that got its side by the step to here; -1 if none
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
            const std::int32_t found =
                tree_.questions().child(tree_.question(node), mixture, 0);
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
            from_row[k] = gain * tree_.answer(node)[k];
            from_background[k] = loss * tree_.answer(node)[k];
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

    // Of the answers below a visit: what they are worth to the columns of the row, and of the other.
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

std::vector<RoutedRow> routed_rows(const ShapTree& tree, const Rows& rows, std::size_t first,
                                   std::size_t end, Watch& watch) {
    std::vector<RoutedRow> routed;
    routed.reserve(end - first);
    for (std::size_t row = first; row < end; ++row) {
        watch.check();
        routed.emplace_back(tree, rows, row);
    }
    return routed;
}

std::size_t n_rows_in(const Rows& rows) {
    return std::visit([](const auto& source) { return source.n_rows; }, rows);
}

}  // namespace

void add_shap_against(const ShapTree& tree, const Rows& rows, const Rows& background,
                      const ShapWork& work) {
    const std::size_t n_rows = n_rows_in(rows), n_background = n_rows_in(background);
    const std::size_t n_columns = tree.n_columns();
    const double scale = 1.0 / static_cast<double>(n_background);
    const std::size_t block = std::max<std::size_t>(1, route_limit / tree.n_nodes());
    const OrderTable parts;
    Watch watch(work.interrupted);
    for (std::size_t first = 0; first < n_background; first += block) {
        const std::vector<RoutedRow> others =
            routed_rows(tree, background, first, std::min(n_background, first + block), watch);
        run_tasks((n_rows + task_rows - 1) / task_rows, work.n_threads, [&](std::size_t task, int) {
            MixtureWalk walk(tree, parts, watch);
            const std::size_t end = std::min(n_rows, (task + 1) * task_rows);
            for (std::size_t row = task * task_rows; row < end; ++row) {
                const RoutedRow own(tree, rows, row);
                double* const out = work.out.data() + row * n_columns * tree.n_values();
                watch.check();
                for (const RoutedRow& other : others) walk.run(own, other, scale, out);
            }
        });
    }
}

}  // namespace treewright
