#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/gradient_settings.hpp"
#include "bindings/histogram_table.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "core/histogram/boosting/gradient_tree.hpp"
#include "core/histogram/boosting/tree_partition.hpp"
#include "core/histogram/packed/packed_ensemble.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::BinnedTable;
using histogram::FinishedLeaf;
using histogram::GradientSurvey;
using histogram::GradientTreeGrower;
using histogram::GradientTreeSettings;
using histogram::LargestGradients;
using histogram::LeafSums;
using histogram::NodeCounts;
using histogram::NodeDivision;
using histogram::PackedEnsemble;
using histogram::Sum;
using histogram::Units;

namespace {

// Between partitions and the grower everything is numbers, bytes and arrays, which Python can send
// anywhere.

nb::tuple to_python(const LargestGradients& largest) {
    return nb::make_tuple(largest.gradient, largest.hessian, largest.weight);
}

LargestGradients largest_from(nb::handle given) {
    const auto [gradient, hessian, weight] = std::array{nb::cast<double>(given[0]),
                                                        nb::cast<double>(given[1]),
                                                        nb::cast<double>(given[2])};
    return {gradient, hessian, weight};
}

nb::tuple to_python(const Units& units) {
    return nb::make_tuple(units.gradient, units.hessian, units.largest_hessian, units.coarse,
                          to_python(units.largest));
}

Units units_from(nb::handle given) {
    Units units;
    units.gradient = nb::cast<double>(given[0]);
    units.hessian = nb::cast<double>(given[1]);
    units.largest_hessian = nb::cast<double>(given[2]);
    units.coarse = nb::cast<bool>(given[3]);
    units.largest = largest_from(given[4]);
    return units;
}

nb::object to_python(const NodeDivision& division) {
    return nb::make_tuple(division.parent, division.left, division.column, division.right_is_small,
                          division.of_small.sums, division.of_small.n_rows,
                          division.of_large.sums, division.of_large.n_rows,
                          nb::bytes(division.goes_left.data(), division.goes_left.size()),
                          nb::bytes(division.wide_sides.data(), division.wide_sides.size()));
}

NodeDivision division_from(nb::handle given) {
    NodeDivision division;
    division.parent = nb::cast<std::uint32_t>(given[0]);
    division.left = nb::cast<std::uint32_t>(given[1]);
    division.column = nb::cast<std::uint32_t>(given[2]);
    division.right_is_small = nb::cast<bool>(given[3]);
    division.of_small = {nb::cast<bool>(given[4]), nb::cast<bool>(given[5])};
    division.of_large = {nb::cast<bool>(given[6]), nb::cast<bool>(given[7])};
    const auto sides = nb::cast<nb::bytes>(given[8]), wide = nb::cast<nb::bytes>(given[9]);
    require(sides.size() == division.goes_left.size(), "goes_left: a byte for each bin");
    const auto* const bytes = static_cast<const std::uint8_t*>(sides.data());
    std::copy_n(bytes, sides.size(), division.goes_left.begin());
    const auto* const of_levels = static_cast<const std::uint8_t*>(wide.data());
    division.wide_sides.assign(of_levels, of_levels + wide.size());
    return division;
}

constexpr std::size_t sums_of_leaf = sizeof(LeafSums) / sizeof(std::int64_t);

nb::tuple to_python(NodeCounts&& counts) {
    std::vector<std::int64_t> exact;
    for (const auto& [gradient, hessian, weight] : counts.exact) {
        exact.insert(exact.end(), {gradient.coarse, gradient.fine, hessian.coarse, hessian.fine,
                                   weight.coarse, weight.fine});
    }
    return nb::make_tuple(owned_array(std::move(counts.sums)),
                          owned_array(std::move(counts.n_rows)),
                          owned_array(std::move(counts.wide_sums)),
                          owned_array(std::move(counts.wide_rows)), owned_array(std::move(exact)),
                          owned_array(std::move(counts.n_left)));
}

template <class Number>
std::vector<Number> numbers_from(nb::handle given, const char* name) {
    const Buffer buffer(given, name);
    const auto numbers = buffer.elements<Number>();
    return {numbers.begin(), numbers.end()};
}

NodeCounts counts_from(nb::handle given) {
    NodeCounts counts;
    counts.sums = numbers_from<Sum>(given[0], "sums");
    counts.n_rows = numbers_from<std::uint32_t>(given[1], "n_rows");
    counts.wide_sums = numbers_from<Sum>(given[2], "wide sums");
    counts.wide_rows = numbers_from<std::uint32_t>(given[3], "wide rows");
    const auto exact = numbers_from<std::int64_t>(given[4], "exact sums");
    counts.n_left = numbers_from<std::int64_t>(given[5], "n_left");
    require(exact.size() % sums_of_leaf == 0, "exact sums: six for each node");
    for (std::size_t i = 0; i < exact.size(); i += sums_of_leaf) {
        const std::int64_t* const own = exact.data() + i;
        counts.exact.push_back({{own[0], own[1]}, {own[2], own[3]}, {own[4], own[5]}});
    }
    return counts;
}

// Rows of a partition that a tree is grown on: an array of their numbers, or None for all.
struct BorrowedDraw {
    BorrowedDraw(nb::handle given, std::size_t n_rows) : rows{{}, n_rows} {
        if (given.is_none()) return;
        rows.list = held.emplace_back(given, "drawn").elements<std::uint32_t>();
        if (rows.list.empty()) rows.n_rows = 0;
        for (const std::uint32_t row : rows.list) require(row < n_rows, "drawn: no such row");
    }

