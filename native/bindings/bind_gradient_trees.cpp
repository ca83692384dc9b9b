#include <nanobind/nanobind.h>

#include <memory>
#include <new>
#include <numeric>

#include "bindings/histogram_table.hpp"
#include "core/histogram/gradient_tree.hpp"
#include "core/histogram/packed_ensemble.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::BinnedTable;
using histogram::GradientTreeGrower;
using histogram::GradientTreeSettings;
using histogram::PackedEnsemble;

namespace {

// A grower, and the table that it reads, which Python may have let go.
struct BoundGrower {
    nb::object table;
    std::vector<std::uint32_t> all_rows;
    std::unique_ptr<GradientTreeGrower> grower;
};

void make_grower(BoundGrower* self, nb::object table, const GradientTreeSettings& settings,
                 int n_threads) {
    const auto& binned = nb::cast<const BinnedTable&>(table);
    std::vector<std::uint32_t> all_rows(binned.n_rows);
    std::iota(all_rows.begin(), all_rows.end(), 0U);
    auto grower = std::make_unique<GradientTreeGrower>(binned, settings, n_threads);
    new (self) BoundGrower{std::move(table), std::move(all_rows), std::move(grower)};
}

PackedEnsemble no_trees(const BoundGrower& self) {
    return {{}, nb::cast<const BinnedTable&>(self.table).columns, 1, false};
}

void grow(BoundGrower& self, PackedEnsemble& trees, nb::handle gradient, nb::handle hessian,
          nb::handle rows, nb::handle scores) {
    const std::size_t n_rows = self.all_rows.size();
    const Buffer first(gradient, "gradient");
    const BorrowedWeights second(hessian, n_rows);
    const Buffer score(scores, "scores", true);
    std::vector<Buffer> chosen;
    std::span<const std::uint32_t> used = self.all_rows;
    if (!rows.is_none()) {
        used = chosen.emplace_back(rows, "rows").elements<std::uint32_t>();
        for (std::size_t i = 0; i < used.size(); ++i) {
            require(used[i] < n_rows && (i == 0 || used[i - 1] < used[i]),
                    "rows: ascending numbers of rows");
        }
    }
    const histogram::Gradients gradients{first.elements<double>(), second.values};
    const std::span<double> sums = score.writable_elements<double>();
    require(gradients.first.size() == n_rows && sums.size() == n_rows && !used.empty(),
            "gradient, scores: one value per row");
    trees.trees.push_back(interruptible([&](const auto& check) {
        return self.grower->grow(gradients, used, sums, check);
    }));
}

}  // namespace

void bind_gradient_trees(nb::module_& module) {
    nb::class_<GradientTreeSettings>(module, "GradientTreeSettings")
        .def(nb::init<>())
        .def_rw("max_leaf_nodes", &GradientTreeSettings::max_leaf_nodes)
        .def_rw("max_depth", &GradientTreeSettings::max_depth)
        .def_rw("learning_rate", &GradientTreeSettings::learning_rate)
        .def_prop_rw(
            "min_samples_leaf", [](const GradientTreeSettings& s) { return s.limits.min_samples_leaf; },
            [](GradientTreeSettings& s, double value) { s.limits.min_samples_leaf = value; })
        .def_prop_rw(
            "min_child_weight", [](const GradientTreeSettings& s) { return s.limits.min_child_hessian; },
            [](GradientTreeSettings& s, double value) { s.limits.min_child_hessian = value; })
        .def_prop_rw(
            "l1", [](const GradientTreeSettings& s) { return s.limits.l1; },
            [](GradientTreeSettings& s, double value) { s.limits.l1 = value; })
        .def_prop_rw(
            "l2", [](const GradientTreeSettings& s) { return s.limits.l2; },
            [](GradientTreeSettings& s, double value) { s.limits.l2 = value; })
        .def_prop_rw(
            "min_gain", [](const GradientTreeSettings& s) { return s.limits.min_gain; },
            [](GradientTreeSettings& s, double value) { s.limits.min_gain = value; });
    nb::class_<BoundGrower>(module, "GradientTreeGrower",
                            "Grows the trees of a boosted model, one after the other.")
        .def("__init__", &make_grower, "table"_a, "settings"_a, "n_threads"_a)
        .def("no_trees", &no_trees, "An ensemble of this table without trees.")
        .def("grow", &grow, "trees"_a, "gradient"_a, "hessian"_a.none(), "rows"_a.none(),
             "scores"_a, "Append a tree and add its answers to the scores.");
}

}  // namespace treewright::bindings
