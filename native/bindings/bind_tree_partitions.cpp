#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <new>
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
    return nb::make_tuple(division.parent, division.left, division.column,
                          static_cast<int>(division.counted),
                          nb::bytes(division.goes_left.data(), division.goes_left.size()));
}

NodeDivision division_from(nb::handle given) {
    NodeDivision division;
    division.parent = nb::cast<std::uint32_t>(given[0]);
    division.left = nb::cast<std::uint32_t>(given[1]);
    division.column = nb::cast<std::uint32_t>(given[2]);
    const int counted = nb::cast<int>(given[3]);
    require(counted >= 0 && counted <= 2, "counted: 0, 1 or 2");
    division.counted = static_cast<NodeDivision::Counted>(counted);
    const auto sides = nb::cast<nb::bytes>(given[4]);
    require(sides.size() == division.goes_left.size(), "goes_left: a byte for each bin");
    const auto* const bytes = static_cast<const std::uint8_t*>(sides.data());
    std::copy_n(bytes, sides.size(), division.goes_left.begin());
    return division;
}

nb::tuple to_python(NodeCounts&& counts) {
    return nb::make_tuple(owned_array(std::move(counts.sums)),
                          owned_array(std::move(counts.n_rows)));
}

NodeCounts counts_from(nb::handle given) {
    const Buffer sums(given[0], "sums"), n_rows(given[1], "n_rows");
    const auto all_sums = sums.elements<Sum>();
    const auto all_rows = n_rows.elements<std::uint32_t>();
    return {{all_sums.begin(), all_sums.end()}, {all_rows.begin(), all_rows.end()}};
}

constexpr std::size_t sums_of_leaf = sizeof(LeafSums) / sizeof(std::int64_t);

std::vector<LeafSums> leaf_sums_from(nb::handle given, std::size_t n_leaves) {
    const Buffer buffer(given, "leaf sums");
    const auto sums = buffer.elements<std::int64_t>();
    require(sums.size() == n_leaves * sums_of_leaf, "leaf sums: six for each leaf");
    std::vector<LeafSums> leaves(n_leaves);
    for (std::size_t i = 0; i < n_leaves; ++i) {
        const std::int64_t* const own = sums.data() + i * sums_of_leaf;
        leaves[i] = {{own[0], own[1]}, {own[2], own[3]}, {own[4], own[5]}};
    }
    return leaves;
}

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

void make_partition(BoundPartition* self, nb::object table, std::size_t first_row, int n_threads) {
    const auto& binned = nb::cast<const BinnedTable&>(table);
    require(std::ranges::none_of(binned.columns, &histogram::BinnedColumn::is_wide),
            "table: a column of more than 255 categories");
    n_threads = std::max(n_threads, 1);
    new (self) BoundPartition{std::move(table), binned.n_rows, n_threads,
                              histogram::TreePartition(binned, first_row, n_threads)};
}

nb::tuple largest(const BoundPartition& self, const nb::tuple& gradients) {
    const BorrowedGradients given(gradients, self.n_rows);
    return to_python(interruptible([&](const auto&) {
        return histogram::largest_gradients(given.values, {{}, self.n_rows}, self.n_threads);
    }));
}

nb::tuple survey(const BoundPartition& self, const nb::tuple& gradients, const nb::tuple& bounds,
                 std::size_t n_rows_of_all) {
    const BorrowedGradients given(gradients, self.n_rows);
    const LargestGradients most = largest_from(bounds);
    const GradientSurvey found = interruptible([&](const auto&) {
        return histogram::survey_gradients(given.values, {{}, self.n_rows}, most, n_rows_of_all,
                                           self.n_threads);
    });
    return nb::make_tuple(to_python(found.largest), found.gradient.coarse, found.hessian.coarse);
}

nb::tuple start(BoundPartition& self, const nb::tuple& gradients, const nb::tuple& units,
                std::uint64_t draw) {
    const BorrowedGradients given(gradients, self.n_rows);
    const Units in_units = units_from(units);
    return to_python(interruptible(
        [&](const auto&) { return self.partition.start(given.values, in_units, draw); }));
}

nb::tuple divide(BoundPartition& self, const nb::list& divisions) {
    std::vector<NodeDivision> given;
    for (const nb::handle division : divisions) given.push_back(division_from(division));
    return to_python(interruptible(
        [&](const auto& check) { return self.partition.divide(given, check); }));
}

nb::object leaf_sums(BoundPartition& self, const nb::list& nodes, const nb::tuple& gradients,
                     const nb::tuple& largest, std::size_t n_rows_of_all) {
    const BorrowedGradients given(gradients, self.n_rows);
    const LargestGradients most = largest_from(largest);
    std::vector<std::uint32_t> leaves;
    for (const nb::handle node : nodes) leaves.push_back(nb::cast<std::uint32_t>(node));
    const auto found = interruptible([&](const auto&) {
        return self.partition.add_up(leaves, given.values, most, n_rows_of_all);
    });
    std::vector<std::int64_t> sums;
    for (const auto& [gradient, hessian, weight] : found) {
        sums.insert(sums.end(), {gradient.coarse, gradient.fine, hessian.coarse, hessian.fine,
                                 weight.coarse, weight.fine});
    }
    return owned_array(std::move(sums));
}