    std::vector<Buffer> held;
    histogram::GrownOn rows;
};

// Gradients of the rows of a partition: (first, second or None, weight or None, logistic).
struct BorrowedGradients {
    BorrowedGradients(const nb::tuple& given, std::size_t n_rows)
        : first(given[0], "gradient"), second(given[1], n_rows), weight(given[2], n_rows) {
        values = {first.elements<double>(), second.values, weight.values,
                  nb::cast<bool>(given[3])};
        require(values.first.size() == n_rows, "gradient: one value per row");
        require(!values.logistic || (values.second.empty() && values.weight.empty()),
                "logistic: without hessian and weight");
    }

    Buffer first;
    BorrowedWeights second, weight;
    histogram::Gradients values;
};

// A partition, and its table, which Python may have let go.
struct BoundPartition {
    nb::object table;
    std::size_t n_rows;
    int n_threads;
    histogram::TreePartition partition;
};

void make_partition(BoundPartition* self, nb::object table, std::size_t first_row,
                    std::size_t n_rows_of_all, int n_threads) {
    const auto& binned = nb::cast<const BinnedTable&>(table);
    require(n_rows_of_all >= first_row + binned.n_rows, "n_rows_of_all: too few");
    n_threads = std::max(n_threads, 1);
    new (self) BoundPartition{
        std::move(table), binned.n_rows, n_threads,
        histogram::TreePartition(binned, first_row, n_rows_of_all, n_threads)};
}

nb::tuple largest(const BoundPartition& self, const nb::tuple& gradients, nb::handle drawn) {
    const BorrowedGradients given(gradients, self.n_rows);
    const BorrowedDraw used(drawn, self.n_rows);
    return to_python(interruptible([&](const auto&) {
        return histogram::largest_gradients(given.values, used.rows, self.n_threads);
    }));
}

nb::tuple survey(const BoundPartition& self, const nb::tuple& gradients, nb::handle drawn,
                 const nb::tuple& bounds, std::size_t n_drawn_of_all) {
    const BorrowedGradients given(gradients, self.n_rows);
    const BorrowedDraw used(drawn, self.n_rows);
    const LargestGradients most = largest_from(bounds);
    const GradientSurvey found = interruptible([&](const auto&) {
        return histogram::survey_gradients(given.values, used.rows, most, n_drawn_of_all,
                                           self.n_threads);
    });
    return nb::make_tuple(to_python(found.largest), found.gradient.coarse, found.hessian.coarse);
}

nb::tuple start(BoundPartition& self, const nb::tuple& gradients, nb::handle drawn,
                const nb::tuple& units, std::uint64_t draw, bool counts_rows) {
    const BorrowedGradients given(gradients, self.n_rows);
    const BorrowedDraw used(drawn, self.n_rows);
    const Units in_units = units_from(units);
    return to_python(interruptible([&](const auto&) {
        return self.partition.start(given.values, used.rows, in_units, draw, counts_rows);
    }));
}

nb::tuple divide(BoundPartition& self, const nb::tuple& gradients, const nb::list& divisions) {
    const BorrowedGradients given(gradients, self.n_rows);
    std::vector<NodeDivision> all;
    for (const nb::handle division : divisions) all.push_back(division_from(division));
    return to_python(interruptible(
        [&](const auto& check) { return self.partition.divide(all, given.values, check); }));
}

nb::object count_rows(const BoundPartition& self, nb::handle nodes) {
    const Buffer given(nodes, "nodes");
    return owned_array(interruptible([&](const auto&) {
        return self.partition.count_rows(given.elements<std::uint32_t>());
    }));
}

nb::object leaf_of_rows(const BoundPartition& self, nb::handle nodes) {
    const Buffer given(nodes, "nodes");
    return owned_array(interruptible([&](const auto&) {
        return self.partition.leaf_of_rows(given.elements<std::uint32_t>());
    }));
}

void add_values(const BoundPartition& self, nb::handle nodes, nb::handle values,
                nb::handle scores) {
    const Buffer leaves(nodes, "nodes"), given(values, "values"), score(scores, "scores", true);
    const auto out = score.writable_elements<double>();
    require(out.size() == self.n_rows, "scores: one per row");
    interruptible([&](const auto&) {
        self.partition.add_values(leaves.elements<std::uint32_t>(), given.elements<double>(), out);
        return 0;
    });
}

// Whether sums within these bounds have the same units.
bool have_like_units(double a, double b) {
    return a == b || (a > 0 && b > 0 && std::ilogb(a) == std::ilogb(b));
}

bool have_like_units(const LargestGradients& a, const LargestGradients& b) {
    return have_like_units(a.gradient, b.gradient) && have_like_units(a.hessian, b.hessian) &&
           have_like_units(a.weight, b.weight);
}

// Whether partitions compute the same with both.
bool are_alike(const Units& a, const Units& b) {
    return a.gradient == b.gradient && a.hessian == b.hessian && a.coarse == b.coarse &&
           a.count_rows() == b.count_rows() && have_like_units(a.largest, b.largest);
}

// How leaves predict where derivatives do not tell it: None, or (kind, parameter, target, scores,
// weight or None) of all rows.
struct BorrowedRenewal {
    BorrowedRenewal(nb::handle given, std::size_t n_rows) {
        if (given.is_none()) return;
        values.kind = nb::cast<histogram::Renewal>(given[0]);
        values.parameter = nb::cast<double>(given[1]);
        values.target = held.emplace_back(nb::object(given[2]), "target").elements<double>();
        scores = held.emplace_back(nb::object(given[3]), "scores").elements<double>();
        if (const nb::object own = given[4]; !own.is_none()) {
            weight = held.emplace_back(own, "weight").elements<double>();
        }
        require(values.target.size() == n_rows && scores.size() == n_rows &&
                    (weight.empty() || weight.size() == n_rows),
                "renewal: one value per row");
    }

