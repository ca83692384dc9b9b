#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/lists.hpp"
#include "core/oblique/search.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using oblique::Impurity;
using oblique::NodeColumns;
using oblique::NodeTarget;
using oblique::SearchSettings;

namespace {

std::vector<double> weights_of(nb::handle given, std::size_t n_rows, const char* name) {
    const Buffer buffer(given, name);
    const auto values = buffer.elements<double>();
    require(values.size() == n_rows, std::string(name) + ": one weight per row");
    for (const double weight : values) {
        require(weight > 0 && std::isfinite(weight), std::string(name) + ": a weight above 0");
    }
    return {values.begin(), values.end()};
}

void set_classes(NodeTarget& target, nb::handle codes, std::size_t n_classes) {
    const Buffer buffer(codes, "codes");
    require(n_classes > 0 && n_classes <= UINT16_MAX, "n_classes: from 1 to 65535");
    target.n_classes = n_classes;
    for (const std::int32_t code : buffer.elements<std::int32_t>()) {
        require(code >= 0 && static_cast<std::size_t>(code) < n_classes, "codes: a class");
        target.classes.push_back(static_cast<std::uint16_t>(code));
    }
}

using Sum = std::pair<std::vector<std::uint32_t>, std::vector<double>>;

std::vector<Sum> search_sums(nb::handle columns, const NodeTarget& target,
                             const SearchSettings& settings, int n_threads) {
    const Buffer buffer(columns, "columns");
    require(buffer.n_axes() == 2 && buffer.length(1) == target.n_rows(),
            "columns: one line per column, one value per row");
    require(settings.max_terms >= 1, "max_terms: at least 1");
    require(settings.n_jumps >= 0, "n_jumps: at least 0");
    const auto values = buffer.elements<double>();
    auto sums = interruptible([&](const auto& check) {
        const NodeColumns made(values, target.weight);
        return oblique::search_sums(made, target, settings, n_threads, check);
    });
    std::vector<Sum> out;
    for (auto& sum : sums) out.emplace_back(std::move(sum.columns), std::move(sum.weights));
    return out;
}

std::optional<std::tuple<double, double, double>> best_sum_cut(nb::handle sums,
                                                               const NodeTarget& target,
                                                               double min_gap) {
    const Buffer buffer(sums, "sums");
    const auto values = buffer.elements<double>();
    require(values.size() == target.n_rows(), "sums: one per row");
    for (const double value : values) require(!std::isnan(value), "sums: a number");
    const oblique::SplitTally tally(target);
    const double tolerance = oblique::tie_share * tally.score_weight();
    oblique::Cut found;
    {
        const Unlocked unlocked;
        oblique::RowOrder scratch;
        found = oblique::best_cut(tally, values, min_gap, tolerance, scratch);
    }
    if (!found.found) return std::nullopt;
    const double gain = (found.score - tally.score_unsplit()) / tally.score_weight();
    return std::tuple(gain, found.below, found.above);
}

}  // namespace

void bind_oblique(nb::module_& module) {
    nb::enum_<Impurity>(module, "ObliqueImpurity")
        .value("gini", Impurity::gini)
        .value("entropy", Impurity::entropy);
    nb::class_<NodeTarget>(module, "ObliqueTarget")
        .def(
            "__init__",
            [](NodeTarget* made, Impurity impurity, nb::handle codes, std::size_t n_classes,
               nb::handle weight, nb::handle score_weight) {
                NodeTarget target;
                target.impurity = impurity;
                set_classes(target, codes, n_classes);
                const std::size_t n_rows = target.classes.size();
                target.weight = weights_of(weight, n_rows, "weight");
                target.score_weight = weights_of(score_weight, n_rows, "score_weight");
                new (made) NodeTarget(std::move(target));
            },
            "impurity"_a, "codes"_a, "n_classes"_a, "weight"_a, "score_weight"_a)
        .def_rw("min_rows", &NodeTarget::min_rows)
        .def_rw("min_weight", &NodeTarget::min_weight);
    nb::class_<SearchSettings>(module, "ObliqueSettings")
        .def(nb::init<>())
        .def_rw("max_terms", &SearchSettings::max_terms)
        .def_rw("max_columns", &SearchSettings::max_columns)
        .def_rw("n_starts", &SearchSettings::n_starts)
        .def_rw("n_jumps", &SearchSettings::n_jumps)
        .def_rw("max_loss", &SearchSettings::max_loss)
        .def_rw("seed", &SearchSettings::seed);
    module.def("search_sums", &search_sums, "columns"_a, "target"_a, "settings"_a, "n_threads"_a,
               "The best sums of two columns, of three ...: places of the columns, coefficients.");
    module.def("best_sum_cut", &best_sum_cut, "sums"_a, "target"_a, "min_gap"_a,
               InStandardArithmetic(),
               "The gain of the best cut and the sums next to it; None if there is no cut.");
}

}  // namespace treewright::bindings
