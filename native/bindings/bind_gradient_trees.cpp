#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>

#include "bindings/folder.hpp"
#include "bindings/gradient_settings.hpp"
#include "bindings/histogram_table.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/lists.hpp"
#include "core/histogram/boosting/gradient_tree.hpp"
#include "core/histogram/boosting/loss_derivatives.hpp"
#include "core/histogram/packed/packed_ensemble.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::BinnedTable;
using histogram::ColumnSettings;
using histogram::GradientTreeGrower;
using histogram::GradientTreeSettings;
using histogram::Growth;
using histogram::Loss;
using histogram::PackedEnsemble;
using histogram::Renewal;
using histogram::SplitLimits;

namespace {

// A grower, and the table that it reads, which Python may have let go.
struct BoundGrower {
    nb::object table;
    std::unique_ptr<GradientTreeGrower> grower;
    std::mutex busy{};  // its memory serves one tree at a time
};

void make_grower(BoundGrower* self, nb::object table, const GradientTreeSettings& settings,
                 int n_threads, nb::handle folder) {
    const auto& binned = nb::cast<const BinnedTable&>(table);
    check_settings(settings, binned);
    auto grower =
        std::make_unique<GradientTreeGrower>(binned, settings, n_threads, folder_of(folder));
    new (self) BoundGrower{std::move(table), std::move(grower)};
}

PackedEnsemble no_trees(const BoundGrower& self) {
    return {{}, nb::cast<const BinnedTable&>(self.table).columns, 1, false};
}

void grow(BoundGrower& self, PackedEnsemble& trees, nb::handle gradient, nb::handle hessian,
          nb::handle rows, nb::handle scores, nb::handle weight, nb::handle target, Renewal renewal,
          double renewal_parameter, bool logistic) {
    const std::size_t n_rows = nb::cast<const BinnedTable&>(self.table).n_rows;
    const Buffer first(gradient, "gradient");
    const BorrowedWeights second(hessian, n_rows), weights(weight, n_rows), targets(target, n_rows);
    const Buffer score(scores, "scores", true);
    std::vector<Buffer> chosen;
    histogram::GrownOn used{{}, n_rows};
    if (!rows.is_none()) {
        used.list = chosen.emplace_back(rows, "rows").elements<std::uint32_t>();
        require(!used.list.empty(), "rows: at least one");
        for (std::size_t i = 0; i < used.size(); ++i) {
            require(used.list[i] < n_rows && (i == 0 || used.list[i - 1] < used.list[i]),
                    "rows: ascending numbers of rows");
        }
    }
    const histogram::Gradients gradients{first.elements<double>(), second.values, weights.values,
                                         logistic};
    const std::span<double> sums = score.writable_elements<double>();
    require(gradients.first.size() == n_rows && sums.size() == n_rows,
            "gradient, scores: one value per row");
    require(!logistic || (second.values.empty() && weights.values.empty()),
            "logistic: without hessian and weight");
    require(renewal == Renewal::none || !targets.values.empty(), "target: needed for renewal");
    require(trees.n_values == 1 && !trees.values_are_sums, "trees: of another kind");
    require_same_bins(trees.columns, nb::cast<const BinnedTable&>(self.table).columns, "trees");
    const std::unique_lock alone(self.busy, std::try_to_lock);
    if (!alone) throw std::runtime_error("grow: this grower is at work in another thread");
    trees.add(interruptible([&](const auto& check) {
        return self.grower->grow(gradients, {renewal, renewal_parameter, targets.values}, used,
                                 sums, check);
    }));
}

void fill_gradients(Loss loss, double parameter, nb::handle y, nb::handle scores, nb::handle weight,
                    nb::handle gradient, nb::handle hessian, int n_threads) {
    const Buffer target(y, "y"), score(scores, "scores"), first(gradient, "gradient", true);
    const bool coded = loss == Loss::logistic || loss == Loss::multinomial;
    histogram::LossRows rows;
    if (coded && target.holds<std::int32_t>()) {
        rows.codes = target.elements<std::int32_t>();
    } else {
        rows.target = target.elements<double>();
    }
    const std::size_t n_rows = rows.n_rows();
    const BorrowedWeights weights(weight, n_rows);
    std::vector<Buffer> seconds;
    std::span<double> second;
    if (!hessian.is_none()) {
        second = seconds.emplace_back(hessian, "hessian", true).writable_elements<double>();
    }
    rows.scores = score.elements<double>();
    rows.weight = weights.values;
    const std::span<double> out = first.writable_elements<double>();
    require(n_rows > 0 && out.size() == rows.scores.size(), "gradient: as many as scores");
    require(second.size() == out.size() || (second.empty() && loss != Loss::multinomial),
            "hessian: as many as scores");
    require(loss == Loss::multinomial
                ? rows.scores.size() % n_rows == 0 && rows.scores.size() >= 2 * n_rows
                : rows.scores.size() == n_rows,
            "scores: one for each row, or for each class and row");
    interruptible([&](const Check& check) {
        histogram::loss_gradients(loss, parameter, rows, out, second, n_threads, check);
    });
}

template <auto Part, auto Field>
auto reads() {
    return [](const GradientTreeSettings& settings) { return settings.*Part.*Field; };
}
template <auto Part, auto Field, class T>
auto writes() {
    return
        [](GradientTreeSettings& settings, T value) { settings.*Part.*Field = std::move(value); };
}

constexpr auto limits = &GradientTreeSettings::limits;
constexpr auto columns = &GradientTreeSettings::columns;

template <auto Field>
void bind_limit(nb::class_<GradientTreeSettings>& settings, const char* name) {
    settings.def_prop_rw(name, reads<limits, Field>(), writes<limits, Field, double>());
}

void bind_settings(nb::module_& module) {
    nb::enum_<Growth>(module, "TreeGrowth")
        .value("leaf", Growth::leaf)
        .value("level", Growth::level)
        .value("symmetric", Growth::symmetric);
    nb::class_<GradientTreeSettings> settings(module, "GradientTreeSettings");
    settings.def(nb::init<>())
        .def_rw("growth", &GradientTreeSettings::growth)
        .def_rw("max_leaf_nodes", &GradientTreeSettings::max_leaf_nodes)
        .def_rw("max_depth", &GradientTreeSettings::max_depth)
        .def_rw("learning_rate", &GradientTreeSettings::learning_rate)
        .def_rw("monotone", &GradientTreeSettings::monotone);
    bind_limit<&SplitLimits::min_samples_leaf>(settings, "min_samples_leaf");
    bind_limit<&SplitLimits::min_child_hessian>(settings, "min_child_weight");
    bind_limit<&SplitLimits::l1>(settings, "l1");
    bind_limit<&SplitLimits::l2>(settings, "l2");
    bind_limit<&SplitLimits::min_gain>(settings, "min_gain");
    bind_limit<&SplitLimits::nominal_l2>(settings, "nominal_l2");
    bind_limit<&SplitLimits::nominal_smoothing>(settings, "nominal_smoothing");
    bind_limit<&SplitLimits::min_level_rows>(settings, "min_level_rows");
    settings
        .def_prop_rw("max_features", reads<columns, &ColumnSettings::max_features>(),
                     writes<columns, &ColumnSettings::max_features, double>())
        .def_prop_rw("max_features_node", reads<columns, &ColumnSettings::max_features_node>(),
                     writes<columns, &ColumnSettings::max_features_node, double>())
        .def_prop_rw("seed", reads<columns, &ColumnSettings::seed>(),
                     writes<columns, &ColumnSettings::seed, std::uint64_t>())
        .def_prop_rw("first_tree", reads<columns, &ColumnSettings::first_tree>(),
                     writes<columns, &ColumnSettings::first_tree, std::uint64_t>())
        .def_prop_rw("interactions", reads<columns, &ColumnSettings::interactions>(),
                     writes<columns, &ColumnSettings::interactions,
                            std::vector<std::vector<std::int32_t>>>());
}

}  // namespace