    std::vector<Buffer> held;
    histogram::LeafRenewal values;
    std::span<const double> scores, weight;
};

// Rows in Python's hands. Its methods may raise errors, which end the growth.
class RowsInPython : public histogram::PartitionedRows {
public:
    struct Kind {
        bool weighted = false, logistic = false, all_ones = false, counts_rows = false;
    };

    RowsInPython(nb::handle rows, std::size_t n_drawn, const Kind& kind,
                 const BorrowedRenewal& renewal, std::optional<Units>& last_units, int n_threads)
        : rows_(rows),
          n_drawn_(n_drawn),
          kind_(kind),
          renewal_(renewal),
          last_units_(last_units),
          n_threads_(n_threads) {}

    bool are_weighted() const override { return kind_.weighted; }
    bool counts_rows() const override { return kind_.counts_rows; }

    // Units are powers of two, which are most often those of the tree before. So partitions begin
    // with these; if others turn out to be right, they begin again.
    Units find_units(std::uint64_t draw) override {
        const LockHeld locked;
        LargestGradients bounds = histogram::logistic_bounds;
        if (last_units_) {
            const Units guess = *last_units_;
            if (!kind_.logistic) bounds = guess.largest;
            const nb::object found = rows_.attr("begin")(to_python(bounds), to_python(guess), draw,
                                                       kind_.counts_rows);
            const LargestGradients largest = largest_from(found[0]);
            if (const nb::object rest = found[1];
                !rest.is_none() && (kind_.logistic || have_like_units(bounds, largest))) {
                const Units units = units_of({largest, {nb::cast<std::int64_t>(rest[0])},
                                              {nb::cast<std::int64_t>(rest[1])}},
                                             bounds);
                if (are_alike(units, guess)) begun_ = counts_from(nb::object(rest[2]));
                return units;
            }
            if (!kind_.logistic) bounds = largest;
        } else if (!kind_.logistic) {
            bounds = largest_from(rows_.attr("largest")());
        }
        const nb::object found = rows_.attr("survey")(to_python(bounds));
        return units_of({largest_from(found[0]), {nb::cast<std::int64_t>(found[1])},
                         {nb::cast<std::int64_t>(found[2])}},
                        bounds);
    }