void add_values(const BoundPartition& self, nb::handle values, nb::handle scores) {
    const Buffer given(values, "values"), score(scores, "scores", true);
    const auto out = score.writable_elements<double>();
    require(out.size() == self.n_rows, "scores: one per row");
    interruptible([&](const auto&) {
        self.partition.add_values(given.elements<double>(), out);
        return 0;
    });
}

// Rows in Python's hands. Its methods may raise errors, which end the growth.
class RowsInPython : public histogram::PartitionedRows {
public:
    RowsInPython(nb::handle rows, std::size_t n_rows, bool weighted, bool logistic, bool all_ones)
        : rows_(rows),
          n_rows_(n_rows),
          weighted_(weighted),
          logistic_(logistic),
          all_ones_(all_ones) {}

    bool are_weighted() const override { return weighted_; }

    Units find_units() override {
        const LockHeld locked;
        const LargestGradients bounds =
            logistic_ ? histogram::logistic_bounds : largest_from(rows_.attr("largest")());
        const nb::object found = rows_.attr("survey")(to_python(bounds));
        GradientSurvey survey;
        survey.largest = largest_from(found[0]);
        survey.gradient.coarse = nb::cast<std::int64_t>(found[1]);
        survey.hessian.coarse = nb::cast<std::int64_t>(found[2]);
        const Units units = histogram::units_from(survey, bounds, n_rows_, all_ones_);
        largest_ = units.largest;
        return units;
    }

    NodeCounts start(const Units& units, std::uint64_t draw) override {
        const LockHeld locked;
        return counts_from(nb::object(rows_.attr("start")(to_python(units), draw)));
    }

    NodeCounts divide(std::span<const NodeDivision> divisions) override {
        const LockHeld locked;
        nb::list given;
        for (const NodeDivision& division : divisions) given.append(to_python(division));
        return counts_from(nb::object(rows_.attr("divide")(given)));
    }

    std::vector<LeafSums> add_up(std::span<const std::uint32_t> nodes) override {
        const LockHeld locked;
        nb::list given;
        for (const std::uint32_t node : nodes) given.append(node);
        const nb::object found(rows_.attr("leaf_sums")(given, to_python(largest_)));
        return leaf_sums_from(found, nodes.size());
    }

private:
    nb::handle rows_;
    std::size_t n_rows_;
    bool weighted_, logistic_, all_ones_;
    LargestGradients largest_;
};

// A grower of rows that are elsewhere: its table has no bytes.
struct PartitionedGrower {
    BinnedTable table;
    std::unique_ptr<GradientTreeGrower> grower;
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
        require(!table.columns[c].is_wide(), "plan: a column of more than 255 categories");
        table.columns[c].has_missing = nb::cast<bool>(has_missing[c]);
    }
    check_settings(settings, table);
    new (self) PartitionedGrower{std::move(table), nullptr};
    self->grower = std::make_unique<GradientTreeGrower>(self->table, settings, n_threads);
}

PackedEnsemble no_trees(const PartitionedGrower& self) {
    return {{}, self.table.columns, 1, false};
}

nb::object grow(PartitionedGrower& self, PackedEnsemble& trees, nb::handle rows, bool weighted,
                bool logistic, bool all_ones) {
    require(trees.n_values == 1 && !trees.values_are_sums, "trees: of another kind");
    require_same_bins(trees.columns, self.table.columns, "trees");
    const std::unique_lock alone(self.busy, std::try_to_lock);
    if (!alone) throw std::runtime_error("grow: this grower is at work in another thread");
    RowsInPython elsewhere(rows, self.table.n_rows, weighted, logistic, all_ones);
    auto tree = interruptible(
        [&](const auto& check) { return self.grower->grow(elsewhere, check); });
    std::vector<double> values(tree.value.begin(), tree.value.end());
    trees.add(std::move(tree));
    return owned_array(std::move(values));
}

}  // namespace

void bind_tree_partitions(nb::module_& module) {
    nb::class_<BoundPartition>(module, "TreePartition",
                               "A part of the rows that boosted trees are grown on.")
        .def("__init__", &make_partition, "table"_a, "first_row"_a, "n_threads"_a)
        .def("largest", &largest, "gradients"_a, "The largest derivatives and the largest weight.")
        .def("survey", &survey, "gradients"_a, "bounds"_a, "n_rows_of_all"_a,
             "The largest, and sums of the sizes of derivatives.")
        .def("start", &start, "gradients"_a, "units"_a, "draw"_a,
             "Begin a tree; returns sums and numbers of all rows by bin.")
        .def("divide", &divide, "divisions"_a,
             "Divide nodes; returns sums and numbers of rows by bin of those to be counted.")
        .def("leaf_sums", &leaf_sums, "nodes"_a, "gradients"_a, "largest"_a, "n_rows_of_all"_a,
             "Exact sums of derivatives and weights of each leaf.")
        .def("add_values", &add_values, "values"_a, "scores"_a,
             "Add the values of leaves, as given to leaf_sums, to the scores of their rows.");
    nb::class_<PartitionedGrower>(module, "PartitionedTreeGrower",
                                  "Grows the trees of a boosted model on rows that are elsewhere.")
        .def("__init__", &make_grower, "plan"_a, "n_rows"_a, "has_missing"_a, "settings"_a,
             "n_threads"_a)
        .def("no_trees", &no_trees, "An ensemble of these columns without trees.")
        .def("grow", &grow, "trees"_a, "rows"_a, "weighted"_a, "logistic"_a, "all_ones"_a,
             "Append a tree; returns the values of its leaves.");
}

}  // namespace treewright::bindings