void bind_gradient_trees(nb::module_& module) {
    nb::enum_<Loss>(module, "Loss")
        .value("squared_error", Loss::squared_error)
        .value("absolute_error", Loss::absolute_error)
        .value("huber", Loss::huber)
        .value("quantile", Loss::quantile)
        .value("poisson", Loss::poisson)
        .value("gamma", Loss::gamma)
        .value("tweedie", Loss::tweedie)
        .value("logistic", Loss::logistic)
        .value("multinomial", Loss::multinomial);
    nb::enum_<Renewal>(module, "Renewal")
        .value("none", Renewal::none)
        .value("quantile", Renewal::quantile)
        .value("huber", Renewal::huber);
    bind_settings(module);
    nb::class_<BoundGrower>(module, "GradientTreeGrower",
                            "Grows the trees of a boosted model, one after the other.")
        .def("__init__", &make_grower, "table"_a, "settings"_a, "n_threads"_a,
             "folder"_a.none() = nb::none())
        .def("no_trees", &no_trees, "An ensemble of this table without trees.")
        .def("grow", &grow, "trees"_a, "gradient"_a, "hessian"_a.none(), "rows"_a.none(),
             "scores"_a, "weight"_a.none() = nb::none(), "target"_a.none() = nb::none(),
             "renewal"_a = Renewal::none, "renewal_parameter"_a = 0.5, "logistic"_a = false,
             "Append a tree grown on some rows and add its predictions to the scores of all.");
    module.def("loss_gradients", &fill_gradients, "loss"_a, "parameter"_a, "y"_a, "scores"_a,
               "weight"_a.none(), "gradient"_a, "hessian"_a.none(), "n_threads"_a,
               "Fill the first and second derivatives of a loss by the score, times weight.");
}

}  // namespace treewright::bindings