    NodeCounts start(const Units& units, std::uint64_t draw) override {
        if (begun_) return std::move(*begun_);
        const LockHeld locked;
        return counts_from(
            nb::object(rows_.attr("start")(to_python(units), draw, kind_.counts_rows)));
    }

    NodeCounts divide(std::span<const NodeDivision> divisions) override {
        const LockHeld locked;
        nb::list given;
        for (const NodeDivision& division : divisions) given.append(to_python(division));
        return counts_from(nb::object(rows_.attr("divide")(given)));
    }

    std::vector<std::uint32_t> count_rows(std::span<const std::uint32_t> some) override {
        const LockHeld locked;
        const nb::object given = owned_array(std::vector(some.begin(), some.end()));
        return numbers_from<std::uint32_t>(nb::object(rows_.attr("count_rows")(given)), "n_rows");
    }

    std::vector<double> finish(std::span<const FinishedLeaf> leaves) override {
        for (const FinishedLeaf& leaf : leaves) nodes.push_back(leaf.node);
        if (renewal_.values.kind == histogram::Renewal::none) return {};
        std::vector<std::uint32_t> leaf_of_row;
        {
            const LockHeld locked;
            const nb::object given = owned_array(std::vector(nodes));
            leaf_of_row = numbers_from<std::uint32_t>(nb::object(rows_.attr("leaf_of_rows")(given)),
                                                      "leaves");
            require(leaf_of_row.size() == renewal_.scores.size(), "leaves: one per row");
        }
        return histogram::renewed_values(leaves, leaf_of_row, renewal_.values, renewal_.weight,
                                         renewal_.scores, n_threads_);
    }

    std::vector<std::uint32_t> nodes;  // of the finished leaves

private:
    Units units_of(const GradientSurvey& found, const LargestGradients& bounds) {
        last_units_ = histogram::units_from(found, bounds, n_drawn_, kind_.all_ones);
        return *last_units_;
    }

    nb::handle rows_;
    std::size_t n_drawn_;
    Kind kind_;
    const BorrowedRenewal& renewal_;
    std::optional<Units>& last_units_;
    int n_threads_;
    std::optional<NodeCounts> begun_;
};

// A grower of rows that are elsewhere: its table has no bytes.
struct PartitionedGrower {
    BinnedTable table;
    std::unique_ptr<GradientTreeGrower> grower;
    int n_threads = 1;
    bool is_symmetric = false;
    std::vector<std::optional<Units>> last_units{};  // by output
    std::mutex busy{};
};

void make_grower(PartitionedGrower* self, const PackedEnsemble& plan, std::size_t n_rows,
                 const nb::list& has_missing, const GradientTreeSettings& settings, int n_threads) {
    require(has_missing.size() == plan.columns.size(), "has_missing: one for each column");
    BinnedTable table;
    table.n_rows = n_rows;
    table.n_columns = plan.columns.size();
    table.columns = plan.columns;
    for (std::size_t c = 0; c < table.n_columns; ++c) {
        table.columns[c].has_missing = nb::cast<bool>(has_missing[c]);
    }
    check_settings(settings, table);
    new (self) PartitionedGrower{std::move(table), nullptr, std::max(n_threads, 1),
                                 settings.growth == histogram::Growth::symmetric};
    self->grower = std::make_unique<GradientTreeGrower>(self->table, settings, n_threads);
}

PackedEnsemble no_trees(const PartitionedGrower& self) {
    return {{}, self.table.columns, 1, false};
}

nb::tuple grow(PartitionedGrower& self, PackedEnsemble& trees, nb::handle rows, std::size_t output,
               std::size_t n_drawn, const nb::tuple& kind, nb::handle renewal,
               std::size_t few_rows) {
    require(trees.n_values == 1 && !trees.values_are_sums, "trees: of another kind");
    require_same_bins(trees.columns, self.table.columns, "trees");
    require(n_drawn >= 1 && n_drawn <= self.table.n_rows, "n_drawn: no such number of rows");
    require(output < 1'000'000, "output: too large");
    const std::unique_lock alone(self.busy, std::try_to_lock);
    if (!alone) throw std::runtime_error("grow: this grower is at work in another thread");
    if (self.last_units.size() <= output) self.last_units.resize(output + 1);
    const BorrowedRenewal given(renewal, self.table.n_rows);
    RowsInPython elsewhere(
        rows, n_drawn,
        {nb::cast<bool>(kind[0]), nb::cast<bool>(kind[1]), nb::cast<bool>(kind[2]),
         n_drawn <= few_rows && !self.is_symmetric},
        given, self.last_units[output], self.n_threads);
    auto tree = interruptible(
        [&](const auto& check) { return self.grower->grow(elsewhere, n_drawn, few_rows, check); });
    std::vector<double> values(tree.value.begin(), tree.value.end());
    trees.add(std::move(tree));
    return nb::make_tuple(owned_array(std::move(elsewhere.nodes)), owned_array(std::move(values)));
}

}  // namespace

void bind_tree_partitions(nb::module_& module) {
    nb::class_<BoundPartition>(module, "TreePartition",
                               "A part of the rows that boosted trees are grown on.")
        .def("__init__", &make_partition, "table"_a, "first_row"_a, "n_rows_of_all"_a,
             "n_threads"_a)
        .def("largest", &largest, "gradients"_a, "drawn"_a.none(),
             "The largest derivatives and the largest weight.")
        .def("survey", &survey, "gradients"_a, "drawn"_a.none(), "bounds"_a, "n_drawn_of_all"_a,
             "The largest, and sums of the sizes of derivatives.")
        .def("start", &start, "gradients"_a, "drawn"_a.none(), "units"_a, "draw"_a,
             "counts_rows"_a, "Begin a tree; returns sums of all rows, and their numbers if wanted.")
        .def("divide", &divide, "gradients"_a, "divisions"_a,
             "Divide nodes; returns sums and numbers of the rows of their children, as wanted.")
        .def("count_rows", &count_rows, "nodes"_a,
             "The numbers of rows of nodes by column and bin.")
        .def("leaf_of_rows", &leaf_of_rows, "nodes"_a,
             "The number of the leaf of each row, or the largest number for none.")
        .def("add_values", &add_values, "nodes"_a, "values"_a, "scores"_a,
             "Add the values of leaves to the scores of their rows.");
    nb::class_<PartitionedGrower>(module, "PartitionedTreeGrower",
                                  "Grows the trees of a boosted model on rows that are elsewhere.")
        .def("__init__", &make_grower, "plan"_a, "n_rows"_a, "has_missing"_a, "settings"_a,
             "n_threads"_a)
        .def("no_trees", &no_trees, "An ensemble of these columns without trees.")
        .def("grow", &grow, "trees"_a, "rows"_a, "output"_a, "n_drawn"_a, "kind"_a,
             "renewal"_a.none(), "few_rows"_a,
             "Append a tree; returns the nodes of its leaves and their values. `kind` says whether "
             "rows are weighted, derivatives are logistic, and second derivatives are 1. Of nodes "
             "of more than `few_rows`, rows are counted only where a split depends on it.");
}

}  // namespace treewright::bindings
